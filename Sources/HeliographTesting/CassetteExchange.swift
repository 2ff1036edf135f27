import Foundation
import Heliograph

/// A recorded exchange without secrets.
struct CassetteExchange: Codable, Sendable {
  /// The properties of a request that identify its recorded exchange.
  struct Key: Codable, Sendable, Hashable {
    let method: String
    let url: String
    /// The body as text, or in base64 with the prefix `base64:`.
    let body: String

    init(_ request: HTTPRequest) {
      method = request.method.rawValue
      url = request.url.absoluteString.redactingSecretParameters
      body = request.bodyData.cassetteText(request.headers["Content-Type"])
    }
  }

  struct Field: Codable, Sendable {
    let name: String
    let value: String
  }

  let request: Key
  let status: Int
  let url: String
  let headers: [Field]
  private let text: String

  init(_ key: Key, _ head: HTTPResponse, _ body: Data) {
    request = key
    status = head.statusCode
    url = head.url.absoluteString.redactingSecretParameters
    headers = head.headers.map { Field(name: $0.name, value: $0.redactedValue) }
    text = body.cassetteText(head.headers["Content-Type"])
  }

  var body: Data {
    text.hasPrefix("base64:") ? Data(base64Encoded: String(text.dropFirst(7))) ?? Data() : Data(text.utf8)
  }

  func head(of request: HTTPRequest) -> HTTPResponse {
    HTTPResponse(
      statusCode: status, headers: HTTPHeaders(headers.map { HTTPHeaders.Field(name: $0.name, value: $0.value) }),
      url: URL(string: url) ?? request.url)
  }
}

/// The exchanges of a cassette and their replay positions.
struct CassetteTape: Sendable {
  private(set) var exchanges: [CassetteExchange]
  private var played: [CassetteExchange.Key: Int] = [:]

  init(_ exchanges: [CassetteExchange]) {
    self.exchanges = exchanges
  }

  /// Returns the next exchange of a request; `nil` if there is none.
  mutating func takeExchange(_ key: CassetteExchange.Key, repeatsLast: Bool) -> CassetteExchange? {
    let matching = exchanges.filter { $0.request == key }
    let count = played[key, default: 0]
    if matching.isEmpty || (!repeatsLast && count >= matching.count) { return nil }
    let index = min(count, matching.count - 1)
    played[key] = index + 1
    return matching[index]
  }

  /// Adds an exchange that has just been recorded and counts as replayed.
  mutating func add(_ exchange: CassetteExchange) {
    exchanges.append(exchange)
    played[exchange.request] = exchanges.count { $0.request == exchange.request }
  }
}

extension Data {
  /// Returns the body as text without secrets; in base64 if it is not text.
  fileprivate func cassetteText(_ contentType: String?) -> String {
    guard let text = String(validating: self, as: UTF8.self) else { return "base64:\(base64EncodedString())" }
    if contentType?.isFormMediaType == true { return text.redactingSecrets(of: contentType) }
    // Whatever type is stated: servers send JSON as text, too. Malformed JSON is kept for tests of malformed bodies.
    return (try? JSON(data: self)) == nil ? text : text.redactingSecrets(of: "application/json")
  }
}
