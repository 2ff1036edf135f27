import Foundation
import Heliograph

/// A request as a cassette compares it.
struct CassetteRequest: Sendable {
  /// The properties without secrets, as they are stored.
  fileprivate(set) var key: CassetteExchange.Key
  /// The properties without secrets, as they are compared.
  fileprivate var compared: CassetteExchange.Key
  /// A digest of the properties except the range, with their secrets; `nil` if there is no secret.
  fileprivate var secrets: [UInt8]?

  /// A digest of the properties with their secrets, to compare requests of this process; `nil` if there is no secret.
  ///
  /// It is never stored: a short secret could be found by trying all of them.
  var digest: [UInt8]? {
    guard let secrets, let range = key.range else { return secrets }
    return SHA256.hash(Data(secrets) + Data(range.utf8))
  }

  init(_ request: HTTPRequest) {
    let url = HMACSigner.removingSignature(from: request.url).absoluteString
    let data = request.bodyData
    let plain: String
    let redacted: String
    if case .stream = request.body {
      // Streams are not read; two streams of the same length match.
      (plain, redacted) = (request.body.description, request.body.description)
    } else {
      plain = CassetteText.unredacted(data)
      // A secret in a compressed body would not be found.
      redacted =
        request.hasCodedBody && !data.isEmpty
        ? SecretRedaction().placeholder : CassetteText.text(data, request.headers["Content-Type"])
    }
    key = CassetteExchange.Key(
      method: request.method.rawValue, url: SecretRedaction().address(url).withCommonPlaceholder,
      body: redacted.withCommonPlaceholder, range: request.headers["Range"])
    compared = key.compared
    if key.url != url || key.body != plain {
      let whole = CassetteExchange.Key(method: key.method, url: url, body: plain).compared
      secrets = SHA256.hash(Data("\(whole.method) \(whole.url)\n\(whole.body)".utf8))
    }
  }
}

/// The exchanges of a cassette and their replay positions; secrets are not stored, so requests that differ only in them
/// are told apart by their order: the first secrets of a replay stand for the first recorded ones.
struct CassetteTape: Sendable {
  /// The recorded exchanges of equal requests.
  private struct Slot: Sendable, Hashable {
    let key: CassetteExchange.Key
    let variant: Int?
  }

  /// The exchanges that replace a partial one: equal requests with the same status.
  private struct Outcome: Sendable, Hashable {
    let slot: Slot
    let status: Int
  }

  private var exchanges: [Slot: [CassetteExchange]] = [:]
  private var playedCounts: [Slot: Int] = [:]
  /// The partial responses that are not replayed.
  private var skipped: Set<Outcome> = []
  /// The recorded variants for which no request has come yet.
  private var unassigned: [CassetteExchange.Key: ArraySlice<Int>] = [:]
  /// The variants of the requests so far, by digest.
  private var assigned: [[UInt8]: Int] = [:]
  /// The requests with exchanges without a variant: those without secrets, and those of a file of an earlier version.
  private let withoutVariants: Set<CassetteExchange.Key>
  /// The requests with responses to a range whose `Range` field was not recorded, by an earlier version.
  private let withoutRanges: Set<CassetteExchange.Key>

  /// Creates a tape of exchanges in the order of their recording; if it records, a request without an exchange is sent,
  /// and so is one whose response is partial.
  init(_ exchanges: [CassetteExchange], isRecording: Bool) {
    let recorded = exchanges.map { (key: $0.request.compared, exchange: $0) }
    let withoutVariants = Set(recorded.filter { $0.exchange.variant == nil }.map { $0.key })
    self.withoutVariants = withoutVariants
    let isRange = { (status: Int) in status == 206 || status == 416 }
    withoutRanges = Set(recorded.filter { isRange($0.exchange.status) && $0.key.range == nil }.map { $0.key })
    let outcomes = recorded.map { key, exchange in
      let slot = Slot(key: key, variant: withoutVariants.contains(key) ? nil : exchange.variant)
      return (outcome: Outcome(slot: slot, status: exchange.status), exchange: exchange)
    }
    let complete = Set(outcomes.filter { $0.exchange.isPartial != true }.map { $0.outcome })
    var known: Set<Slot> = []
    for (outcome, exchange) in outcomes {
      let slot = outcome.slot
      // Also of an exchange that is not replayed: the order of the secrets is that of their first requests.
      if let variant = slot.variant, known.insert(slot).inserted { unassigned[slot.key, default: []].append(variant) }
      // Another exchange has the complete response, or is going to have it.
      if exchange.isCutSuccess, isRecording || complete.contains(outcome) {
        skipped.insert(outcome)
        continue
      }
      self.exchanges[slot, default: []].append(exchange)
    }
  }

