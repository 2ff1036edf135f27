extension RequestRecord {
  struct Attempt {
    let number: Int
    let startedAt: Duration
    var facts: CopyOnWrite<RequestReport.Facts>
    /// Whether the whole response has been received.
    var isComplete = false
    var hasDelivered = false
  }

  /// The last attempt that has ended; not its report, whose error may retain a body.
  struct EndedAttempt {
    let number: Int
    let facts: CopyOnWrite<RequestReport.Facts>
    let hasFailed: Bool
  }

  struct State {
    let log: RunLog
    /// The caller's description; `nil` if it could not be created, and after the start.
    var description: Request?
    var startedAt: Duration?
    var attempt: Attempt?
    var lastAttempt: EndedAttempt?
    /// The largest number of an attempt.
    var attemptCount = 0
    /// The failures of the attempts, by their numbers; of several steps of an attempt, the last failure.
    var failedAttempts = AttemptSeries()
    /// The attempts before the delivered response.
    var earlierAttempts: [Metrics.Attempt] = []
    var wasSent = false
    var hasDelivered = false
    var isTerminated = false
    /// Whether a thread is delivering events.
    var isDelivering = false
    /// The events that the delivering thread delivers next.
    var queue: [MonitorEvent] = []

    /// The request of the attempt in progress, or else of the last one.
    var request: HTTPRequest? { attempt?.facts.value.request ?? lastAttempt?.facts.value.request }

    /// Returns whether the caller delivers an event; otherwise the delivering thread does.
    mutating func claimDelivery(of event: @autoclosure () -> MonitorEvent) -> Bool {
      if isDelivering {
        queue.append(event())
        return false
      }
      isDelivering = true
      return true
    }

    /// Removes and returns the queued events; the delivery ends if there are none.
    mutating func takeQueue() -> [MonitorEvent]? {
      if queue.isEmpty {
        isDelivering = false
        return nil
      }
      defer { queue = [] }
      return queue
    }

    /// Records a failure, which replaces that of an earlier step with the same number; those of later attempts remain.
    mutating func recordFailure(of number: Int, _ failure: Metrics.Attempt) {
      if failedAttempts.count < number {
        failedAttempts.append(failure)
      } else if failedAttempts.count == number {
        failedAttempts.replaceLast(by: failure)
      }
    }

    /// The failed attempts before the last one, also if no value was delivered.
    var attemptsBeforeLast: [Metrics.Attempt] {
      guard earlierAttempts.isEmpty, failedAttempts.count > 0, let number = lastAttempt?.number else {
        return earlierAttempts
      }
      return number < attemptCount ? failedAttempts.attempts : failedAttempts.before(number)
    }

    func record(_ entry: RunHistory.Entry, at now: Duration) {
      log.append(entry, at: now - (startedAt ?? now))
    }
  }
}
