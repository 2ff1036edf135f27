/// A stage that signs requests, so that a server can verify their sender and integrity.
public protocol Signer: Sendable {
  /// Signs a request: the last step before sending, repeated for every attempt.
  ///
  /// Called on the subscriber's thread.
  /// - Parameter draft: the complete request.
  /// - Throws: a `client` error if it cannot be signed.
  func sign(_ draft: inout RequestDraft) throws(NetworkError)
}
