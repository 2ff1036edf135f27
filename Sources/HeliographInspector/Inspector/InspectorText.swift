import Foundation
import Heliograph

/// The texts of exchanges as the page shows them, without secrets unless the inspector shows those.
struct InspectorText: Sendable {
  /// The text of a body, or a comment that replaces or explains it.
  struct Body: Encodable, Sendable, Equatable {
    var text: String?
    var comment: String?
  }

  /// The maximum number of bytes of a body that is stored, searched for secrets and shown: 1 MiB.
  static let bodyByteLimit = 1_048_576

  let isRedacted: Bool

  func address(_ url: URL) -> String {
    isRedacted ? url.absoluteString.redactingSecretParameters : url.absoluteString
  }

  func fields(_ headers: HTTPHeaders) -> [[String]] {
    headers.map { [$0.name, isRedacted ? $0.redactedValue : $0.value] }
  }

  func curl(_ request: HTTPRequest) -> String { request.curlCommand(includingSecrets: !isRedacted) }

  func body(of record: ExchangeRecord) -> Body? {
    switch record.request.body {
    case .file, .stream: return Body(comment: "\(record.request.body)")
    case .data, .empty:
      return body(record.requestBody, record.request.headers)
    }
  }

  func responseBody(of record: ExchangeRecord) -> Body? {
    guard let head = record.response else { return nil }
    if record.responseBody == nil, record.responseByteCount > 0 {
      return Body(comment: "\(record.responseByteCount) bytes, not recorded: the body was streamed")
    }
    return body(record.responseBody, head.headers)
  }

  private func body(_ body: ExchangeRecord.Body?, _ headers: HTTPHeaders) -> Body? {
    guard let body, body.byteCount > 0 else { return nil }
    if body.beginning.isEmpty { return Body(comment: "\(body.byteCount) bytes, not stored: over the limit for bodies") }
    let cut = body.isCut ? "The first \(body.beginning.count) of \(body.byteCount) bytes" : nil
    guard let text = body.beginning.textOfWholeCharacters(isCut: body.isCut), !text.utf8.contains(0) else {
      return Body(comment: "\(body.byteCount) bytes, not a text")
    }
    if !isRedacted { return Body(text: text, comment: cut) }
    if body.isCut { return Body(comment: "\(body.byteCount) bytes, too long to be searched for secrets") }
    return Body(text: text.redactingSecrets(of: headers["Content-Type"]))
  }
}
