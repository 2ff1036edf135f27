import Foundation
import Signals

/// The decisions of a run, recorded for monitors, to explain a response, an error or a report; bounded: of a long run,
/// the first and the last steps are stored and the others counted.
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
    /// The response is complete and will be read on the scheduler for processing: validated, unwrapped, decoded and mapped.
    case reading(byteCount: Int)
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
  mutating func append(_ entry: consuming Entry, at time: Duration) {
    // Most runs need no more.
    if steps.isEmpty { steps.reserveCapacity(6) }
    steps.append(Step(at: time, entry: entry))
    if steps.count <= Self.limit { return }
    steps.remove(at: Self.limit / 2)
    droppedCount += 1
  }

  /// The number of steps, including those that were dropped.
  var stepCount: Int { steps.count + droppedCount }

  /// Returns the history up to the first delivery after a number of steps.
  func untilDelivery(after stepCount: Int) -> RunHistory {
    let start = stepCount < Self.limit / 2 ? stepCount : max(Self.limit / 2, stepCount - droppedCount)
    let delivery = steps.indices.dropFirst(start).first { if case .delivered = steps[$0].entry { true } else { false } }
    guard let delivery else { return self }
    return prefix((delivery < Self.limit / 2 ? delivery : delivery + droppedCount) + 1)
  }

  /// Returns the history as it was after a number of steps, without those of them that were dropped later.
  func prefix(_ stepCount: Int) -> RunHistory {
    let half = Self.limit / 2
    var history = self
    history.steps = Array(steps.prefix(stepCount <= half ? stepCount : max(half, stepCount - droppedCount)))
    history.droppedCount = max(0, min(stepCount, half + droppedCount) - half)
    return history
  }
}

/// The growing history of one run, shared by its responses, errors and reports: copies would cost more than the run.
final class RunLog: Sendable {
  /// A position in a log: that of a report, or the receipt of a response.
  struct Position: Sendable {
    let log: RunLog
    /// The number of steps before the position.
    let stepCount: Int

    var history: RunHistory { log.history.prefix(stepCount) }
    /// The decisions up to the delivery of the response that was received at the position.
    var historyUntilDelivery: RunHistory { log.history.untilDelivery(after: stepCount) }
  }

  private let state = Guarded(RunHistory())

  var history: RunHistory { state.withLock { $0 } }
  var position: Position { Position(log: self, stepCount: state.withLock { $0.stepCount }) }

  func append(_ entry: consuming RunHistory.Entry, at time: Duration) {
    // Moved: a capture of the parameter would be a copy.
    var entry: RunHistory.Entry? = consume entry
    state.withLock { history in
      if let entry = entry.take() { history.append(entry, at: time) }
    }
  }

  func limitRetries(to limit: Int) { state.withLock { $0.retryLimit = limit } }
}

/// The decision whether a failed attempt is retried, with the rule that has decided.
package enum RetryVerdict: Sendable, Hashable {
  package enum Source: String, Sendable {
    case backoff
    case server = "Retry-After"
    case closure = "`Retry.decide`"
  }

  /// It is retried after a delay; the number counts from 1.
  case retry(Int, limit: Int, after: Duration, by: Source)
  case delivered
  case limitReached(Int)
  case timedOut
  /// The total timeout would elapse before the retry.
  case delayBeyondTimeout(Duration)
  /// The body is a stream that cannot be read again.
  case bodySpent
  /// The app's closure has decided against it.
  case declined
  case notIdempotent
  /// The rules have neither the status nor the code of the failure.
  case notCovered
  /// The server asks for a longer delay than the rules accept.
  case retryAfterTooLong(Duration, maximum: Duration)
  case budgetSpent

  var delay: Duration? { if case .retry(_, _, let delay, _) = self { delay } else { nil } }
}

extension RetryVerdict: CustomStringConvertible {
  package var description: String {
    switch self {
    case .retry(let number, let limit, let delay, let source):
      "retry \(number) of \(limit) after \(delay.inMilliseconds), by \(source.rawValue)"
    case .delivered: "not retried: a value was delivered already"
    case .limitReached(let limit): "not retried: the limit of retries is \(limit)"
    case .timedOut: "not retried: the total timeout has elapsed"
    case .delayBeyondTimeout(let delay):
      "not retried: the total timeout elapses within the delay of \(delay.inMilliseconds)"
    case .bodySpent: "not retried: the body is a stream that cannot be read again"
    case .declined: "not retried: `Retry.decide` has decided so"
    case .notIdempotent: "not retried: the request is not idempotent; set an idempotency key or isIdempotent"
    case .notCovered: "not retried: the retry rules do not list this failure"
    case .retryAfterTooLong(let delay, let maximum):
      "not retried: Retry-After asks for \(delay.inMilliseconds), more than \(maximum.inMilliseconds)"
    case .budgetSpent: "not retried: the retry budget is spent"
    }
  }
}
