import Foundation
public import Signals

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Carries requests over Foundation's `URLSession`.
///
/// It follows no redirects, answers no challenges and stores nothing: the first is ``RedirectingTransport``'s task, and
/// a 401 is an answer like any other. Events are delivered on the session's own serial queue.
///
/// On Linux, `URLSession` joins repeated header fields into one and reports every TLS failure with the code -1.
public struct URLSessionTransport: Transport {
  private let session: Session

  /// Makes a transport with a session of its own.
  ///
  /// The session ends when the transport is gone and the exchanges under way have ended.
  /// - Parameter configuration: how the session works; its cache is switched off. Default: `.default` with at most 64
  ///   connections for each host.
  public init(configuration: URLSessionConfiguration? = nil) {
    let chosen = configuration ?? .default
    if configuration == nil { chosen.httpMaximumConnectionsPerHost = 64 }
    chosen.urlCache = nil
    chosen.requestCachePolicy = .reloadIgnoringLocalCacheData
    session = Session(chosen)
  }

  /// The exchange, on a connection of the session's.
  ///
  /// - Parameter request: what to send.
  /// - Returns: the signal; it fails with a `network` error that keeps the URL loading system's code.
  public func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    Signal { [session] observer in session.start(URLRequest(request), observer) }
      .timeout(
        request.timeout,
        failing: NetworkError(
          .network, .timedOut, reason: "no answer within \(request.timeout)", request: request))
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

/// A session and what listens to it.
private final class Session: Sendable {
  private let delegate = SessionDelegate()
  private let session: URLSession

  init(_ configuration: URLSessionConfiguration) {
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  deinit { session.finishTasksAndInvalidate() }

  func start(_ request: URLRequest, _ observer: Observer<TransportEvent, NetworkError>) -> Disposable {
    let task = session.dataTask(with: request)
    delegate.add(observer, for: task)
    task.resume()
    // The session is kept until its last exchange is over, so that none is cut off with the transport.
    return Disposable { [self] in
      // Gone already when the task has ended by itself: then there is nothing to cancel.
      if delegate.remove(task) != nil { task.cancel() }
    }
  }
}
