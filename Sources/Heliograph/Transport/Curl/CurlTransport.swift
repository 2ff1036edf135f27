#if HELIOGRAPH_CURL
public import Signals

/// Carries requests over libcurl's multi interface: the fast and safe transport on Linux, and the default there.
///
/// One thread does all its input and output, and events are delivered on it: take what is there and leave it soon, or use
/// `observe(on:)`. A consumer behind `observe(on:)` or `values` that falls behind pauses its transfer, so memory stays
/// bounded. Redirects are ``RedirectingTransport``'s task; cookies are neither kept nor sent unless a request has them.
///
/// Connections are kept and used again; over TLS, HTTP/2 exchanges share one. An exchange of which nothing has come when
/// its kept connection turns out to be closed is sent again on a new one, once, if ``HTTPRequest/isIdempotent`` says so. What a
/// server of HTTP/2 refused without processing it is always sent again (RFC 9113 §8.7). A complete response that comes before
/// all of the body was sent counts.
///
/// The idle time-out counts while bytes could move, and not while the consumer or the body's source is waited for; it is set
/// again after each pause. Time in which the device sleeps does not count. A process may end at any time, by `exit` too.
///
/// A response that breaks off, is longer than it said or is no HTTP is an error, with what had come.
///
/// On Linux nothing has to be installed: libcurl is part of every process that uses FoundationNetworking. On macOS it is compiled in
/// with the package's trait `Curl` only, and uses the system's libcurl; iOS, tvOS, watchOS and visionOS have none.
public struct CurlTransport: Transport {
  /// How it works.
  public let settings: TransportSettings
  /// Whether it needs a network: not over a Unix socket, or where a proxy on this very machine is asked first.
  public let usesNetwork: Bool
  private let owner: Owner

  /// Whether libcurl was found, 7.81 or later.
  public static var isAvailable: Bool { CurlLibrary.isAvailable }

  /// Whether HTTP/2 can be spoken: libcurl 8.14 or later was found, built with it.
  public static var supportsHTTP2: Bool { CurlLibrary.isAvailable && CurlQuirks.speaksHTTP2 }

  /// Makes a transport with connections of its own.
  ///
  /// Its thread ends and its connections close when the transport is deallocated and its exchanges have terminated.
  /// - Parameter settings: how it works. Default: see ``TransportSettings``.
  /// - Throws: a `client` error with the code ``NetworkError/Code/invalidTransport`` if there is no libcurl, it cannot do what the
  ///   settings say, or a file that they name cannot be read.
  public init(_ settings: TransportSettings = TransportSettings()) throws(NetworkError) {
    guard CurlLibrary.isAvailable else {
      throw NetworkError(.client, .invalidTransport, reason: CurlLibrary.refusal)
    }
    let resolved = try ResolvedSettings(settings)
    // Only now it shows whether this libcurl has all that the settings ask for.
    _ = try CurlHandle(resolved)
    self.settings = settings
    usesNetwork = settings.unixSocketPath == nil && !settings.proxy.isLocal
    owner = Owner(try CurlLoop(resolved))
  }

  /// The exchange, on a connection of the transport's.
  ///
  /// - Parameter request: what to send.
  /// - Returns: the signal. Disposing it closes the connection, unless others share it. It fails with a `network` error, or
  ///   with a `client` error when the request cannot be sent.
  public func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    if request.needsDeadline { return request.limited(send) }
    // A signal that has not been subscribed to keeps the transport: it must be able to start.
    return Signal { [owner] observer in
      do throws(NetworkError) {
        try request.check()
      } catch {
        observer.fail(error)
        return nil
      }
      let exchange = CurlExchange(request, observer, owner.loop)
      exchange.start()
      return Disposable(source: exchange)
    }
  }
}

/// Ends the loop with the last copy of the transport.
private final class Owner: Sendable {
  let loop: CurlLoop

  init(_ loop: CurlLoop) {
    self.loop = loop
  }

  deinit { loop.submit(.finish) }
}
#endif
