#if canImport(FoundationNetworking)
package import FoundationNetworking
#else
package import Foundation
#endif

extension SessionDelegate {
  /// Handles TLS challenges by the transport's ``Trust``; a 401 is delivered like any other response.
  package func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    #if canImport(Security)
    switch trust?.decision(on: challenge) ?? .system {
    case .system: completionHandler(.performDefaultHandling, nil)
    case .credential(let credential): completionHandler(.useCredential, credential)
    case .trusted(let credential):
      _ = exchanges.update(task) { $0.isTrusted = true }
      completionHandler(.useCredential, credential)
    case .response: completionHandler(.rejectProtectionSpace, nil)
    case .rejection(let reason):
      fail(task, .untrustedCertificate, reason)
      completionHandler(.cancelAuthenticationChallenge, nil)
    }
    #else
    // On Linux the challenge arrives after the head and the body of the 401, in place of the completion. Only a
    // credential would complete the task, so the exchange ends here.
    if observer(of: task, responding: task.response) != nil, let exchange = exchanges.remove(task) {
      exchange.observer.complete(with: .metrics(exchange.metrics))
    }
    completionHandler(.cancelAuthenticationChallenge, nil)
    #endif
  }
}
