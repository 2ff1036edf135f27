package import Signals

/// The deadline of a request with a total timeout, and its timer.
///
/// There is one for each subscription, on the client's clock. A stage enters when it begins work on the request, and
/// leaves afterwards. When the deadline passes, the innermost stage ends the request, because it knows the cause of the
/// wait. If it does not within a tenth of the timeout and at least a tenth of a second, the next stage outwards ends
/// it, and after the last one the caller that started the timer.
package final class Deadline: Sendable {
  /// The activity of the client at the deadline, as the reason of the failure names it.
  package enum Activity: String, Sendable {
    case preparing = "preparing the request"
    case connectivity = "waiting for a network connection"
    case middleware = "in middleware"
    case exchange = "waiting for the response"
    case retryDelay = "waiting before a retry"
    case refresh = "waiting for a token refresh"
    case reading = "reading the response"
  }

  private struct State {
    var activity = Activity.preparing
    var request: HTTPRequest?
    var failedAttempts: [Metrics.Attempt] = []
    /// The stages that work on the request, the innermost last.
    var stages: [(stage: ObjectIdentifier, end: @Sendable () -> Void)] = []
    var timers: [Disposable] = []
    var hasPassed = false
    var isStopped = false
  }

  package let duration: Duration
  private let clock: any SignalScheduler
  private let instant: Duration
  private let state = Guarded(State())

  package init(after duration: Duration, on clock: any SignalScheduler) {
    self.duration = duration
    self.clock = clock
    instant = clock.now + duration
  }

  /// The time until the deadline; zero or negative after it.
  package var remaining: Duration { instant - clock.now }
  package var elapsed: Duration { duration - remaining }
  /// Whether the deadline has passed and the request was asked to end.
  package var hasPassed: Bool { state.withLock { $0.hasPassed } }

  package var activity: Activity {
    get { state.withLock { $0.activity } }
    set { state.withLock { $0.activity = newValue } }
  }

  package var request: HTTPRequest? { state.withLock { $0.request } }

  /// The attempts of the request that have failed.
  var failedAttempts: [Metrics.Attempt] {
    get { state.withLock { $0.failedAttempts } }
    set { state.withLock { $0.failedAttempts = newValue } }
  }

  /// Adds a stage as the innermost one, which must leave when it has ended or was disposed.
  ///
  /// `end` fails the stage; it runs at most once, on the clock's thread, possibly while the stage is ending by itself.
  /// If the deadline has passed, it runs at once. With a `request`, the stage begins an attempt.
  package func enter(_ stage: AnyObject, of request: HTTPRequest? = nil, end: @escaping @Sendable () -> Void) {
    let (isLate, former) = state.withLock { state -> (Bool, HTTPRequest?) in
      if state.isStopped { return (false, nil) }
      let former = state.request
      if let request { state.request = request }
      if state.hasPassed { return (true, former) }
      state.stages.append((ObjectIdentifier(stage), end))
      return (false, former)
    }
    // Freed outside the lock.
    withExtendedLifetime(former) {}
    if isLate { end() }
  }

  package func leave(_ stage: AnyObject) {
    let key = ObjectIdentifier(stage)
    state.discardWithLock { state in
      state.stages.lastIndex { $0.stage == key }.map { state.stages.remove(at: $0).end }
    }
  }

  /// Starts the timer, which waits once more if the process was suspended; `end` ends the request if no stage has ended
  /// it.
  package func start(_ end: @escaping @Sendable () -> Void) {
    hold(
      clock.schedule(after: remaining) { [self] in
        let extraTime = Suspension.extraTime(for: duration, lateBy: .zero - remaining)
        if extraTime == .zero { return endInnermostStage(or: end) }
        hold(clock.schedule(after: extraTime) { [self] in endInnermostStage(or: end) })
      })
  }

  /// Makes the innermost stage end the request, or without a stage the caller.
  private func endInnermostStage(or end: @escaping @Sendable () -> Void) {
    let stage = state.withLock { state in
      state.hasPassed = true
      return state.stages.popLast()?.end
    }
    guard let stage else { return end() }
    // Scheduled first, because the end of a stage may start work that blocks. Its thread may have to wait for a
    // processor.
    hold(clock.schedule(after: max(duration / 10, .milliseconds(100))) { [self] in endInnermostStage(or: end) })
    stage()
  }

  /// Stops the timer and releases all closures, after the request has ended or was disposed.
  package func stop() {
    let held = state.withLock { state in
      let held = state
      state = State(activity: held.activity, hasPassed: held.hasPassed, isStopped: true)
      return held
    }
    for timer in held.timers { timer.dispose() }
  }

  private func hold(_ timer: Disposable) {
    let isStopped = state.withLock { state in
      if !state.isStopped { state.timers.append(timer) }
      return state.isStopped
    }
    if isStopped { timer.dispose() }
  }
}
