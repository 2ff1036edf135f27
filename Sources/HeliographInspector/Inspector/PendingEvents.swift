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
  private var elements: [Element] = []
  /// The position of the oldest event once the ring is full.
  private var first = 0
  private var byteCount = 0
  /// The ends, removed to make room, of requests that began before the last reading; the reader may know these as in
  /// flight, and there are no more of them than were in flight at that time.
  private var ends: [Element] = []
  /// The largest number of a request, as of the last reading.
  private var readNumber: UInt64 = 0

  /// Creates an empty ring of at most `limit` events, at least 1, with a limit for the bytes of their bodies.
  init(limit: Int, byteLimit: Int) {
    self.limit = max(1, limit)
    self.byteLimit = byteLimit
  }

  /// Whether the bodies exceed their limit; then the owner takes all events.
  var hasExcessBodies: Bool { byteCount > byteLimit }

  /// Adds an event; returns the oldest one if it had to make room, which the caller deallocates.
  ///
  /// The end of a request is retained if the request may be in flight for the reader.
  mutating func append(_ element: consuming Element) -> Element? {
    byteCount += element.byteCount
    if elements.count < limit {
      elements.append(element)
      return nil
    }
    var oldest = element
    swap(&elements[first], &oldest)
    first = first + 1 == limit ? 0 : first + 1
    if case .ended(let report) = oldest.event, report.id.rawValue <= readNumber {
      ends.append(oldest)
      return nil
    }
    byteCount -= oldest.byteCount
    return oldest
  }

  /// Removes and returns all events, in order.
  mutating func takeAll() -> [Element] {
    let all = ends + elements[first...] + elements[..<first]
    let number = all.reduce(readNumber) { max($0, $1.event.requestNumber) }
    self = PendingEvents(limit: limit, byteLimit: byteLimit)
    readNumber = number
    return all
  }
}

extension MonitorEvent {
  /// The number of the request; 0 for events that the inspector does not store.
  fileprivate var requestNumber: UInt64 {
    switch self {
    case .sent(let request), .cache(let request, _), .redirected(let request, _, _), .responded(let request, _),
      .received(let request, _):
      request.id.rawValue
    case .attemptEnded(let report), .ended(let report): report.id.rawValue
    default: 0
    }
  }

  /// The number of bytes of the bodies that this event retains, some of which other events retain too.
  var bodyByteCount: Int {
    switch self {
    case .sent(let request), .cache(let request, _), .responded(let request, _): request.bodyByteCount
    case .redirected(let request, _, let successor): request.bodyByteCount + successor.bodyByteCount
    case .received(let request, let response): request.bodyByteCount + response.value.count
    // Two cases, because one would copy the report.
    case .attemptEnded(let report): report.retainedByteCount
    case .ended(let report): report.retainedByteCount
    default: 0
    }
  }
}

extension RequestReport {
  /// The number of bytes of the request's body, and of those received before a failure.
  fileprivate var retainedByteCount: Int {
    (request?.bodyByteCount ?? 0) + (error?.response?.value.count ?? 0)
  }
}

extension HTTPRequest {
  /// The number of bytes of the body; more than the limit of one body if the request may retain more, so that the event is
  /// processed at once.
  ///
  /// The source of a stream and a closure for redirects may retain anything, and a slice retains all of its buffer. A
  /// slice at the start of its buffer is not recognized before it is processed.
  fileprivate var bodyByteCount: Int {
    if asksAboutRedirects { return InspectorText.bodyByteLimit + 1 }
    switch body {
    case .empty, .file: return 0
    case .data(let data): return data.startIndex == 0 ? data.count : InspectorText.bodyByteLimit + 1
    case .stream: return InspectorText.bodyByteLimit + 1
    }
  }
}
