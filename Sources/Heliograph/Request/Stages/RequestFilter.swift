/// A stage that changes requests before they are signed: adds parameters, rewrites paths.
///
/// Filters run in order, those of the client before those of the service, once for each request that is built. A retry
/// builds the request again from the original description, so nothing is added twice.
public protocol RequestFilter: Sendable {
  /// Changes a request before it is signed.
  ///
  /// Called on the subscriber's thread.
  /// - Parameter draft: the request.
  /// - Throws: a `client` error to prevent the request from being sent.
  func filter(_ draft: inout RequestDraft) throws(NetworkError)
}
