import Foundation

/// The attempt of a request whose failure needed a refresh, for the error of the refresh.
struct FailedAttempt: Sendable {
  /// The request as sent, if it was built.
  let request: HTTPRequest?
  /// The response that showed the need, if there is one.
  let response: Response<Data>?

  /// Takes the request and the response of the failure.
  init(_ error: NetworkError) { self.init(error.request, error.response) }

  init(_ request: HTTPRequest?, _ response: Response<Data>?) {
    self.request = request
    self.response = response
  }
}
