public import Signals

// On Apple's systems all of it is in Foundation.
#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// Carries requests over Foundation's `URLSession`.
///
/// It follows no redirects, answers no challenges and stores nothing: the first is ``RedirectingTransport``'s task, cookies
/// are ``CookieTransport``'s, and a 401 is an answer like any other. Events are delivered on the session's own serial
/// queue, but for time-outs, which come from the system's concurrent one.
///
/// A body that is a stream is first written to a temporary file, which is removed afterwards: `URLSession` sends what has
/// a length. Of ``Metrics`` it knows all that ``CurlTransport`` does on Apple's systems; on Linux when it began, when the head came
/// and when it ended, and the bytes of the bodies.
///
/// A request's ``HTTPRequest/priority`` is its task's, which the session takes as a hint; on Linux it makes no difference.
/// For an order that is kept there is ``LimitingTransport``.
///
/// A consumer that falls behind, such as one behind `observe(on:)`, pauses its task on Apple's systems, and with it the server.
/// On Linux a task cannot be paused: what arrives meanwhile waits in memory, and ``CurlTransport`` is the one to use.
///
/// The session itself may send a request with an idempotent method again, on a new connection; ``Metrics/resendCount`` says so on
/// Apple's systems, and no ``RetryBudget`` counts it.
///
/// `URLSession` sends no body with `GET`: such a request fails with a `client` error with the code
/// ``NetworkError/Code/invalidBody``. It joins repeated header fields into one; only `Set-Cookie` is separated again. On Linux it reports every
/// TLS failure with the code -1.
public struct URLSessionTransport: Transport {
  private let session: Session
  /// Why nothing can be sent: what `init` was given cannot be done.
  private let refusal: NetworkError?

  /// Makes a transport with a session of its own.
  ///
  /// The session ends when the transport is gone and the exchanges in flight have ended.
  /// What cannot be done makes every request fail with a `client` error with the code ``NetworkError/Code/invalidTransport``.
  /// - Parameters:
  ///   - configuration: how the session works; it is copied, and cache, cookies and stored credentials are switched off. A field of
  ///     ``HTTPHeaders/secretNames`` among its `httpAdditionalHeaders` cannot be done: use ``AuthorizationMiddleware`` or the
  ///     client's headers, which stay with their own origins. Default: `.default` with at most 64 connections for each host.
  ///   - trust: which servers are trusted, and how the client shows who it is. On Apple's systems all of it works but an identity in
  ///     PEM form; a certificate that is refused fails the request with ``NetworkError/Code/untrustedCertificate``. On Linux the
  ///     session judges servers by itself, and nothing else can be done. Default: what the system trusts.
  public init(configuration: URLSessionConfiguration? = nil, trust: Trust = Trust()) {
    let chosen = configuration?.copy() as? URLSessionConfiguration ?? .default
    if configuration == nil { chosen.httpMaximumConnectionsPerHost = 64 }
    // On Linux the session's own reader of cookies can crash the process.
    chosen.httpCookieAcceptPolicy = .never
    chosen.httpShouldSetCookies = false
    chosen.httpCookieStorage = nil
    chosen.urlCache = nil
    chosen.urlCredentialStorage = nil
    chosen.requestCachePolicy = .reloadIgnoringLocalCacheData
    do throws(NetworkError) {
      try chosen.checkAddedHeaders()
      session = Session(chosen, try SessionDelegate(trust, for: chosen))
      refusal = nil
    } catch {
      session = Session(chosen, SessionDelegate())
      refusal = error
    }
  }

  /// The exchange, on a connection of the session's.
  ///
  /// - Parameter request: what to send.
  /// - Returns: the signal; it fails with a `network` error that keeps the URL loading system's code, or with a `client`
  ///   error when the request cannot be sent.
  public func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    do throws(NetworkError) {
      if let refusal { throw refusal.blaming(request) }
      try request.check()
      // It would fail by itself, with the code of a response that is too large.
      guard request.method != .get || request.body.byteCount == 0 else {
        throw NetworkError(.client, .invalidBody, reason: "URLSession sends no body with GET", request: request)
      }
    } catch {
      return .fail(error)
    }
    return request.needsDeadline ? request.limited(start) : start(request)
  }

  private func start(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    if case .stream(let stream) = request.body { return SpooledBody(request, stream).exchange(start) }
    return Signal { [session] observer in session.start(request, observer) }
  }
}

extension URLSessionConfiguration {
  /// Throws if there are secrets: the session would add them behind a redirect to another origin, too.
  fileprivate func checkAddedHeaders() throws(NetworkError) {
    let secrets = (httpAdditionalHeaders ?? [:]).keys.compactMap { $0 as? String }.filter { HTTPHeaders.isSecret($0) }
    guard secrets.isEmpty else {
      throw NetworkError(
        .client, .invalidTransport,
        reason: "the session adds \(secrets.sorted().joined(separator: ", ")) to every request")
    }
  }
}

extension URLRequest {
  fileprivate init(_ request: HTTPRequest) {
    // The transport's own clock decides, with finer grain: this is only there so that nothing waits for ever.
    let seconds = Double(request.timeout.components.seconds)
    self.init(url: request.url, timeoutInterval: seconds + 10)
    httpMethod = request.method.rawValue
    for field in request.headers { addValue(field.value, forHTTPHeaderField: field.name) }
    if case .data(let data) = request.body { httpBody = data }
  }
}

extension RequestPriority {
  fileprivate var ofTask: Float {
    switch self {
    case .low: URLSessionTask.lowPriority
    case .normal: URLSessionTask.defaultPriority
    case .high: URLSessionTask.highPriority
    }
  }
}

/// A session and what listens to it.
private final class Session: Sendable {
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
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: Session.deliveryQueue)
  }

  deinit { session.finishTasksAndInvalidate() }

  func start(_ request: HTTPRequest, _ observer: Observer<TransportEvent, NetworkError>) -> Disposable? {
    // Its identity was left since its cookies were looked up: whoever waits for it hears of that from the fence.
    if request.isLeft { return nil }
    let task: URLSessionTask
    if case .file(let url) = request.body {
      guard FileManager.default.isReadableFile(atPath: url.path) else {
        observer.fail(NetworkError(.client, .invalidBody, reason: "\(url.path) cannot be read", request: request))
        return nil
      }
      // On Linux the session takes the length of a link for that of its file.
      task = session.uploadTask(with: URLRequest(request), fromFile: url.resolvingSymlinksInPath())
    } else {
      task = session.dataTask(with: URLRequest(request))
    }
    if request.priority != .normal { task.priority = request.priority.ofTask }
    delegate.exchanges.add(SessionExchange(observer, task, request))
    task.resume()
    // The session is kept until its last exchange is over, so that none is cut off with the transport.
    return Disposable { [self] in
      // Gone already when the task has ended by itself: then there is nothing to cancel.
      if delegate.exchanges.remove(task) != nil { task.cancel() }
    }
  }
}
