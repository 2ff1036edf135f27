import Foundation
import Heliograph

/// The latest events that no page has requested yet, limited in number and in the total size of their bodies.
///
/// A plain value, guarded by its owner. An observed event is only stored in a ring buffer; records are created when a
/// page asks.
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

  /// Adds an event; returns the oldest ones that had to make room, which the caller deallocates.
  mutating func append(_ element: Element) -> [Element?] {
    var removed: [Element?] = []
    if count == limit { removed.append(removeFirst()) }
    let index = (first + count) % limit
    if index == elements.count { elements.append(element) } else { elements[index] = element }
    count += 1
    byteCount += element.byteCount
    while byteCount > byteLimit, count > 1 { removed.append(removeFirst()) }
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
  /// The number of body bytes that this event adds to those of earlier events.
  var bodyByteCount: Int {
    switch self {
    case .sent(let request): if case .data(let data) = request.body { data.count } else { 0 }
    case .received(_, let response): response.value.count
    // The bytes received before a failure.
    case .attemptEnded(let report): report.error?.response?.value.count ?? 0
    default: 0
    }
  }
}
