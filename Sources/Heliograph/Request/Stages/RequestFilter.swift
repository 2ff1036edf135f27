/// Changes requests before they are signed: adds parameters, rewrites paths.
///
/// Filters run in order, those of the client before those of the service, once for each request that is built. A retry
/// builds the request anew from what the caller wanted, so nothing is added twice. Requirement S1-25.
public protocol RequestFilter: Sendable {
  /// Changes a request that is not signed yet.
  ///
  /// Called on the subscriber's thread.
  /// - Parameter draft: the request.
  /// - Throws: a `client` error if it must not be sent.
  func filter(_ draft: inout RequestDraft) throws(NetworkError)
}
