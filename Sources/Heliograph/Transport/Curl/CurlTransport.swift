#if HELIOGRAPH_CURL
public import Signals

/// A transport over libcurl's multi interface: the fast and safe transport on Linux, and the default there.
///
/// One thread does all input and output, and events are delivered on it: return quickly, or use `observe(on:)`. A
/// consumer behind `observe(on:)` or `values` that falls behind pauses its transfer, so memory stays bounded. The
/// transport itself neither follows redirects nor stores cookies: a client does both. Files of request bodies are read
/// on other threads, at most eight in the process, so that a slow disk delays no other request.
///
/// Over HTTP/2 a paused exchange whose connection other exchanges use holds about 20 MiB of its body in memory, and at
/// most about 40: libcurl allows a stream 10 MiB in advance, and once more with each resume.
///
/// Connections are kept alive and reused; over TLS, HTTP/2 exchanges share one. If a keep-alive connection turns out to
/// be closed before any data has arrived, the request is sent again on a new connection, once, if
/// ``HTTPRequest/isIdempotent`` is `true` and, over HTTP/1.1, at most 4 MiB of its body were sent. A request that an
/// HTTP/2 server refused without processing it is sent again, whatever its method (RFC 9113 §8.7), over HTTP/1.1 if the
/// server demands it (`HTTP_1_1_REQUIRED`). A complete response that arrives before the whole body was sent is valid.
///
/// If an exchange times out while nothing arrives on the HTTP/2 connection that it shares, the peer may be gone. New
/// requests for its origin then have connections of their own, until something arrives on the shared one, or its last
/// exchange has ended and it is closed. Exchanges that are on it already are left to their own timeouts.
///
/// If a request on a kept HTTP/1.1 connection times out before its response, new requests for its origin use no
/// connection that was idle then. For a minute after a failure to connect, the name of the origin's host is looked up
/// for each new connection.
///
/// The idle timeout restarts when the request is sent, also when it is sent again, with each complete header line, each
/// piece of the response's body and each piece of the request's body that the system takes. A partial line, a TLS
/// handshake, and bytes that the system sends later do not restart it. The timeout is paused while the transfer waits
/// for the consumer or for the body's source. An upload that waits for its source ends when an error response arrives
/// or the server closes the connection. Time in which the device sleeps does not count. The process may exit at any
/// time; the transport's thread needs no shutdown.
///
/// A response that is truncated, longer than its `Content-Length` or not HTTP fails; the error contains the data
/// received so far.
///
/// On Linux libcurl is part of every process that uses FoundationNetworking; without its package the process does not
/// start. On macOS the transport is part of a build with the package trait `Curl` only, and uses the system's libcurl.
/// iOS, tvOS, watchOS and visionOS have no libcurl.
public struct CurlTransport: Transport {
  /// The settings of the transport.
  public let settings: TransportSettings
  /// Whether the transport needs a network; `false` over a Unix domain socket and through a proxy on this machine.
  public let usesNetwork: Bool
  private let owner: Owner

  /// Whether libcurl 7.81 or later was found.
  public static var isAvailable: Bool { CurlLibrary.isAvailable }

  /// Whether HTTP/2 is supported: libcurl 8.14 or later was found, and was built with it.
  public static var supportsHTTP2: Bool { CurlLibrary.isAvailable && CurlQuirks.speaksHTTP2 }

  /// Creates a transport with connections of its own.
  ///
  /// Its thread ends and its connections close when the transport is deallocated and its exchanges have terminated.
  /// - Parameter settings: The settings. Default: see ``TransportSettings``.
  /// - Throws: A `client` error with the code ``NetworkError/Code/invalidTransport`` if there is no libcurl, if a
  ///   setting is invalid or libcurl does not support it, if a file that is named cannot be read, or if the process has
  ///   no free file descriptors.
  public init(_ settings: TransportSettings = TransportSettings()) throws(NetworkError) {
    guard CurlLibrary.isAvailable else {
      throw NetworkError(.invalidTransport, reason: CurlLibrary.unavailabilityReason)
    }
    let resolved = try ResolvedSettings(settings)
    // Only a handle shows whether this libcurl supports all of the settings.
    _ = try CurlHandle(resolved)
    self.settings = settings
    usesNetwork = settings.unixSocketPath == nil && !settings.proxy.isLocal()
    owner = Owner(try CurlLoop(resolved))
  }

  /// Sends the request over a connection of the transport.
  ///
  /// - Parameter request: The request to send.
  /// - Returns: A signal of the exchange. Disposing it closes the connection, unless other exchanges share it. It fails
  ///   with a `network` error, or with a `client` error if the request cannot be sent or the system could not create
  ///   the transport's thread.
  public func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    if request.needsDeadline { return request.limited(send) }
    // An unsubscribed signal retains the transport, so that a later subscription works.
    let exchange = Signal<TransportEvent, NetworkError> { [owner] observer in
      let stream: BodyStream?
      do throws(NetworkError) {
        try request.check()
        stream = try request.body.uploadStream()
        if case .file = request.body, !observer.isDisposed { request.deadline?.activity = .exchange }
      } catch {
        let error = error.attaching(request)
        // A handler would occupy one of the few threads for files.
        if case .file = request.body {
          DispatchScheduler.global.schedule { observer.fail(error) }
        } else {
          observer.fail(error)
        }
        return nil
      }
      let loop = owner.loop
      let exchange = CurlExchange(request, stream, observer, loop)
      request.deadline?.enter(exchange) { loop.submit(.expire(exchange)) }
      loop.submit(.start(exchange))
      return Disposable(source: exchange)
    }
    // Determining the size of a file may block the subscriber's thread, such as the loop's after a redirect.
    guard case .file = request.body else { return exchange }
    return .deferred {
      request.deadline?.activity = .preparing
      return exchange.subscribe(on: FileScheduler())
    }
  }
}

extension HTTPBody {
  /// The maximum size of a body in memory that libcurl gets at once: 64 KiB, the most that it sends at a time.
  static let inMemoryByteLimit = 65_536

  /// Returns the stream of a body that libcurl requests piece by piece; `nil` for a body that it gets at once.
  ///
  /// The size of a file is determined, which may block.
  func uploadStream() throws(NetworkError) -> BodyStream? {
    switch self {
    case .empty: nil
    case .data(let data) where data.count <= HTTPBody.inMemoryByteLimit: nil
    case .data(let data): BodyStream(byteCount: data.count) { BodyStream.pieces(of: [data]) }
    case .file(let url): try BodySegment.body(of: [.file(url)]).uploadStream()
    case .stream(let stream): stream
    }
  }
}

/// Owns the loop and stops it when the last copy of the transport is deallocated.
private final class Owner: Sendable {
  let loop: CurlLoop

  init(_ loop: CurlLoop) {
    self.loop = loop
  }

  deinit { loop.submit(.finish) }
}
#endif