  /// Returns the request as it is compared with the exchanges of this cassette: those of an earlier version are replayed
  /// and extended in their order, whatever the secrets and the ranges are.
  func comparable(_ request: CassetteRequest) -> CassetteRequest {
    var request = request
    if withoutRanges.contains(request.compared.withoutRange) {
      (request.key.range, request.compared.range) = (nil, nil)
    }
    if withoutVariants.contains(request.compared) { request.secrets = nil }
    return request
  }

  /// Returns the variant of a request that has come before; `nil` for a new one, and for one without secrets.
  func variant(of request: CassetteRequest) -> Int? { request.digest.flatMap { assigned[$0] } }

  /// Returns the next exchange for a request; `nil` if there is none.
  mutating func takeExchange(_ request: CassetteRequest, repeatsLast: Bool) -> CassetteExchange? {
    if let digest = request.digest, assigned[digest] == nil {
      assigned[digest] = unassigned[request.compared]?.popFirst()
    }
    let slot = Slot(key: request.compared, variant: variant(of: request))
    guard let matching = exchanges[slot] else { return nil }
    let count = playedCounts[slot, default: 0]
    if !repeatsLast && count >= matching.count { return nil }
    let index = min(count, matching.count - 1)
    playedCounts[slot] = index + 1
    return matching[index]
  }

  /// Returns whether the file has a partial response with this status, which is not replayed and needs no second one.
  func hasPartial(_ request: CassetteRequest, status: Int) -> Bool {
    skipped.contains(Outcome(slot: Slot(key: request.compared, variant: variant(of: request)), status: status))
  }

  /// Adds an exchange that has just been recorded and counts as replayed.
  mutating func add(_ exchange: CassetteExchange, for request: CassetteRequest) {
    let slot = Slot(key: request.compared, variant: exchange.variant)
    if let digest = request.digest { assigned[digest] = exchange.variant }
    exchanges[slot, default: []].append(exchange)
    playedCounts[slot] = exchanges[slot]?.count
  }

  /// Returns why no exchange matches a request.
  func reason(for request: CassetteRequest) -> String {
    let key = request.compared
    let others = exchanges.keys.map(\.key).filter { $0.url == key.url }
    if others.contains(key) { return "the cassette has this request with fewer different secrets" }
    let bodies = others.filter { $0.method == key.method }
    let ranges = Set(bodies.filter { $0.body == key.body }.map { $0.range?.singleLine ?? "none" }).sorted()
    if !ranges.isEmpty {
      return "the cassette has this request with other Range fields: \(ranges.joined(separator: ", "))"
    }
    if !bodies.isEmpty {
      let difference = key.body.nearestDifference(from: bodies.map(\.body)).map { ": the body " + $0 } ?? ""
      return "the cassette has this request with another body\(difference); \(CassetteTape.advice)"
    }
    let methods = Set(others.map(\.method)).sorted()
    if !methods.isEmpty { return "the cassette has this URL with \(methods.joined(separator: ", ")) only" }
    let target = RouteTarget(key.url)
    let routes = Set(exchanges.keys.map(\.key)).sorted { ($0.url, $0.method) < ($1.url, $1.method) }
    let nearest = routes.map { other in
      let differences = RoutePath(other.url).differences(from: target) + target.surplus(over: RouteTarget(other.url))
      let spelling = RouteDifference(
        text: "only the spelling differs: the scheme, the escapes, or the order of items with the same name", weight: 0)
      return (
        route: "\(other.method) \(RoutePath(other.url).displayText)",
        differences: differences.isEmpty ? [spelling] : differences
      )
    }.nearest
    guard let nearest else { return "the cassette is empty" }
    let hasPath = routes.contains { $0.method == key.method && RoutePath($0.url).matchesPath(of: target) }
    return "the cassette has no such URL; \(nearest)\(hasPath ? "; " + CassetteTape.advice : "")"
  }

  private static let advice = "use `comparing:` to leave out what changes each time"
}

extension HTTPRequest {
  /// Whether the body has any coding, also one that is not registered.
  fileprivate var hasCodedBody: Bool {
    let names = headers["Content-Encoding"]?.split(separator: ",").map { $0.filter { $0 != " " }.lowercased() } ?? []
    return names.contains { !$0.isEmpty && $0 != "identity" }
  }
}
