#if !HELIOGRAPH_CURL
public import Signals

/// Carries requests over libcurl, where the package was built with it: on Linux, or with the trait `Curl`.
///
/// Here it was not.
public struct CurlTransport: Transport {
  /// How it would work.
  public let settings: TransportSettings
  /// Whether it needs a network.
  public let usesNetwork = false

  /// Whether libcurl was found: never.
  public static var isAvailable: Bool { false }

  /// Whether HTTP/2 can be spoken: never.
  public static var supportsHTTP2: Bool { false }

  /// Makes none.
  ///
  /// - Throws: a `client` error with the code ``NetworkError/Code/invalidTransport``, always.
  public init(_ settings: TransportSettings = TransportSettings()) throws(NetworkError) {
    throw NetworkError(.client, .invalidTransport, reason: "Heliograph was built without its trait Curl")
  }

  /// Fails with a `client` error.
  public func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    .fail(NetworkError(.client, .invalidTransport, request: request))
  }
}

extension ContentCoding {
  /// Whether a ``CurlTransport`` decodes it: never.
  public var isSupported: Bool { false }
}
#endif
