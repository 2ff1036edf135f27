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
      url = HMACSigner.removingSignature(from: request.url).absoluteString.redactingSecretParameters
      // Streams are not read; two streams of the same length match.
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

  /// Creates the exchange; its unique number makes the placeholders of page tokens differ too.
  init(_ key: Key, _ head: HTTPResponse, _ body: Data, number: Int) {
    request = key
    status = head.statusCode
    // The placeholder may be part of a URL.
    let placeholder = "redacted-\(number)"
    url = head.url.absoluteString.redactingSecretParameters(with: placeholder)
    text = CassetteText.text(
      body, head.headers["Content-Type"],
      SecretRedaction(placeholder: placeholder, keepingTypes: true, keepingCodes: head.statusCode >= 400))
    var fields = head.headers
    let stored = CassetteText.body(text)
    if stored != body {
      // Removes the fields that describe the original body.
      for name in ["Content-MD5", "Digest", "Repr-Digest", "Content-Digest"] { fields[name] = nil }
      // A response to HEAD has no body at all.
      if fields["Content-Length"] != nil { fields["Content-Length"] = "\(stored.count)" }
    }
    headers = fields.map { Field(name: $0.name, value: $0.redactedValue(with: placeholder)) }
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
  private var exchanges: [CassetteExchange.Key: [CassetteExchange]] = [:]
  private var playedCounts: [CassetteExchange.Key: Int] = [:]

  init(_ exchanges: [CassetteExchange]) {
    self.exchanges = Dictionary(grouping: exchanges, by: \.request)
  }

  /// Returns the next exchange for a request; `nil` if there is none.
  mutating func takeExchange(_ key: CassetteExchange.Key, repeatsLast: Bool) -> CassetteExchange? {
    guard let matching = exchanges[key] else { return nil }
    let count = playedCounts[key, default: 0]
    if !repeatsLast && count >= matching.count { return nil }
    let index = min(count, matching.count - 1)
    playedCounts[key] = index + 1
    return matching[index]
  }

  /// Adds an exchange that has just been recorded and counts as replayed.
  mutating func add(_ exchange: CassetteExchange) {
    exchanges[exchange.request, default: []].append(exchange)
    playedCounts[exchange.request] = exchanges[exchange.request]?.count
  }

  /// Returns why no exchange matches a request.
  func reason(for key: CassetteExchange.Key) -> String {
    let others = exchanges.keys.filter { $0.url == key.url }
    if others.contains(where: { $0.method == key.method }) { return "the cassette has this request with another body" }
    let methods = Set(others.map(\.method)).sorted()
    if !methods.isEmpty { return "the cassette has this URL with \(methods.joined(separator: ", ")) only" }
    let target = RouteTarget(key.url)
    let nearest = exchanges.keys.sorted { ($0.url, $0.method) < ($1.url, $1.method) }.map { other in
      (
        route: "\(other.method) \(RoutePath(other.url).displayText)",
        differences: RoutePath(other.url).differences(from: target) + target.surplus(over: RouteTarget(other.url))
      )
    }.nearest
    return nearest.map { "the cassette has no such URL; " + $0 } ?? "the cassette is empty"
  }
}
