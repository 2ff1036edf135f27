/// The stage of `delay`, `debounce`, `throttle` and `timeout`: serializes values, ends and timer ticks.
///
/// All state is accessed inside the gate only. Time comes only from the scheduler, so that virtual time drives the
/// stage. There is one timer at a time. It is set for the first instant at which something is due; if it fires too
/// early, it is set again.
struct TimingStage<Value: Sendable, Failure: Error>: Sendable {
  enum Rule: Sendable {
    case delay
    case debounce
    case throttle
    case timeout(Failure)
  }

  struct State {
    /// The values delayed by `delay`, with the instant at which each is due.
    var waiting = FIFOQueue<(value: Value, dueAt: Duration)>()
    /// The pending value of `debounce` or `throttle`.
    var pending: Value?
    /// The end of the source and the instant at which it is due.
    var ending: (end: End<Value, Failure>, dueAt: Duration)?
    /// The instant at which the pending value or the timeout is due.
    var dueAt = Duration.zero
    /// Whether back-pressure may have paused the source of `timeout` since its last value, if the source asks.
    var mayBePaused = false
    var isTimerSet = false
  }

  let source = Disposable()
  private let timer = TimerSlot()
  private let rule: Rule
  private let interval: Duration
  private let scheduler: any SignalScheduler
  private let pressure: Pressure?
  private let gate: Gate<Value, Failure>
  private let state = Cell(State())

  init(
    _ rule: Rule, _ interval: Duration, _ scheduler: any SignalScheduler, _ downstream: Downstream<Value, Failure>
  ) {
    self.rule = rule
    self.interval = interval
    self.scheduler = scheduler
    pressure = downstream.pressure
    gate = Gate(next: downstream.next, end: downstream.end)
    gate.hold(DisposablePair(source, timer))
    downstream.scope.hold(gate)
    guard case .timeout = rule else { return }
    gate.run { [self] in
      state.value.dueAt = scheduler.now + interval
      setTimer(interval)
    }
  }

  func next(_ value: Value) {
    if gate.enter() {
      accept(value)
      gate.leave()
    } else {
      gate.enqueue { accept(value) }
    }
    repeatMissedTick()
  }

  func end(_ end: End<Value, Failure>) {
    gate.run { accept(end) }
    repeatMissedTick()
    if !end.isUnreachable { source.dispose() }
  }

  private func setTimer(_ delay: Duration) {
    state.value.isTimerSet = true
    timer.set(after: delay, on: scheduler) { fire() }
  }

  private func fire() {
    // A value that is being delivered moves the instant of a timeout, so the thread inside only sets the timer again.
    if case .timeout = rule { return gate.run { tick() } }
    timer.tick(in: gate) { tick() }
    repeatMissedTick()
  }

  private func repeatMissedTick() {
    if timer.takeMissedTick() { timer.set(after: .zero, on: scheduler) { fire() } }
  }

  private func accept(_ value: Value) {
    switch rule {
    case .delay:
      state.value.waiting.append((value, scheduler.now + interval))
      if state.value.isTimerSet == false { setTimer(interval) }
    case .debounce:
      state.value.pending = value
      state.value.dueAt = scheduler.now + interval
      if state.value.isTimerSet == false { setTimer(interval) }
    case .throttle:
      if state.value.isTimerSet == true {
        state.value.pending = value
      } else {
        setTimer(interval)
        gate.send(value)
      }
    case .timeout:
      // The timer checks the instant when it fires; a new timer for each value would cost a hundred times as much.
      // The instant is read inside the gate only, so that it can be set after the delivery: a slow handler is not the
      // source's silence.
      gate.send(value)
      state.value.dueAt = scheduler.now + interval
      if let pressure { state.value.mayBePaused = pressure.mayPauseSource }
    }
  }

  private func accept(_ end: End<Value, Failure>) {
    if case .failed = end { return gate.finish(end) }
    let isWaiting = state.value.pending != nil || !state.value.waiting.isEmpty
    switch (rule, end) {
    case (.timeout, .unreachable): break  // The timeout can still fire.
    case (.timeout, _): gate.finish(end)
    case _ where end.isSilent:
      // Pending and delayed values are still due.
      if isWaiting { state.value.ending = (end, .zero) } else { gate.finish(end) }
    case (.delay, _):
      if case .last(let value) = end { accept(value) }
      state.value.ending = (.completed, scheduler.now + interval)
      if state.value.isTimerSet == false { setTimer(interval) }
    case (_, .completed):
      if let pending = state.value.pending { finishOnScheduler(.last(pending)) } else { gate.finish(end) }
    // Only `.last` remains: its value replaces the pending one.
    case (.throttle, _) where state.value.isTimerSet == false: gate.finish(end)
    default: finishOnScheduler(end)
    }
  }

  /// Delivers a last value and the completion on the scheduler, as the values before them.
  private func finishOnScheduler(_ end: End<Value, Failure>) {
    state.value.pending = nil
    state.value.ending = (end, .zero)
    setTimer(.zero)
  }

  private func tick() {
    state.value.isTimerSet = false
    switch rule {
    case .delay: return sendDue()
    case .timeout(let failure):
      let now = scheduler.now
      // A source that back-pressure has paused is not silent, and has the whole interval when it goes on. Asked again,
      // because other sources may have filled the buffer since the last value.
      if now >= state.value.dueAt, interval > .zero, let pressure, pressure.isWatched,
        state.value.mayBePaused || pressure.mayPauseSource
      {
        state.value.mayBePaused = !pressure.isLow
        state.value.dueAt = now + interval
      }
      let remaining = state.value.dueAt - now
      if remaining > .zero { setTimer(remaining) } else { gate.finish(.failed(failure.explained(by: interval))) }
      return
    case .debounce:
      let remaining = state.value.dueAt - scheduler.now
      if remaining > .zero, state.value.pending != nil { return setTimer(remaining) }
    case .throttle:
      if state.value.pending != nil { setTimer(interval) }
    }
    if let value = state.value.pending.take() { gate.send(value) }
    if let ending = state.value.ending { gate.finish(ending.end) }
  }

  /// Sends the delayed values that are due, up to the limit of one run, and sets the timer for the next one.
  private func sendDue() {
    let now = scheduler.now
    var count = 0
    while let first = state.value.waiting.first {
      if first.dueAt > now { return setTimer(first.dueAt - now) }
      // As with `observe(on:)`, so that the scheduler's other work can run.
      if count == Relay<Value, Failure>.turnLength
        || (Relay<Value, Failure>.checksClock(after: count) && scheduler.now - now >= .milliseconds(1))
      {
        return setTimer(.zero)
      }
      count += 1
      _ = state.value.waiting.popFirst()
      gate.send(first.value)
      if gate.isDisposed { return }
    }
    guard let ending = state.value.ending else { return }
    if ending.dueAt > now { setTimer(ending.dueAt - now) } else { gate.finish(ending.end) }
  }
}

/// A failure to which `timeout(_:failing:)` adds its interval.
package protocol TimeoutExplaining: Error {
  /// Returns the failure with the interval that has elapsed, if it names no cause of its own.
  func explained(byTimeout interval: Duration) -> Self
}

extension Error {
  fileprivate func explained(by interval: Duration) -> Self {
    (self as? any TimeoutExplaining)?.explained(byTimeout: interval) as? Self ?? self
  }
}
