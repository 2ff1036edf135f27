import Foundation
import Heliograph

/// A body in a HAR file: its text, or a comment that explains why it is missing; secrets are redacted as by all
/// monitors: forms and JSON are searched, and every other body is omitted, as is a lone string or number.
struct HARBody: Sendable, Equatable {
  /// The text; `nil` if the body is omitted.
  private(set) var text: String?
  private(set) var isBase64 = false
  /// The reason why the body is omitted or cut.
  private(set) var comment: String?

  /// Returns the body of a request, as text if its content type allows it; `nil` if it has none.
  static func request(
    of record: ExchangeRecord, contentType: String?, includingSecrets includesSecrets: Bool
  ) -> HARBody? {
    switch record.request.body {
    case .empty: return nil
    case .file, .stream: return HARBody(comment: "left out: \(record.request.body)")
    case .data:
      guard let data = record.requestBody else { return nil }
      let body = HARBody(data, contentType, includesSecrets)
      // HAR has no encoding for the body of a request.
      return body.isBase64 ? HARBody(comment: "left out: \(data.byteCount) bytes that are not text") : body
    }
  }

  /// Returns the body of a response, as text if its content type allows it; `nil` if it has none.
  static func response(
    of record: ExchangeRecord, contentType: String?, includingSecrets includesSecrets: Bool
  ) -> HARBody? {
    if let data = record.responseBody { return HARBody(data, contentType, includesSecrets) }
    return record.responseByteCount == 0 ? nil : HARBody(comment: "left out: streamed to the app")
  }
}

extension HARBody {
  fileprivate init(_ body: ExchangeRecord.Body, _ contentType: String?, _ includesSecrets: Bool) {
    if body.beginning.isEmpty, body.isCut {
      comment = "left out: \(body.byteCount) bytes, over the limit for bodies"
    } else if includesSecrets {
      text = body.beginning.textOfWholeCharacters(isCut: body.isCut)
      isBase64 = text == nil
      if isBase64 { text = body.beginning.base64EncodedString() }
      if body.isCut { comment = "cut at \(body.beginning.count) of \(body.byteCount) bytes" }
    } else if body.isCut {
      comment = "left out: \(body.byteCount) bytes, over the limit of \(body.beginning.count) for redacted bodies"
    } else {
      text = String(validating: body.beginning, as: UTF8.self)?.redactedBody(of: contentType)
      if text == nil {
        comment = "left out: \(body.byteCount) bytes; only forms and JSON objects or arrays can be redacted"
      }
    }
  }
}

extension Data {
  /// Returns the bytes as text, without an incomplete last character if the body is cut; `nil` if they are not UTF-8.
  func textOfWholeCharacters(isCut: Bool) -> String? {
    for count in 0...(isCut ? 3 : 0) {
      if let text = String(validating: dropLast(count), as: UTF8.self) { return text }
    }
    return nil
  }
}
