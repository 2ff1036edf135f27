import Foundation

extension ResponseReader {
  /// What an error of a stage amounts to: it keeps the response and the request.
  ///
  /// - Parameters:
  ///   - error: what the stage threw.
  ///   - response: the response.
  ///   - type: what was to be read. Default: not known.
  ///   - prefix: what the reason begins with. Default: nothing.
  /// - Returns: the error.
  func failure(
    _ error: any Error, _ response: Response<Data>, of type: Any.Type? = nil, prefix: String = ""
  ) -> NetworkError {
    if let error = error as? NetworkError { return placed(error, response, type, prefix) }
    if let wrong = error as? WrongKind {
      return failure(wrong.error, response, prefix: "Response wasn't an array or dictionary: ")
    }
    if case .dataCorrupted(let context)? = error as? DecodingError, context.codingPath.isEmpty {
      return malformed(context, response, prefix, error)
    }
    let (reason, words) = explanation(error)
    let failure = NetworkError(
      .processing, .unexpectedShape, reason: prefix + reason, request: request, response: response, underlying: error)
    return words.map(failure.quoting) ?? failure
  }

  /// A 304 to a request that had no condition: there is nothing that it could leave unchanged.
  func unaskedFailure(_ response: Response<Data>) -> NetworkError {
    NetworkError(
      .server, 304, reason: "HTTP status 304, though the request had no condition", request: request, response: response
    )
  }

  private func placed(
    _ error: NetworkError, _ response: Response<Data>, _ type: Any.Type?, _ prefix: String
  ) -> NetworkError {
    var error = error
    // Once: an error that has its response has been here before.
    if error.isBadEnvelope, error.response == nil {
      error = error.because("\(prefix)\(error.loggedReason)\(type.map { " (\($0))" } ?? "")").quoting(response.excerpt)
    }
    error.response = error.response ?? response
    return request.map(error.blaming) ?? error
  }

  /// The body is not JSON: often a page of HTML by somebody in between.
  private func malformed(
    _ context: DecodingError.Context, _ response: Response<Data>, _ prefix: String, _ error: any Error
  ) -> NetworkError {
    let fault = (context.underlyingError as? BodyFault)?.text ?? "the body is not valid"
    let contentType = response.headers["Content-Type"].map { ", Content-Type \($0)" } ?? ", no Content-Type"
    let coding = response.headers["Content-Encoding"].map { ", Content-Encoding \($0)" } ?? ""
    return NetworkError(
      .processing, .malformedBody, reason: prefix + fault + contentType + coding, request: request, response: response,
      underlying: error
    ).quoting(response.excerpt)
  }

  /// The path of what is wrong, and what is; apart from that the words of the body that a decoder quotes.
  private func explanation(_ error: any Error) -> (reason: String, words: String?) {
    guard let error = error as? DecodingError else { return ("the decoder threw \(type(of: error))", "\(error)") }
    switch error {
    case .keyNotFound(let key, let context): return ("\((context.codingPath + [key]).pathText) is missing", nil)
    case .valueNotFound(let type, let context): return ("\(context.codingPath.pathText) is null, not \(type)", nil)
    case .typeMismatch(let type, let context): return ("\(context.codingPath.pathText) is not \(type)", nil)
    case .dataCorrupted(let context):
      let path = context.codingPath.pathText
      if let fault = context.underlyingError as? BodyFault { return ("\(path): \(fault.text)", nil) }
      return ("\(path) is not valid", context.debugDescription)
    @unknown default: return ("the body cannot be decoded", "\(error)")
    }
  }
}

extension Response<Data> {
  /// The beginning of the body, for a developer's eyes.
  fileprivate var excerpt: String {
    let count = NetworkError.excerptByteCount
    let text = String(decoding: value.prefix(count), as: UTF8.self)
    return value.count > count ? text + "…" : text
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
