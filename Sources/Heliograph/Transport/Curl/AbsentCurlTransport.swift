#if !HELIOGRAPH_CURL
public import Signals

/// A placeholder for the libcurl transport, which is not part of this build.
///
/// Builds on Linux, and builds with the package trait `Curl`, contain the real one.
public struct CurlTransport: Transport {
  /// The settings of the transport.
  public let settings: TransportSettings
  /// Whether the transport needs a network; always `false` in this build.
  public let usesNetwork = false

  /// Whether libcurl was found; always `false` in this build.
  public static var isAvailable: Bool { false }

  /// Whether HTTP/2 is supported: always `false` in this build.
  public static var supportsHTTP2: Bool { false }

  /// Throws an error, because this build has no libcurl.
  ///
  /// - Throws: A `client` error with the code ``NetworkError/Code/invalidTransport``, always.
  public init(_ settings: TransportSettings = TransportSettings()) throws(NetworkError) {
    throw NetworkError(.invalidTransport, reason: "Heliograph was built without the trait Curl")
  }

  /// Returns a signal that fails with a `client` error with the code ``NetworkError/Code/invalidTransport``.
  public func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    .fail(NetworkError(.invalidTransport, request: request))
  }
}

extension ContentCoding {
  /// Whether a ``CurlTransport`` decodes the coding: always `false` in this build.
  public var isSupported: Bool { false }
}
#endif
