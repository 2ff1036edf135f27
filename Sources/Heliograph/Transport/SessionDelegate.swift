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
    var hasHead = false
  }

  private let exchanges = Guarded<[Int: Exchange]>([:])

  func add(_ observer: TaskObserver, for task: URLSessionTask) {
    exchanges.withLock { $0[task.taskIdentifier] = Exchange(observer: observer) }
  }

  @discardableResult
  func remove(_ task: URLSessionTask) -> TaskObserver? {
    exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.observer
  }

  /// The observer of a task, once it has been sent the head; `nil` if nobody listens or there is no head to send.
  ///
  /// A head is due with the response, but on Linux nothing is reported of a 3xx before its body or its end.
  private func observer(of task: URLSessionTask, responding response: URLResponse?) -> TaskObserver? {
    let (observer, isDue) = exchanges.withLock { exchanges in
      let exchange = exchanges[task.taskIdentifier]
      exchanges[task.taskIdentifier]?.hasHead = true
      return (exchange?.observer, exchange?.hasHead == false)
    }
    guard isDue else { return observer }
    guard let response = response as? HTTPURLResponse, let url = response.url ?? task.currentRequest?.url else {
      remove(task)?.fail(NetworkError(.network, .badResponse, reason: "what came was no HTTP response"))
      return nil
    }
    let fields = response.allHeaderFields.map {
      HTTPHeaders.Field(name: String(describing: $0.key), value: String(describing: $0.value))
    }
    observer?.send(.head(HTTPResponse(statusCode: response.statusCode, headers: HTTPHeaders(fields), url: url)))
    return observer
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    completionHandler(observer(of: dataTask, responding: response) == nil ? .cancel : .allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    observer(of: dataTask, responding: dataTask.response)?.send(.body(data))
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let error else {
      if let observer = observer(of: task, responding: task.response) {
        remove(task)
        observer.complete()
      }
      return
    }
    let code = NetworkError.Code(rawValue: (error as NSError).code)
    remove(task)?.fail(NetworkError(.network, code, reason: error.localizedDescription, underlying: error))
  }

  /// Redirects are answers; see `RedirectingTransport`.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }
}
