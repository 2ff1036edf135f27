import Foundation

extension NetworkError {
  /// Returns the error with at most `limit` bytes of the bodies of its responses, and without longer bodies of its
  /// requests.
  package func withoutBodies(over limit: Int) -> NetworkError {
    var error = self
    error.request = request?.withoutBody(over: limit)
    error.response = response?.withoutBodies(over: limit)
    error.marks.attemptBeforeRefresh = marks.attemptBeforeRefresh?.withoutBodies(over: limit)
    if let cause = underlying as? NetworkError { error.underlying = cause.withoutBodies(over: limit) }
    return error
  }
}

extension FailedAttempt {
  fileprivate func withoutBodies(over limit: Int) -> FailedAttempt {
    FailedAttempt(request?.withoutBody(over: limit), response?.withoutBodies(over: limit))
  }
}

extension HTTPRequest {
  /// Whether the request has a body that is in memory and longer than `limit`, or streamed, or a closure for redirects.
  func hasBody(over limit: Int) -> Bool { isLong(limit) || context.unsigned?.isLong(limit) == true }

  /// Returns the request without its body if that is in memory and longer than `limit`, or streamed, and without a
  /// closure for redirects: it may retain anything, as the source of a stream.
  package func withoutBody(over limit: Int) -> HTTPRequest {
    var request = self
    if body.isLong(limit) { request.body = .empty }
    if asksAboutRedirects { request.redirects = nil }
    if context.unsigned?.isLong(limit) == true { request.context.unsigned = nil }
    return request
  }

  private func isLong(_ limit: Int) -> Bool { body.isLong(limit) || asksAboutRedirects }
}

extension HTTPBody {
  /// Whether the body is in memory and longer than `limit`, or streamed: a stream retains whatever its source needs.
  fileprivate func isLong(_ limit: Int) -> Bool {
    switch self {
    case .empty, .file: false
    case .data(let data): data.count > limit
    case .stream: true
    }
  }
}

extension Response<Data> {
  fileprivate func withoutBodies(over limit: Int) -> Response {
    let response = truncated(to: limit)
    guard let request = details?.value.request else { return response }
    return response.updatingDetails { $0.request = request.withoutBody(over: limit) }
  }
}
