import Foundation
import Heliograph

/// The latest events that no page has requested yet, limited in number.
///
/// A plain value, guarded by its owner. An observed event is only stored in a ring buffer; records are created when a
/// page asks, or when the bodies of the events exceed their limit: records can be kept without their bodies.
struct PendingEvents: Sendable {
  struct Element: Sendable {
    let event: MonitorEvent
    let time: Date
    let byteCount: Int
  }

  private let limit: Int
  private let byteLimit: Int
  private var elements: [Element?] = []
  private var first = 0
  private var count = 0
  private var byteCount = 0

  /// Creates an empty ring.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of events, at least 1.
  ///   - byteLimit: The maximum number of bytes of their bodies.
  init(limit: Int, byteLimit: Int) {
    self.limit = max(1, limit)
    self.byteLimit = byteLimit
  }

  var isEmpty: Bool { count == 0 }

  /// Whether the bodies exceed their limit; then the owner takes all events.
  var hasExcessBodies: Bool { byteCount > byteLimit }

  /// Adds an event; returns the oldest one if it had to make room, which the caller deallocates.
  mutating func append(_ element: Element) -> Element? {
    let removed = count == limit ? removeFirst() : nil
    let index = (first + count) % limit
    if index == elements.count { elements.append(element) } else { elements[index] = element }
    count += 1
    byteCount += element.byteCount
    return removed
  }

  /// Removes and returns all events, in order.
  mutating func takeAll() -> [Element] {
    defer { self = PendingEvents(limit: limit, byteLimit: byteLimit) }
    return (0..<count).compactMap { elements[(first + $0) % limit] }
  }

  private mutating func removeFirst() -> Element? {
    defer {
      first = (first + 1) % limit
      count -= 1
    }
    byteCount -= elements[first]?.byteCount ?? 0
    return elements[first].take()
  }
}

extension MonitorEvent {
  /// The number of bytes of the bodies that this event retains, some of which other events retain too.
  var bodyByteCount: Int {
    switch self {
    case .sent(let request), .cache(let request, _), .responded(let request, _): request.bodyByteCount
    case .continued(let request, _, let successor): request.bodyByteCount + successor.bodyByteCount
    case .received(let request, let response): request.bodyByteCount + response.value.count
    case .attemptEnded(let report), .ended(let report):
      // The bytes received before a failure.
      (report.request?.bodyByteCount ?? 0) + (report.error?.response?.value.count ?? 0)
    default: 0
    }
  }
}

extension HTTPRequest {
  /// The number of bytes of the body in memory.
  fileprivate var bodyByteCount: Int { if case .data(let data) = body { data.count } else { 0 } }
}
