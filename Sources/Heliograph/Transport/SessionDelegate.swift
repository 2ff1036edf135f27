import Foundation
import Signals
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Brings what a session reports to the observer of each task.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
  typealias TaskObserver = Observer<TransportEvent, NetworkError>

  private let observers = Mutex<[Int: TaskObserver]>([:])

  func add(_ observer: TaskObserver, for task: URLSessionTask) {
    observers.withLock { $0[task.taskIdentifier] = observer }
  }

  @discardableResult
  func remove(_ task: URLSessionTask) -> TaskObserver? {
    observers.withLock { $0.removeValue(forKey: task.taskIdentifier) }
  }

  private func observer(of task: URLSessionTask) -> TaskObserver? {
    observers.withLock { $0[task.taskIdentifier] }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    guard let observer = observer(of: dataTask) else { return completionHandler(.cancel) }
    guard let response = response as? HTTPURLResponse, let url = response.url ?? dataTask.currentRequest?.url else {
      observer.fail(NetworkError(.network, .badResponse, reason: "what came was no HTTP response"))
      return completionHandler(.cancel)
    }
    let fields = response.allHeaderFields.map {
      HTTPHeaders.Field(name: String(describing: $0.key), value: String(describing: $0.value))
    }
    observer.send(
      .head(HTTPResponse(statusCode: response.statusCode, headers: HTTPHeaders(fields), url: url)))
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    observer(of: dataTask)?.send(.body(data))
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let observer = remove(task) else { return }
    guard let error else { return observer.complete() }
    let code = NetworkError.Code(rawValue: (error as NSError).code)
    observer.fail(NetworkError(.network, code, reason: error.localizedDescription, underlying: error))
  }

  /// Redirects are answers; see `RedirectingTransport`.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  /// A challenge for credentials is an answer too: without this, a 401 never completes on Linux.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let isForCredentials = [
      NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodHTTPDigest, NSURLAuthenticationMethodDefault,
    ].contains(challenge.protectionSpace.authenticationMethod)
    completionHandler(isForCredentials ? .useCredential : .performDefaultHandling, nil)
  }
}
