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
#else
  import Foundation

  extension SessionDelegate {
    /// A challenge for credentials is an answer like any other: the 401 is delivered with its body.
    ///
    /// Whom to trust, how the device shows who it is, and how a proxy is to be signed in to, is the system's to say.
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      let space = challenge.protectionSpace
      let isSystems =
        space.isProxy()
        || [NSURLAuthenticationMethodServerTrust, NSURLAuthenticationMethodClientCertificate]
          .contains(space.authenticationMethod)
      completionHandler(isSystems ? .performDefaultHandling : .rejectProtectionSpace, nil)
    }
  }
#endif
