import Foundation
import Heliograph

/// A recorded exchange without secrets.
struct CassetteExchange: Codable, Sendable {
  /// The properties of a request that identify its recorded exchange.
  struct Key: Codable, Sendable, Hashable {
    let method: String
    let url: String
    /// The body as ``CassetteText``, or the description of a stream.
    let body: String

  }

  struct Field: Codable, Sendable {
    let name: String
    let value: String
  }

  let request: Key
  /// The number of the first exchange whose request has the same secrets, which are not stored; `nil` if the request
  /// has none.
  let variant: Int?
  let status: Int
  let url: String
  let headers: [Field]
  private let text: String

  /// Creates the exchange with the placeholders of its secrets.
  init(
    _ key: Key, variant: Int?, _ head: HTTPResponse, _ body: Data, _ placeholders: inout CassettePlaceholders
  ) {
    request = key
    self.variant = variant
    status = head.statusCode
    let common = placeholders.common
    let redaction = SecretRedaction(placeholder: common, keepingTypes: true, keepingCodes: head.statusCode >= 400)
    let address = head.url.absoluteString
    url = placeholders.text(redaction.address(address), of: address)
    text = placeholders.body(CassetteText.text(body, head.headers["Content-Type"], redaction), of: body)
    var fields = head.headers
    let stored = CassetteText.body(text)
    if stored != body {
      // Removes the fields that describe the original body.
      for name in ["Content-MD5", "Digest", "Repr-Digest", "Content-Digest"] { fields[name] = nil }
      // A response to HEAD has no body at all.
      if fields["Content-Length"] != nil { fields["Content-Length"] = "\(stored.count)" }
    }
    headers = fields.map { field in
      let redacted = redaction.addresses(of: field) ?? field.redactedValue(with: common)
      return Field(name: field.name, value: placeholders.text(redacted, of: field.value))
    }
  }

  var body: Data { CassetteText.body(text) }

  func head(of request: HTTPRequest) -> HTTPResponse {
    HTTPResponse(
      statusCode: status, headers: HTTPHeaders(headers.map { HTTPHeaders.Field(name: $0.name, value: $0.value) }),
      url: URL(string: url) ?? request.url)
  }
}
