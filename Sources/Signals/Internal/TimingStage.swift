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
    let downstream: Downstream<Value, Failure>
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
  private let scheduler: any Scheduler
  private let gate: Gate<State>

  init(
    _ rule: Rule, _ interval: Duration, _ scheduler: any Scheduler, _ downstream: Downstream<Value, Failure>
  ) {
    self.rule = rule
    self.interval = interval
    self.scheduler = scheduler
    gate = Gate(State(downstream: downstream))
    gate.resources.add(source)
    gate.resources.add(timer)
    downstream.scope.hold(gate)
    guard case .timeout = rule else { return }
    gate.run { [self] in
      gate.state?.dueAt = scheduler.now + interval
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
    if case .abandoned = end {} else { source.dispose() }
  }

  private func finish(_ end: End<Value, Failure>) {
    if let downstream = gate.state?.downstream { gate.finish(end, downstream) }
  }

  private func setTimer(_ delay: Duration) {
    gate.state?.isTimerSet = true
    timer.set(after: delay, on: scheduler) { gate.run { tick() } }
  }

  private func accept(_ value: Value) {
    let now = scheduler.now
    switch rule {
    case .delay:
      gate.state?.waiting.append((value, now + interval))
      if gate.state?.isTimerSet == false { setTimer(interval) }
    case .debounce:
      gate.state?.pending = value
      gate.state?.dueAt = now + interval
      if gate.state?.isTimerSet == false { setTimer(interval) }
    case .throttle:
      if gate.state?.isTimerSet == true {
        gate.state?.pending = value
      } else {
        setTimer(interval)
        gate.state?.downstream.next(value)
      }
    case .timeout:
      // The timer finds out when it fires: a new one for each value would cost a hundred times as much.
      gate.state?.dueAt = now + interval
      gate.state?.downstream.next(value)
    }
  }

  private func accept(_ end: End<Value, Failure>) {
    if case .failed = end { return finish(end) }
    guard let state = gate.state else { return }
    let isWaiting = state.pending != nil || !state.waiting.isEmpty
    switch (rule, end) {
    case (.timeout, .abandoned): break  // The timeout is still to come.
    case (.timeout, _): finish(end)
    case (.delay, .abandoned), (.debounce, .abandoned), (.throttle, .abandoned):
      // What is held back is still due.
      if isWaiting { gate.state?.ending = (end, .zero) } else { finish(end) }
    case (.delay, _):
      if case .last(let value) = end { accept(value) }
      gate.state?.ending = (.completed, scheduler.now + interval)
      if gate.state?.isTimerSet == false { setTimer(interval) }
    case (_, .completed):
      if let pending = state.pending { finish(.last(pending)) } else { finish(end) }
    // A value that is held back gives way to the newer one.
    default: finish(end)
    }
  }

  private func tick() {
    gate.state?.isTimerSet = false
    switch rule {
    case .delay: return sendDue()
    case .timeout(let failure):
      guard let rest = restUntilDue() else { return }
      if rest > .zero { setTimer(rest) } else { finish(.failed(failure)) }
      return
    case .debounce:
      guard gate.state?.pending != nil, let rest = restUntilDue() else { return }
      if rest > .zero { return setTimer(rest) }
    case .throttle:
      if gate.state?.pending != nil { setTimer(interval) }
    }
    if let value = gate.state?.pending.take() { gate.state?.downstream.next(value) }
    if let ending = gate.state?.ending { finish(ending.end) }
  }

  private func restUntilDue() -> Duration? { gate.state.map { $0.dueAt - scheduler.now } }

  /// Sends what `delay` has held back for long enough, and sets the timer for what it still holds back.
  private func sendDue() {
    let now = scheduler.now
    while let first = gate.state?.waiting.first {
      if first.dueAt > now { return setTimer(first.dueAt - now) }
      _ = gate.state?.waiting.popFirst()
      gate.state?.downstream.next(first.value)
      if gate.isDisposed { return }
    }
    guard let ending = gate.state?.ending else { return }
    if ending.dueAt > now { setTimer(ending.dueAt - now) } else { finish(ending.end) }
  }
}
