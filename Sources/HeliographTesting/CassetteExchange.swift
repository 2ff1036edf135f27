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

    init(_ request: HTTPRequest) {
      method = request.method.rawValue
      url = request.url.absoluteString.redactingSecretParameters
      // Streams are not read: those of one length match.
      let isStream = if case .stream = request.body { true } else { false }
      body =
        isStream
        ? request.body.description : CassetteText.text(request.bodyData, request.headers["Content-Type"])
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

  /// Creates the exchange; its number differs from that of others, so that the tokens of pages differ, too.
  init(_ key: Key, _ head: HTTPResponse, _ body: Data, number: Int) {
    request = key
    status = head.statusCode
    // It may be a part of a URL.
    let placeholder = "redacted-\(number)"
    url = head.url.absoluteString.redactingSecretParameters(with: placeholder)
    headers = head.headers.map { Field(name: $0.name, value: $0.redactedValue(with: placeholder)) }
    text = CassetteText.text(
      body, head.headers["Content-Type"], SecretRedaction(placeholder: placeholder, keepingTypes: true))
  }

  var body: Data { CassetteText.body(text) }

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
