import Foundation
import Heliograph

/// The details of an exchange, as the page shows them; each list has pairs of a name and a value.
struct InspectorDetails: Encodable, Sendable {
  let row: InspectorRow
  let facts: [[String]]
  let error: [[String]]?
  let cache: [String]
  let requestFields: [[String]]
  let requestBody: InspectorText.Body?
  let responseFields: [[String]]
  let responseBody: InspectorText.Body?
  let curl: String?
  /// The decisions of the request, at its last exchange.
  let explanation: String?

  init(_ entry: InspectorEntry, _ text: InspectorText, at now: Date) {
    row = InspectorRow(entry, text, at: now)
    switch entry.content {
    case .exchange(let record):
      facts = InspectorDetails.facts(record, text)
      error = record.error.map { InspectorDetails.rows($0, text) }
      cache = record.cacheEvents.map(\.description)
      requestFields = text.fields(record.request.headers)
      requestBody = text.body(of: record)
      responseFields = record.response.map { text.fields($0.headers) } ?? []
      responseBody = text.responseBody(of: record)
      explanation = entry.report?.explanation
      curl = record.requestBody?.isCut == true ? nil : text.curl(record.request)
    case .unbuilt(let report, _):
      facts = []
      explanation = report.explanation
      error = report.error.map { InspectorDetails.rows($0, text) }
      cache = []
      requestFields = report.request.map { text.fields($0.headers) } ?? []
      (requestBody, responseBody, responseFields) = (nil, nil, [])
      // Other methods may have had a body, which is not stored.
      curl = report.request.flatMap { [.get, .head].contains($0.method) ? text.curl($0) : nil }
    }
  }

  private static func facts(_ record: ExchangeRecord, _ text: InspectorText) -> [[String]] {
    var facts = [["Request", "\(record.requestID), attempt \(record.attempt)"]]
    if let source = record.source { facts.append(["Source", source.description]) }
    if case .cancelled = record.outcome { facts.append(["Outcome", "cancelled"]) }
    if record.outcome == nil, record.isFollowed { facts.append(["Outcome", "failed; sent again by middleware"]) }
    if !record.isInFlight, !record.wasSent { facts.append(["Sent", "no"]) }
    if let successor = record.successor {
      facts.append(["Followed by", "\(successor.method.rawValue) \(text.address(successor.url))"])
    }
    guard let metrics = record.metrics else { return facts }
    if let version = metrics.protocolVersion { facts.append(["Protocol", version]) }
    if let isReused = metrics.isConnectionReused { facts.append(["Connection", isReused ? "reused" : "new"]) }
    facts.append(["Sent", "\(metrics.sentByteCount) bytes"])
    facts.append(["Received", "\(metrics.receivedByteCount) bytes"])
    if metrics.resendCount > 0 { facts.append(["Resent", "\(metrics.resendCount)"]) }
    return facts
  }

  private static func rows(_ error: NetworkError, _ text: InspectorText) -> [[String]] {
    var rows = [["Error", text.isRedacted ? "\(error)" : "\(error.domain) error \(error.code): \(error.reason)"]]
    rows.append(["Message", text.isRedacted ? SecretRedaction().text(error.message) : error.message])
    rows.append(["Attribution", error.attribution.party.rawValue])
    if let evidence = error.attribution.evidence { rows.append(["Evidence", "\(evidence)"]) }
    return rows
  }
}
