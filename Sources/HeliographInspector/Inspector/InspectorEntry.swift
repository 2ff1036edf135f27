import Foundation
import Heliograph

/// An exchange in the inspector, or a request that could not be built.
struct InspectorEntry: Sendable {
  enum Content: Sendable {
    case exchange(ExchangeRecord)
    case unbuilt(RequestReport, endedAt: Date)
  }

  /// The number of the exchange, counted from 1 in the order in which exchanges begin.
  let key: Int
  private(set) var content: Content
  /// The report of the whole request, without its bodies, stored with its last exchange; `nil` before the end.
  var report: RequestReport?

  var bodyByteCount: Int {
    if case .exchange(let record) = content { record.bodyByteCount } else { 0 }
  }

  mutating func removeBodies() {
    guard case .exchange(var record) = content else { return }
    record.removeBodies()
    content = .exchange(record)
  }
}
