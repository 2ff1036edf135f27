import Foundation

extension NetworkError {
  /// The error with at most 64 KiB of the bodies of its responses, and without longer bodies of its requests.
  var withoutLongBodies: NetworkError {
    var error = self
    error.request = request?.withoutLongBody
    error.response = response?.withoutLongBodies
    error.attemptBeforeRefresh = attemptBeforeRefresh?.withoutLongBodies
    if let cause = underlying as? NetworkError { error.underlying = cause.withoutLongBodies }
    return error
  }
}

extension HTTPRequest {
  /// The request, without its body if that is in memory and longer than 64 KiB, or streamed.
  var withoutLongBody: HTTPRequest {
    var request = self
    if body.isLong { request.body = .empty }
    if context.unsigned?.body.isLong == true { request.context.unsigned = nil }
    return request
  }
}

extension HTTPBody {
  /// Whether the body is in memory and longer than 64 KiB, or streamed.
  fileprivate var isLong: Bool {
    switch self {
    case .empty, .file: false
    case .data(let data): data.count > 65_536
    case .stream: true
    }
  }
}

extension Response<Data> {
  /// The response with at most 64 KiB of its body, and without a longer body of its request.
  var withoutLongBodies: Response {
    guard let request = details?.value.request else { return truncated }
    return truncated.updatingDetails { $0.request = request.withoutLongBody }
  }
}
