import Foundation
import Heliograph

/// An exchange in the inspector, or a request that could not be built.
struct InspectorEntry: Sendable {
  enum Content: Sendable {
    case exchange(ExchangeRecord)
    case unbuilt(RequestReport, endedAt: Date)
  }

  private enum Report: Sendable {
    case full(RequestReport)
    case text(String)
  }

  /// The number of the exchange, counted from 1 in the order in which exchanges begin.
  let key: Int
  private(set) var content: Content
  /// The report of the whole request, stored with its last exchange, or only its explanation if the report has a body that
  /// the log does not count; `nil` before the end.
  private var report: Report?

  init(key: Int, _ content: Content) {
    self.key = key
    self.content = content
    // The body of the request that follows a redirect is in its own exchange.
    if case .exchange(var record) = content, record.successor != nil {
      record.successor?.body = .empty
      self.content = .exchange(record)
    }
  }

  var bodyByteCount: Int {
    if case .exchange(let record) = content { record.bodyByteCount } else { 0 }
  }

  /// The explanation of the whole request, at its last exchange; `nil` before the end.
  var explanation: String? {
    switch report {
    case .full(let report): report.explanation
    case .text(let text): text
    case nil: nil
    }
  }

  /// Completes the last exchange with the report of the whole request.
  ///
  /// - Parameter report: The report.
  mutating func complete(_ report: RequestReport) {
    // Its exchange may have another body or none: it is cut at the limit, and a redirect may drop it.
    let hasOtherBody =
      if case .data(let data) = report.request?.body { data.count != requestByteCount } else { false }
    let hasErrorBody = report.error?.response?.value.isEmpty == false
    self.report = hasOtherBody || hasErrorBody ? .text(report.explanation) : .full(report)
  }

  private var requestByteCount: Int {
    if case .exchange(let record) = content { record.requestBody?.beginning.count ?? 0 } else { 0 }
  }

  mutating func removeBodies() {
    guard case .exchange(var record) = content, bodyByteCount > 0 else { return }
    record.removeBodies()
    if case .full(let report) = report, record.requestBody != nil { self.report = .text(report.explanation) }
    content = .exchange(record)
  }
}
