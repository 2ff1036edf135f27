/// A sequence of exchanges as a state machine: what to do with each event, and when the next exchange starts.
///
/// | event | of a response that is delivered | of one that is followed |
/// |---|---|---|
/// | head | is delivered | starts the wait for the body |
/// | progress | is delivered | is delivered |
/// | body | is delivered | is dropped; above the limit the next exchange starts |
/// | metrics | are delivered, with those of the earlier exchanges | are added |
/// | end of the wait | is ignored | starts the next exchange |
/// | failure | is delivered; before a head, starts the repetition, if any | starts the next exchange, unless it is final |
/// | completion | is delivered | starts the next exchange |
///
/// Events of earlier exchanges, and those after a failure or completion was delivered, are ignored.
struct ExchangePlan: Sendable {
  enum Input: Sendable {
    /// The head of a response, with the next exchange; `nil` if the response is to be delivered.
    case head(successor: (any ExchangeRule)?)
    case progress
    case body(byteCount: Int)
    case metrics(Metrics)
    /// The time limit for the body of a followed response has passed.
    case waitEnded
    /// A failure, with the exchange that repeats this one, if any; a final one is delivered even if the response is
    /// followed.
    case failed(NetworkError, isFinal: Bool, repetition: (any ExchangeRule)? = nil)
    case completed
  }

  enum Action: Sendable {
    case ignore
    case deliver
    case deliverMetrics(Metrics)
    case fail(NetworkError)
    /// Start the time limit for the body.
    case wait
    /// Cancel the exchange in flight and start the next one.
    case start(any ExchangeRule, number: Int)
  }

  /// The maximum size of a dropped body; reading it completely lets its connection be reused.
  static let droppedByteLimit = 65_536

  /// The number of the exchange in flight.
  private var number = 0
  /// The next exchange, once the current response is followed.
  private var successor: (any ExchangeRule)?
  private var hasHead = false
  private var isTerminated = false
  private var droppedByteCount = 0
  /// The sum of the metrics of the earlier exchanges.
  private var earlierMetrics: Metrics?
  /// The metrics of this exchange, once it is followed and has completed.
  private var metrics: Metrics?
  private var startedAt = SuspendingClock.now

  mutating func react(to input: Input, of number: Int) -> Action {
    if isTerminated || number != self.number { return .ignore }
    switch input {
    case .progress: return .deliver
    case .head(let next):
      successor = next
      hasHead = true
      return next == nil ? .deliver : .wait
    case .failed(let error, isFinal: true, _): return fail(error)
    case .failed(let error, isFinal: false, let repetition):
      if hasHead || repetition == nil { return startNext() ?? fail(error) }
      (successor, metrics) = (repetition, error.metrics)
      return startNext(answersChallenge: false) ?? fail(error)
    case .waitEnded: return startNext() ?? .ignore
    case .body(let byteCount):
      if successor == nil { return .deliver }
      droppedByteCount += byteCount
      return droppedByteCount > ExchangePlan.droppedByteLimit ? startNext() ?? .ignore : .ignore
    case .metrics(let metrics):
      if successor == nil { return .deliverMetrics(sum(metrics)) }
      self.metrics = metrics
      return .ignore
    case .completed:
      if let action = startNext() { return action }
      isTerminated = true
      return .deliver
    }
  }

  private mutating func startNext(answersChallenge: Bool = true) -> Action? {
    guard let successor else { return nil }
    // A cancelled exchange reports no metrics, but its duration is known.
    var metrics = metrics ?? Metrics(endedAt: .now - startedAt)
    if successor.isRedirecting {
      metrics.redirectCount += 1
    } else {
      metrics.resendCount += 1
      if answersChallenge { metrics.challengeCount += 1 }
    }
    self = ExchangePlan(number: number + 1, earlierMetrics: sum(metrics))
    return .start(successor, number: number)
  }

  private mutating func fail(_ error: NetworkError) -> Action {
    isTerminated = true
    guard let earlierMetrics else { return .fail(error) }
    var error = error
    if error.domain == .client {
      error.metrics = sum(error.metrics ?? Metrics(endedAt: .now - startedAt))
    } else {
      // Instants and byte counts remain those of the last exchange, which show its progress.
      error.metrics?.redirectCount = earlierMetrics.redirectCount
      error.metrics?.resendCount += earlierMetrics.resendCount
      error.metrics?.challengeCount += earlierMetrics.challengeCount
    }
    return .fail(error)
  }

  private func sum(_ metrics: Metrics) -> Metrics { earlierMetrics.map { metrics.adding($0) } ?? metrics }
}
