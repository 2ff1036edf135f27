import Foundation
import Signals

/// The decisions of a run, recorded for monitors, as values that a response, an error or a report carries.
///
/// Bounded: of a long run, the first and the last steps are stored and the others counted.
struct RunHistory: Sendable {
  /// A decision, or an observation that leads to one; rare, large entries are boxed.
  enum Entry: Sendable {
    /// An attempt has begun: its number, counted from 1, and its cache policy.
    case attempt(Int, CachePolicy)
    case cache(CacheEvent)
    /// The request is passed to the transport.
    case sent(HTTPMethod, URL)
    /// Stored cookies were added to the request.
    case cookies(count: Int)
    indirect case redirect(Redirect)
    /// The head of the response has been received, after redirects.
    case responded(statusCode: Int)
    /// The response is that of an identical request in flight.
    case shared(statusCode: Int)
    /// A value was delivered.
    case delivered
    case ended(Outcome, wasSent: Bool, after: Duration)
    indirect case retry(RetryVerdict)
    /// The request waits for a token refresh, because of a failure.
    case refresh(after: String)
    /// The request waits for a network.
    case waiting
  }

  enum Outcome: Sendable {
    case succeeded
    case failed(String)
    case cancelled
  }

  /// A redirect that was followed, with the header fields that it dropped.
  struct Redirect: Sendable {
    let statusCode: Int
    let method: HTTPMethod
    let url: URL
    let isCrossOrigin: Bool
    /// The method before the redirect; `nil` if it is the same.
    var previousMethod: HTTPMethod?
    let droppedFields: [String]
    let dropsBody: Bool

    init(_ head: HTTPResponse, from previous: HTTPRequest, to next: HTTPRequest) {
      statusCode = head.statusCode
      method = next.method
      url = next.url
      isCrossOrigin = Origin(previous.url)?.matches(next.url) != true
      previousMethod = previous.method == next.method ? nil : previous.method
      droppedFields = previous.headers.filter { next.headers[$0.name] == nil }.map(\.name)
      dropsBody = previous.body != .empty && next.body == .empty
    }
  }

  /// An entry, with the time since the request was started.
  struct Step: Sendable {
    let at: Duration
    let entry: Entry
  }

  static let limit = 64

  private(set) var steps: [Step] = []
  /// The number of steps that were dropped, all of them after the first half of ``steps``.
  private(set) var droppedCount = 0
  /// The maximum number of retries by the rules of the request; `nil` before they are known.
  var retryLimit: Int?

  /// Adds an entry; beyond the limit the oldest one of the second half is dropped.
  mutating func append(_ entry: Entry, at time: Duration) {
    // Most runs need no more.
    if steps.isEmpty { steps.reserveCapacity(6) }
    steps.append(Step(at: time, entry: entry))
    if steps.count <= Self.limit { return }
    steps.remove(at: Self.limit / 2)
    droppedCount += 1
  }
}

/// The decisions up to the delivery of a response, which holds this object from its receipt on: changing its details
/// later would copy them all.
final class RecordedHistory: Sendable {
  private let state: Guarded<RunHistory?>

  init(_ value: RunHistory? = nil) { state = Guarded(value) }

  /// The decisions; `nil` before the delivery.
  var value: RunHistory? { state.withLock { $0 } }

  /// Sets the decisions once: several values of one response share its details.
  func set(_ history: RunHistory) {
    state.withLock { value in
      if value == nil { value = history }
    }
  }
}
