import Foundation
import Signals

extension ResponseReader {
  /// Returns the error for a failure of a stage, with the response and the request.
  func failure(
    _ error: any Error, _ response: Response<Data>, of type: Any.Type? = nil, prefix: String = ""
  ) -> NetworkError {
    switch error {
    case let error as NetworkError: return completed(error, response, type, prefix)
    case let mismatch as WrongKind: return failure(mismatch, response, type, prefix)
    case DecodingError.dataCorrupted(let context)
    where context.codingPath.isEmpty && !(context.underlyingError is RejectedRoot):
      let fault = context.underlyingError as? JSONFault
      return unreadable(
        .malformedBody, prefix + (fault?.locatedText ?? "the body is not valid"), response, type, error,
        quoting: fault?.location.map { "at \($0)" })
    default:
      let (reason, quotation) = explanation(error, of: type)
      // Any other error is one of the app's own code.
      let code: NetworkError.Code = error is DecodingError ? .unexpectedShape : .transformFailed
      return unreadable(code, prefix + reason, response, type, error.withoutPath, quoting: quotation)
    }
  }

  /// Terminates the results of a 304, which has no body, and after an unconditional request nothing to confirm.
  func endUnmodified(_ response: Response<Data>, _ observer: Observer<Response<Data>, NetworkError>) {
    let reason: String? =
      if response.isUnexpected304 {
        "unexpected HTTP status 304: the request was unconditional"
      } else if expectsOneValue, !allowsNotModified {
        "HTTP status 304: not modified, without a value"
      } else {
        nil
      }
    guard let reason else { return observer.complete() }
    observer.fail(
      NetworkError(.status(304), reason: reason, request: response.request ?? request, response: response))
  }

  /// Returns the error of a response that a validator has rejected; if the envelope reports a failure, that is the
  /// error and not the consequence that a validator found in the body, such as a missing payload.
  func refusal(_ error: NetworkError, _ response: Response<Data>) -> NetworkError {
    guard error.domain == .processing, let reported = reportedFailure(response), reported.domain == .api else {
      return error
    }
    return reported
  }

  private func completed(
    _ error: NetworkError, _ response: Response<Data>, _ type: Any.Type?, _ prefix: String
  ) -> NetworkError {
    var error = error
    // An error with a response is already complete.
    if error.code == .invalidEnvelope, error.response == nil {
      error = error.withReason("\(prefix)\(error.loggedReason)\(type.map { " (\($0))" } ?? "")").withExcerpt(
        response.excerpt)
    }
    // A status, or a validator's own code, remains the code of the error. The envelope's own error is complete.
    if [.server, .api].contains(error.domain), !error.marks.isOfEnvelope, error.serverMessage == nil,
      let reported = reportedFailure(response)
    {
      error = error.withServerMessage(reported.serverMessage, reported.serverCode)
      if error.domain == .server, let code = error.serverCode {
        // The code alone: the message may contain personal data, and the reason is logged.
        error = error.withReason(error.loggedReason.isEmpty ? "code \(code)" : "\(error.loggedReason), code \(code)")
      }
      error.meaning = error.meaning ?? reported.meaning
    }
    error.response = error.response ?? response
    error.metrics = error.metrics ?? error.response?.metrics
    return (response.request ?? request).map(error.attaching) ?? error
  }

  /// Keeps a successful response that is delivered as received out of the cache if its envelope reports a failure.
  func withholdFailure(_ response: Response<Data>) {
    guard let decision, 200..<300 ~= response.statusCode, !response.source.isCached, response.source != .revalidated,
      reportedFailure(response)?.domain == .api
    else { return }
    decision.reject(isUnreadable: true)
  }

  /// Returns the failure reported by the envelope of a response that is rejected, such as a 422, or not read at all.
  ///
  /// The elements of an array have envelopes, too, unless the body is delivered as received: `[{"code":"US"}]` may be a
  /// list of countries.
  private func reportedFailure(_ response: Response<Data>) -> NetworkError? {
    // A longer body is unlikely to be the envelope of an error.
    guard let wrapper, !response.value.isEmpty, response.value.count <= 65_536 else { return nil }
    do {
      let context = DecodingContext(wrapper)
      let opened =
        deliversBody
        ? try unwrap(NoContent.self, response, context).annotated(on: response, context)
        : try checkingEnvelope(response, wrapper)
      guard !(200..<300).contains(response.statusCode), (opened.resultCode ?? "").isEmpty,
        let text = opened.resultMessage, (wrapper as? KeyedEnvelope)?.reportsOnlyFailures == true
      else { return nil }
      return EnvelopeFields.failure("", text)
    } catch {
      return error as? NetworkError
    }
  }

  private func failure(
    _ mismatch: WrongKind, _ response: Response<Data>, _ type: Any.Type?, _ prefix: String
  ) -> NetworkError {
    let kind = mismatch.kind ?? mismatch.error.flatMap(DecodeReport.Entry.kind(foundBy:))
    let text = "is \(kind.map { "\($0.withArticle), " } ?? "")not \(type.map { "\($0)" } ?? "an object")"
    let isScalar = kind != nil && kind != "array" && kind != "object"
    // The text of a type's own error, or of a case of an enumeration that is unknown.
    var quotations = [mismatch.path.unredactedLocation]
    if kind == nil, case DecodingError.typeMismatch(_, let context)? = mismatch.error {
      quotations.append(context.debugDescription)
    }
    return unreadable(
      .unexpectedShape,
      prefix + (isScalar ? "Response wasn't an array or dictionary: " : "") + "\(mismatch.path.loggedPathText) \(text)",
      response, type, mismatch.error, quoting: quotations.compactMap { $0 }.joined(separator: ": "))
  }

