public import Signals

// Foundation contains these types on Apple's platforms.
#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// A transport over Foundation's `URLSession`.
///
/// It follows no redirects, answers no authentication challenges and stores nothing: a client follows redirects and
/// handles cookies, and a 401 is delivered like any other response. Events are delivered on the session's own serial
/// queue. Idle timeouts are delivered on the global concurrent queue, total timeouts of a client's requests on its
/// ``NetworkClient/Configuration/scheduler``.
///
/// On Apple's platforms a streamed body is sent while it is read, one piece at a time. If the session sends it again,
/// as after a connection was lost, the stream is opened again; a stream that can be read only once fails with
/// ``NetworkError/Code/invalidBody``. On Linux the stream is first written to a temporary file, because the session
/// would lose it after a redirect; the file is removed afterwards.
///
/// On Apple's platforms ``Metrics`` are as complete as those of ``CurlTransport``, except after a timeout and a
/// rejected certificate, which end the exchange before the system has measured it. On Linux they contain only the
/// instants of the start, the head and the end, and the byte counts of the bodies.
///
/// A request's ``HTTPRequest/priority`` sets the priority of its task, which the session treats as a hint and ignores
/// on Linux. With ``NetworkClient/Configuration/concurrencyLimit`` the order is guaranteed.
///
/// On Apple's platforms a consumer that falls behind, such as one behind `observe(on:)`, pauses its task and thereby
/// the server. The pause is a request to the system, which may go on delivering: if about 64 MiB are buffered during
/// it, the exchange fails with ``NetworkError/Code/responseTooLarge``. On Linux a task cannot be paused, and incoming
/// data is buffered in memory: use ``CurlTransport`` there.
///
/// The session itself may resend a request with an idempotent method on a new connection. On Apple's platforms
/// ``Metrics/resendCount`` reports this. A ``RetryBudget`` does not count it. On Linux a request with a body fails with
/// ``NetworkError/Code/connectionLost`` instead.
///
/// On Apple's platforms the head of a response is delivered with the first byte of its body, or with its end. A server
/// that needs it earlier sends a byte, such as a comment line (`:`) of an event stream, and the field
/// `X-Content-Type-Options: nosniff`, without which the system may hold 512 bytes of text back. Over HTTP/1.1, a
/// chunked body whose connection the server closes between two chunks may be reported as complete there, unless the
/// configuration sets `usesClassicLoadingMode` to `false`.
///
/// On Linux the session uses the proxy named by environment variables, and speaks HTTP/2 over TLS if its libcurl does.
/// Only behind a proxy for HTTPS the head waits for the body there as well.
///
/// Waiting for one of the session's connections counts towards the idle timeout. With
/// ``NetworkClient/Configuration/concurrencyLimit`` a request waits before its idle timeout begins.
///
/// `URLSession` sends no body with `GET`: such a request fails with a `client` error with the code
/// ``NetworkError/Code/invalidBody``, and a method such as `get`, which the session would send in upper case, with
/// ``NetworkError/Code/invalidMethod``. Repeated header fields of a response are joined into one; only `Set-Cookie` is
/// separated again. On Linux every TLS failure has the code -1, a file of up to 1 MiB is read into memory, and dot
/// segments of a path are resolved: `/a/../b` is sent as `/b`. A redirect is reported after its whole body.
///
/// On Linux a server, or an attacker on a plain http connection, can end the process: Foundation traps at a
/// `Content-Length` of almost 2^63, at trailer fields and at a response that is cut off inside its head. Use
/// ``CurlTransport`` there, which is the default.
public struct URLSessionTransport: Transport {
  private let session: OwnedSession
  /// The error of every request if the arguments of `init` are not supported.
  private let configurationError: NetworkError?

