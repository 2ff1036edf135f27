import Foundation

extension ResponseReader {
  /// What an error of a stage amounts to: it keeps the response and the request.
  func failure(_ error: any Error, _ response: Response<Data>, prefix: String = "") -> NetworkError {
    if var error = error as? NetworkError {
      error.response = error.response ?? response
      return request.map(error.blaming) ?? error
    }
    if let wrong = error as? WrongKind {
      return failure(wrong.error, response, prefix: "Response wasn't an array or dictionary: ")
    }
    var isMalformed = false
    if case .dataCorrupted(let context)? = error as? DecodingError { isMalformed = context.codingPath.isEmpty }
    return NetworkError(
      .processing, isMalformed ? .malformedBody : .unexpectedShape, reason: prefix + explanation(error),
      request: request, response: response, underlying: error)
  }

  /// The path of what is wrong, and what is.
  private func explanation(_ error: any Error) -> String {
    guard let error = error as? DecodingError else { return "\(error)" }
    switch error {
    case .keyNotFound(let key, let context): return "\((context.codingPath + [key]).pathText) is missing"
    case .valueNotFound(let type, let context): return "\(context.codingPath.pathText) is null, not \(type)"
    case .typeMismatch(let type, let context): return "\(context.codingPath.pathText) is not \(type)"
    case .dataCorrupted(let context): return "\(context.codingPath.pathText): \(context.debugDescription)"
    @unknown default: return "\(error)"
    }
  }
}

extension NetworkError {
  /// What a caller's transform threw.
  init(transform error: any Error) {
    self =
      (error as? NetworkError)
      ?? NetworkError(.processing, .transformFailed, reason: "the transform threw", underlying: error)
  }
}
