import Foundation

extension NetworkError {
  /// The error with at most 64 KiB of the bodies of its responses, and without longer bodies of its requests.
  var withoutLongBodies: NetworkError {
    var error = self
    error.request = request?.withoutLongBody
    error.response = response?.withoutLongBodies
    error.attemptBeforeRefresh = attemptBeforeRefresh?.withoutLongBodies
    return error
  }
}

extension HTTPRequest {
  /// The request, without its body if that is in memory and longer than 64 KiB, or streamed.
  var withoutLongBody: HTTPRequest {
    switch body {
    case .empty, .file: return self
    case .data(let data) where data.count <= 65_536: return self
    case .data, .stream: break
    }
    var request = self
    request.body = .empty
    return request
  }
}

extension Response<Data> {
  /// The response with at most 64 KiB of its body, and without a longer body of its request.
  var withoutLongBodies: Response {
    guard let request = details?.value.request else { return truncated }
    return truncated.updatingDetails { $0.request = request.withoutLongBody }
  }
}