  /// Creates a transport with a session of its own.
  ///
  /// The session is invalidated when the transport is deallocated and its exchanges have terminated. If an argument is
  /// not supported, every request fails with a `client` error with the code ``NetworkError/Code/invalidTransport``.
  /// - Parameters:
  ///   - configuration: The configuration of the session. It is copied, and its cache, cookies, stored credentials and
  ///     `waitsForConnectivity` are turned off; see ``NetworkClient/Configuration/waitsForConnectivity``. Its
  ///     `timeoutIntervalForRequest` has no effect; see ``HTTPRequest/idleTimeout``. A background configuration is not
  ///     supported. In `httpAdditionalHeaders`, fields of ``HTTPHeaders/secretNames``, those with names such as `token`
  ///     or `X-Session`, and values other than `String` are not supported: use `.bearer`, `.basic` or the client's
  ///     headers, which are only sent to their own origins. Default: `.default` with at most 64 connections per host.
  ///   - trust: The servers that are trusted, and the client's certificates. Apple's platforms support all settings
  ///     except an identity in PEM form; a refused certificate fails the request with
  ///     ``NetworkError/Code/untrustedCertificate``. On Linux the session evaluates servers by itself, and only the
  ///     default is supported. Default: the trust of the system.
  public init(configuration: URLSessionConfiguration? = nil, trust: Trust = Trust()) {
    let copy = configuration?.copy() as? URLSessionConfiguration ?? .default
    if configuration == nil { copy.httpMaximumConnectionsPerHost = 64 }
    copy.storeNothing()
    #if !canImport(FoundationNetworking)
    // The session may prefer its own interval if it is shorter than that of the request.
    copy.timeoutIntervalForRequest = URLRequest.maximumTimeout
    #endif
    do throws(NetworkError) {
      try copy.checkAddedHeaders()
      session = OwnedSession(copy, try SessionDelegate(trust, for: copy))
      configurationError = nil
    } catch {
      session = OwnedSession(.ephemeral, SessionDelegate())
      configurationError = error
    }
  }

  /// Sends the request over a connection of the session.
  ///
  /// - Parameter request: The request to send.
  /// - Returns: A signal of the exchange. It fails with a `network` error, usually with the URL loading system's code;
  ///   with ``NetworkError/Code/unreachable`` without a network; or with another `client` error if the request cannot
  ///   be sent.
  public func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    do throws(NetworkError) {
      if let configurationError { throw configurationError.attaching(request) }
      try request.validateForURLSession()
    } catch {
      return .fail(error)
    }
    return request.needsDeadline ? request.limited(start) : start(request)
  }

  private func start(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    #if canImport(FoundationNetworking)
    if case .stream(let stream) = request.body { return SpooledBody(request, stream).exchange(start) }
    #endif
    return Signal { [session] observer in session.start(request, observer) }
  }
}

extension HTTPRequest {
  /// Throws a `client` error if no session can send the request.
  package func validateForURLSession() throws(NetworkError) {
    try check()
    // `URLSession` would send these in upper case.
    let capitalizedMethods = ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT"]
    let capitalized = method.rawValue.uppercased()
    guard capitalizedMethods.contains(method.rawValue) || !capitalizedMethods.contains(capitalized) else {
      throw NetworkError(
        .invalidMethod,
        reason: "URLSession would send the method \(method.rawValue) as \(capitalized)",
        request: self)
    }
    // `URLSession` would fail by itself, but with the code of a response that is too large.
    guard method != .get || body.byteCount == 0 else {
      throw NetworkError(
        .invalidBody, reason: "URLSession can't send a GET request with a body: use CurlTransport", request: self)
    }
  }
}

extension URLSessionConfiguration {
  /// Disables cookies, the cache and stored credentials.
  package func storeNothing() {
    // On Linux the session's own cookie parser can crash the process.
    httpCookieAcceptPolicy = .never
    httpShouldSetCookies = false
    httpCookieStorage = nil
    urlCache = nil
    urlCredentialStorage = nil
    requestCachePolicy = .reloadIgnoringLocalCacheData
    #if !canImport(FoundationNetworking)
    // The client itself waits, and then builds and signs the request; the session would send what was signed before.
    waitsForConnectivity = false
    #endif
  }

  /// Throws if there are secrets: the session would also add them after a redirect to another origin.
  fileprivate func checkAddedHeaders() throws(NetworkError) {
    #if !canImport(FoundationNetworking)
    guard identifier == nil else {
      throw NetworkError(.invalidTransport, reason: "a background session requires BackgroundSessionTransport")
    }
    #endif
    let headers = httpAdditionalHeaders ?? [:]
    guard headers.allSatisfy({ $0.key is String && $0.value is String }) else {
      // On Linux the session would crash the process.
      httpAdditionalHeaders = nil
      throw NetworkError(.invalidTransport, reason: "a header field of the session's configuration is not a string")
    }
    let fields = headers.keys.compactMap { ($0 as? String).map { HTTPHeaders.Field(name: $0, value: "") } }
    let secrets = fields.filter(\.isSecret).map(\.name.singleLine).sorted().joined(separator: ", ")
    guard secrets.isEmpty else {
      throw NetworkError(
        .invalidTransport,
        reason: "the session's configuration adds \(secrets) to every request, also to one that a redirect sends to "
          + "another origin: use the header fields of the client")
    }
  }
}

