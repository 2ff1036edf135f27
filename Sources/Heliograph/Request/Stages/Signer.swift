/// Signs requests, so that a server knows who they are from and that nobody has changed them on the way.
public protocol Signer: Sendable {
  /// Adds what proves the request to be ours: the last step before the wire, done anew for every attempt.
  ///
  /// Called on the subscriber's thread.
  /// - Parameter draft: the request; all of its parts are there.
  /// - Throws: a `client` error if it cannot be signed.
  func sign(_ draft: inout RequestDraft) throws(NetworkError)
}
