#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking

  extension SessionDelegate {
    /// A challenge for credentials is an answer like any other.
    ///
    /// On Linux it comes after the head and the body of the 401, in place of the completion, and nothing but a credential
    /// would ever complete the task: so the exchange ends here. Elsewhere the system delivers the 401 by itself.
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      if let exchange = exchanges.remove(task) { exchange.observer.complete(with: .metrics(exchange.metrics)) }
      completionHandler(.cancelAuthenticationChallenge, nil)
    }
  }
#endif