  /// Returns the error of a body that cannot be decoded, often an HTML page of a proxy.
  ///
  /// The logged reason contains the path, the type and the content type. Only ``NetworkError/reason`` quotes the body.
  private func unreadable(
    _ code: NetworkError.Code, _ fault: String, _ response: Response<Data>, _ type: Any.Type?,
    _ underlying: (any Error)?, quoting quotation: String? = nil
  ) -> NetworkError {
    let target = type.map { ", decoding \($0)" } ?? ""
    let field = response.headers["Content-Type"]
    let contentType = field.map { ", Content-Type \($0.loggedMediaType)" } ?? ", no Content-Type"
    let coding = response.headers["Content-Encoding"].map { ", Content-Encoding \($0.loggedCoding)" } ?? ""
    return NetworkError(
      code, reason: fault + target + contentType + coding, request: response.request ?? request, response: response,
      underlying: underlying
    ).withExcerpt([quotation, response.excerpt].compactMap { $0 }.joined(separator: "; body: "))
  }

  /// Returns the path of the fault with its cause, and separately the text that quotes the body and is not logged.
  private func explanation(_ error: any Error, of type: Any.Type?) -> (reason: String, quotation: String?) {
    if let pathless = error as? PathlessError {
      let (reason, quotation) = explanation(pathless.error, of: type)
      let quotations = [pathless.path.unredactedLocation, quotation].compactMap { $0 }
      return ("\(pathless.path.loggedPathText): \(reason)", quotations.joined(separator: ": "))
    }
    guard let error = error as? DecodingError else { return ("the decoder threw \(Swift.type(of: error))", "\(error)") }
    switch error {
    case .keyNotFound(let key, let context):
      let path = context.codingPath + [key]
      return ("\(path.loggedPathText) is missing", path.unredactedLocation)
    case .valueNotFound(let type, let context):
      let path = context.codingPath
      return ("\(path.loggedPathText) is null, not \(DecodeReport.Entry.name(type))", path.unredactedLocation)
    case .typeMismatch(let expectedType, let context):
      let expected = context.codingPath.isEmpty ? type.map { "\($0)" } : nil
      let name = expected ?? DecodeReport.Entry.name(expectedType)
      let found = DecodeReport.Entry.kind(foundBy: error).map { "\($0.withArticle), " } ?? ""
      return ("\(context.codingPath.loggedPathText) is \(found)not \(name)", context.codingPath.unredactedLocation)
    case .dataCorrupted(let context):
      let path = context.codingPath
      if let fault = context.underlyingError as? JSONFault {
        return ("\(path.loggedPathText): \(fault.locatedText)", path.unredactedLocation)
      }
      let quotations = [path.unredactedLocation, context.debugDescription].compactMap { $0 }
      return ("\(path.loggedPathText) is not valid", quotations.joined(separator: ": "))
    @unknown default: return ("the body cannot be decoded", "\(error)")
    }
  }
}

/// The error of an array element that has no path of its own, such as one thrown by the element's type.
struct PathlessError: Error {
  let path: [any CodingKey]
  let error: any Error
}

extension Error {
  fileprivate var withoutPath: any Error { (self as? PathlessError)?.error.withoutPath ?? self }
}

extension [any CodingKey] {
  /// The full path as `at …`, for text that is never logged; `nil` if the logged path is already complete.
  fileprivate var unredactedLocation: String? { pathText == loggedPathText ? nil : "at \(pathText)" }
}

extension String {
  /// The name of a kind of JSON value with its article: "a string", "an object", "null".
  fileprivate var withArticle: String {
    switch self {
    case "null": self
    case "array", "object": "an \(self)"
    default: "a \(self)"
    }
  }
}

extension Response<Data> {
  fileprivate var excerpt: String {
    let count = NetworkError.excerptByteCount
    let charset = headers["Content-Type"]?.charset
    let text = String(value.prefix(count), charset: charset)
    return value.count > count ? text + "…" : text
  }
}

extension NetworkError {
  init(transform error: any Error) {
    self =
      (error as? NetworkError)
      ?? NetworkError(.transformFailed, reason: "`transform` threw \(Swift.type(of: error))", underlying: error)
      .withExcerpt("\(error)")
  }

  /// Decodes the body of the response, such as the details that a server sends with an error status.
  ///
  /// A `String` or `Data` is the whole body of any content type, as for a successful response.
  /// - Parameters:
  ///   - type: The type to decode.
  ///   - coding: The rules for JSON. Default: see ``JSONCoding``.
  /// - Returns: The value.
  /// - Throws: A `processing` error if there is no body, or if it cannot be decoded as this type.
  public func decode<Value: Decodable>(
    as type: Value.Type, coding: JSONCoding = JSONCoding()
  ) throws(NetworkError) -> Value {
    guard let response, !response.value.isEmpty else {
      throw NetworkError(.emptyBody, reason: "the error has no body", request: request, response: response)
    }
    if let whole = type as? any WholeBodyResult.Type,
      let value = whole.init(wholeBody: response, decoder: coding) as? Value
    {
      return value
    }
    let reader = ResponseReader(stages: Stages(), request: request, json: coding)
    return try reader.decode(type, from: response, prefix: "the error's body: ")
  }
}
