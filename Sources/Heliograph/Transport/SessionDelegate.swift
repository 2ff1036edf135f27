import Foundation
import Signals

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Brings what a session reports to the observer of each task.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
  typealias TaskObserver = Observer<TransportEvent, NetworkError>

  private struct Exchange {
    let observer: TaskObserver
    let startedAt = ContinuousClock.now
    let sentByteCount: Int
    let headerLimit: Int
    var firstByteAt: Duration?
    var receivedByteCount = 0

    var hasHead: Bool { firstByteAt != nil }

    var metrics: Metrics {
      Metrics(
        Metrics.Contents(
          startedAt: .zero, firstByteAt: firstByteAt, endedAt: .now - startedAt, sentByteCount: sentByteCount,
          receivedByteCount: receivedByteCount))
    }
  }

  private let exchanges = Guarded<[Int: Exchange]>([:])

  func add(_ observer: TaskObserver, for task: URLSessionTask, _ request: HTTPRequest) {
    let exchange = Exchange(
      observer: observer, sentByteCount: request.body.byteCount ?? 0, headerLimit: request.limits.headerByteCount)
    exchanges.withLock { $0[task.taskIdentifier] = exchange }
  }

  @discardableResult
  func remove(_ task: URLSessionTask) -> (observer: TaskObserver, metrics: Metrics)? {
    let exchange = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    return exchange.map { ($0.observer, $0.metrics) }
  }

  /// Ends an exchange with an error.
  private func fail(
    _ task: URLSessionTask, _ code: NetworkError.Code, _ reason: String, _ underlying: (any Error)? = nil
  ) {
    guard let (observer, metrics) = remove(task) else { return }
    observer.fail(NetworkError(.network, code, reason: reason, metrics: metrics, underlying: underlying))
  }

  /// The header fields; those that a session has joined are separated where joining them has changed what they say.
  private static func fields(of response: HTTPURLResponse) -> [HTTPHeaders.Field] {
    response.allHeaderFields.flatMap { key, value in
      // They are strings; to describe what may be anything costs ten times as much.
      let name = key.base as? String ?? String(describing: key)
      let value = value as? String ?? String(describing: value)
      let values = name.isEqualIgnoringCase(to: "Set-Cookie") ? SetCookie.separated(value) : [value]
      return values.map { HTTPHeaders.Field(name: name, value: $0) }
    }
  }

  /// The observer of a task, once it has been sent the head; `nil` if nobody listens or there is no head to send.
  ///
  /// A head is due with the response, but on Linux nothing is reported of a 3xx before its body or its end.
  private func observer(of task: URLSessionTask, responding response: URLResponse?) -> TaskObserver? {
    let exchange = exchanges.withLock { exchanges in
      let exchange = exchanges[task.taskIdentifier]
      if let exchange, !exchange.hasHead {
        exchanges[task.taskIdentifier]?.firstByteAt = .now - exchange.startedAt
      }
      return exchange
    }
    guard let exchange else { return nil }
    guard !exchange.hasHead else { return exchange.observer }
    guard let response = response as? HTTPURLResponse, let url = response.url ?? task.currentRequest?.url else {
      fail(task, .badResponse, "what came was no HTTP response")
      return nil
    }
    let fields = SessionDelegate.fields(of: response)
    guard fields.reduce(0, { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }) <= exchange.headerLimit else {
      fail(task, .responseTooLarge, "the head is longer than \(exchange.headerLimit) bytes")
      return nil
    }
    exchange.observer.send(.head(HTTPResponse(statusCode: response.statusCode, headers: HTTPHeaders(fields), url: url)))
    return exchange.observer
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    completionHandler(observer(of: dataTask, responding: response) == nil ? .cancel : .allow)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    guard totalBytesSent > 0, let exchange = exchanges.withLock({ $0[task.taskIdentifier] }) else { return }
    exchange.observer.send(.sent(byteCount: Int(totalBytesSent)))
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    guard let observer = observer(of: dataTask, responding: dataTask.response) else { return }
    exchanges.withLock { $0[dataTask.taskIdentifier]?.receivedByteCount += data.count }
    observer.send(.body(data))
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let error else {
      if observer(of: task, responding: task.response) != nil, let (observer, metrics) = remove(task) {
        observer.complete(with: .metrics(metrics))
      }
      return
    }
    let code = NetworkError.Code(rawValue: (error as NSError).code)
    fail(task, code, error.localizedDescription, error)
  }

  /// Redirects are answers; see `RedirectingTransport`.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }
}