private final class OwnedSession: Sendable {
  /// The maximum size of a file that is read into memory on Linux: 1 MiB.
  private static let inMemoryByteLimit = 1_048_576

  private let delegate: SessionDelegate
  private let session: URLSession

  private static var deliveryQueue: OperationQueue? {
    #if canImport(FoundationNetworking)
    DeliveryQueue()
    #else
    nil
    #endif
  }

  init(_ configuration: URLSessionConfiguration, _ delegate: SessionDelegate) {
    self.delegate = delegate
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: OwnedSession.deliveryQueue)
  }

  deinit { session.finishTasksAndInvalidate() }

  func start(_ request: HTTPRequest, _ observer: Observer<TransportEvent, NetworkError>) -> Disposable? {
    // The identity changed after its cookies were looked up; the fence reports that to the caller.
    if request.isStale { return nil }
    let task: URLSessionTask
    #if !canImport(FoundationNetworking)
    if case .stream(let stream) = request.body { return start(request, stream, observer) }
    #endif
    if case .file(let url) = request.body {
      guard let length = url.readableByteCount else {
        observer.fail(request.failure(ofFile: url))
        return nil
      }
      task = uploadTask(request, url.resolvingSymlinksInPath(), length)
    } else {
      task = session.dataTask(with: URLRequest(inForeground: request))
    }
    return start(SessionExchange(observer, task, request))
  }

  #if !canImport(FoundationNetworking)
  /// Starts a task that asks the delegate for the stream of its body.
  private func start(
    _ request: HTTPRequest, _ stream: BodyStream, _ observer: Observer<TransportEvent, NetworkError>
  ) -> Disposable? {
    var streamed = URLRequest(inForeground: request)
    // Without the field, the body is sent in chunks.
    if let count = stream.byteCount { streamed.setValue("\(count)", forHTTPHeaderField: "Content-Length") }
    let task = session.uploadTask(withStreamedRequest: streamed)
    var exchange = SessionExchange(observer, task, request)
    exchange.body = StreamedBody(
      stream, onWait: { [delegate] in delegate.exchanges.awaitSource($0, of: task) },
      onFailure: { [delegate] failure in
        guard let exchange = delegate.exchanges.remove(task) else { return }
        task.cancel()
        exchange.observer.fail(failure.attaching(request))
      })
    return start(exchange)
  }
  #endif

  private func start(_ exchange: SessionExchange) -> Disposable {
    let (task, request) = (exchange.task, exchange.request)
    if request.priority != .normal { task.priority = request.priority.ofTask }
    delegate.exchanges.add(exchange)
    task.resume()
    // The session lives until its last exchange terminates, so that none is cut off when the transport is deallocated.
    return Disposable { [self] in
      // Already removed if the task has ended by itself: then there is nothing to cancel.
      if delegate.exchanges.remove(task) != nil { task.cancel() }
    }
  }

  /// Returns the task that sends a file.
  ///
  /// On Linux the session uses the length of a symbolic link instead of that of its file, and it pauses while it
  /// reads a file: if the task is cancelled just then, it may crash the process. A small file is therefore sent from
  /// memory.
  private func uploadTask(_ request: HTTPRequest, _ url: URL, _ length: Int) -> URLSessionTask {
    #if canImport(FoundationNetworking)
    if length <= OwnedSession.inMemoryByteLimit, let data = try? Data(contentsOf: url), data.count == length {
      // Not as `httpBody`, with which Foundation adds the content type of a form.
      let urlRequest = URLRequest(inForeground: request)
      return data.isEmpty ? session.dataTask(with: urlRequest) : session.uploadTask(with: urlRequest, from: data)
    }
    #endif
    return session.uploadTask(with: URLRequest(inForeground: request), fromFile: url)
  }
}
