/// Values, ends and the ticks of a clock in one order: `delay`, `debounce`, `throttle` and `timeout`.
///
/// All state is touched inside the gate only. Time comes from the scheduler alone, so virtual time drives it. There is one
/// timer at a time: it is set for the first instant at which something is due, and found too early it is set again.
struct TimingStage<Value: Sendable, Failure: Error>: Sendable {
  enum Rule: Sendable {
    case delay
    case debounce
    case throttle
    case timeout(Failure)
  }

  struct State {
    /// What `delay` holds back, with the instant at which it is due.
    var waiting = Waiting<(value: Value, dueAt: Duration)>()
    /// The latest value that `debounce` or `throttle` holds back.
    var pending: Value?
    /// How the source has ended, and when that is due.
    var ending: (end: End<Value, Failure>, dueAt: Duration)?
    /// When the pending value is due, or the timeout.
    var dueAt = Duration.zero
    var isTimerSet = false
  }

  let source = Disposable()
  private let timer = TimerSlot()
  private let rule: Rule
  private let interval: Duration
  private let scheduler: any SignalScheduler
  private let gate: Gate<Value, Failure>
  private let state = Cell(State())

  init(
    _ rule: Rule, _ interval: Duration, _ scheduler: any SignalScheduler, _ downstream: Downstream<Value, Failure>
  ) {
    self.rule = rule
    self.interval = interval
    self.scheduler = scheduler
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
    guard gate.enter() else { return gate.later { accept(value) } }
    accept(value)
    gate.leave()
  }

  func end(_ end: End<Value, Failure>) {
    gate.run { accept(end) }
    if !end.isUnreachable { source.dispose() }
  }

  private func setTimer(_ delay: Duration) {
    state.value.isTimerSet = true
    timer.set(after: delay, on: scheduler) { gate.run { tick() } }
  }

  private func accept(_ value: Value) {
    let now = scheduler.now
    switch rule {
    case .delay:
      state.value.waiting.append((value, now + interval))
      if state.value.isTimerSet == false { setTimer(interval) }
    case .debounce:
      state.value.pending = value
      state.value.dueAt = now + interval
      if state.value.isTimerSet == false { setTimer(interval) }
    case .throttle:
      if state.value.isTimerSet == true {
        state.value.pending = value
      } else {
        setTimer(interval)
        gate.send(value)
      }
    case .timeout:
      // The timer finds out when it fires: a new one for each value would cost a hundred times as much.
      state.value.dueAt = now + interval
      gate.send(value)
    }
  }

  private func accept(_ end: End<Value, Failure>) {
    if case .failed = end { return gate.finish(end) }
    let isWaiting = state.value.pending != nil || !state.value.waiting.isEmpty
    switch (rule, end) {
    case (.timeout, .unreachable): break  // The timeout is still to come.
    case (.timeout, _): gate.finish(end)
    case _ where end.isSilent:
      // What is held back is still due.
      if isWaiting { state.value.ending = (end, .zero) } else { gate.finish(end) }
    case (.delay, _):
      if case .last(let value) = end { accept(value) }
      state.value.ending = (.completed, scheduler.now + interval)
      if state.value.isTimerSet == false { setTimer(interval) }
    case (_, .completed):
      if let pending = state.value.pending { gate.finish(.last(pending)) } else { gate.finish(end) }
    // A value that is held back gives way to the newer one.
    default: gate.finish(end)
    }
  }

  private func tick() {
    state.value.isTimerSet = false
    switch rule {
    case .delay: return sendDue()
    case .timeout(let failure):
      let rest = state.value.dueAt - scheduler.now
      if rest > .zero { setTimer(rest) } else { gate.finish(.failed(failure)) }
      return
    case .debounce:
      let rest = state.value.dueAt - scheduler.now
      if rest > .zero, state.value.pending != nil { return setTimer(rest) }
    case .throttle:
      if state.value.pending != nil { setTimer(interval) }
    }
    if let value = state.value.pending.take() { gate.send(value) }
    if let ending = state.value.ending { gate.finish(ending.end) }
  }

  /// Sends what `delay` has held back for long enough, and sets the timer for what it still holds back.
  private func sendDue() {
    let now = scheduler.now
    while let first = state.value.waiting.first {
      if first.dueAt > now { return setTimer(first.dueAt - now) }
      _ = state.value.waiting.popFirst()
      gate.send(first.value)
      if gate.isDisposed { return }
    }
    guard let ending = state.value.ending else { return }
    if ending.dueAt > now { setTimer(ending.dueAt - now) } else { gate.finish(ending.end) }
  }
}
