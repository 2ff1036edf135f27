import Foundation
import Heliograph

/// The line of an exchange in the page's list.
struct InspectorRow: Encodable, Sendable {
  let key: Int
  let request: UInt64
  let attempt: Int
  let hop: Int
  let method: String
  let url: String
  let status: Int?
  /// `inFlight`, `success`, `failed` or `cancelled`.
  let state: String
  /// Domain and code of the error.
  let problem: String?
  let source: String?
  /// Milliseconds since 1970.
  let startTime: Double
  /// Milliseconds; `nil` in flight.
  let duration: Double?
  /// Milliseconds of each phase, in the order of ``ExchangePhases``.
  let phases: [Double]?
  /// The number of bytes of the response's body.
  let size: Int?

  init(_ entry: InspectorEntry, _ text: InspectorText, at now: Date) {
    key = entry.key
    switch entry.content {
    case .exchange(let record):
      request = record.requestID.rawValue
      attempt = record.attempt
      hop = record.hop
      method = record.request.method.rawValue
      url = text.address(record.request.url)
      status = record.response?.statusCode
      state = record.isInFlight ? "inFlight" : InspectorRow.state(record.outcome, isFollowed: record.isFollowed)
      problem = record.error.map(InspectorRow.problem)
      source = record.source?.description
      startTime = record.startedAt.timeIntervalSince1970 * 1000
      duration = record.endedAt.map { $0.timeIntervalSince(record.startedAt) * 1000 }
      phases = record.isInFlight ? nil : ExchangePhases(of: record, at: now).milliseconds
      size = record.response == nil || record.isInFlight ? nil : record.responseByteCount
    case .unbuilt(let report, let endedAt):
      request = report.id.rawValue
      (attempt, hop) = (0, 0)
      method = report.request?.method.rawValue ?? "–"
      url = report.request.map { text.address($0.url) } ?? "a request that was not built"
      (status, source, phases, size) = (nil, nil, nil, nil)
      state = InspectorRow.state(report.outcome)
      problem = report.error.map(InspectorRow.problem)
      startTime = (endedAt - report.duration.timeInterval).timeIntervalSince1970 * 1000
      duration = report.duration / .milliseconds(1)
    }
  }

  private static func state(_ outcome: RequestReport.Outcome?, isFollowed: Bool = false) -> String {
    switch outcome {
    case .failure: "failed"
    case .success: "success"
    // Middleware has sent the request again.
    case nil where isFollowed: "failed"
    // The end of the attempt was dropped; another one followed.
    case .cancelled, nil: "cancelled"
    }
  }

  private static func problem(_ error: NetworkError) -> String { "\(error.domain) \(error.code)" }
}

extension ExchangePhases {
  /// The phases in order, in milliseconds; 0 for those that did not occur.
  fileprivate var milliseconds: [Double] {
    [blocked, dns, connect, tls, send, wait, receive].map { ($0 ?? .zero) / .milliseconds(1) }
  }
}
