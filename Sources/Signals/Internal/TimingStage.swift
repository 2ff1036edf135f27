/// Values, endings and the ticks of a clock in one order: `delay`, `debounce`, `throttle` and `timeout`.
///
/// All state is touched inside the gate only. Time comes from the scheduler alone, so virtual time drives it.
final class TimingStage<Value: Sendable, Failure: Error>: Cancellable {
  enum Rule: Sendable {
    case delay
    case debounce
    case throttle
    case timeout(Failure)
  }

  private enum Item: Sendable {
    case event(Event<Value, Failure>.Whole)
    case tick(Int)
  }

  private struct State {
    var waiting = Waiting<End<Value, Failure>>()
    var pending: Value?
    var generation = 0
    var isInInterval = false
    /// When it has been silent for too long.
    var dueAt = Duration.zero
  }

  let source = Disposable()
  private let timer = Slot()
  private let rule: Rule
  private let interval: Duration
  private let scheduler: any Scheduler
  private let place: Continuation<Value, Failure>
  private let gate = Gate()
  private let state = Cell(State())
  private let pendingTimers = DisposeBag()

  init(_ rule: Rule, _ interval: Duration, _ scheduler: any Scheduler, _ place: Continuation<Value, Failure>) {
    self.rule = rule
    self.interval = interval
    self.scheduler = scheduler
    self.place = place
    place.scope.hold(self)
    if case .timeout = rule {
      state.value.dueAt = scheduler.now + interval
      startTimer(interval)
    }
  }

  var isOver: Bool { gate.isClosed }

  func next(_ value: Value) { submit(.event(.value(value))) }

  func end(_ end: End<Value, Failure>) { submit(.event(.end(end))) }

  func cancel() {
    if gate.close() == Gate.idle { state.value = State() }
    release()
  }

  private func release() {
    source.dispose()
    timer.close()
    pendingTimers.dispose()
  }

  private func submit(_ item: Item) {
    guard gate.enter(orKeep: item) else { return }
    accept(item)
    if !gate.leave({ (item: Item) in accept(item) }) { state.value = State() }
  }

  private func finish(_ end: End<Value, Failure>) {
    guard gate.close() != Gate.closed else { return }
    state.value = State()
    release()
    place.sink.end(end)
  }

  private func startTimer(_ delay: Duration) {
    let generation = state.value.generation
    timer.put(scheduler.schedule(after: delay) { [weak self] in self?.submit(.tick(generation)) })
  }

  private func accept(_ item: Item) {
    switch item {
    case .event(.end(.failed(let failure))): finish(.failed(failure))
    case .event(.value(let value)): accept(value)
    case .event(.end(let end)): acceptEnd(end)
    case .tick(let generation): tick(generation)
    }
  }

  private func accept(_ value: Value) {
    switch rule {
    case .delay: enqueue(.last(value))
    case .debounce:
      state.value.pending = value
      state.value.generation += 1
      startTimer(interval)
    case .throttle:
      if state.value.isInInterval {
        state.value.pending = value
      } else {
        state.value.isInInterval = true
        startTimer(interval)
        place.sink.next(value)
      }
    case .timeout:
      // The timer finds out when it comes: a new one for each value would cost a hundred times as much.
      state.value.dueAt = scheduler.now + interval
      place.sink.next(value)
    }
  }

  private func acceptEnd(_ end: End<Value, Failure>) {
    switch rule {
    case .delay:
      if case .last(let value) = end { enqueue(.last(value)) }
      enqueue(.completed)
    case .timeout: finish(end)
    case .debounce, .throttle:
      guard let pending = state.value.pending.take() else { return finish(end) }
      guard case .last = end else { return finish(.last(pending)) }
      // A debounced value gives way to the newer one; a throttled one too, as the latest of its interval.
      finish(end)
    }
  }

  /// Each of these has a timer of its own; all take as long, so they are due in the order of the queue.
  private func enqueue(_ item: End<Value, Failure>) {
    state.value.waiting.append(item)
    pendingTimers.add(scheduler.schedule(after: interval) { [weak self] in self?.submit(.tick(0)) })
  }

  private func tick(_ generation: Int) {
    switch rule {
    case .delay:
      switch state.value.waiting.popFirst() {
      case .last(let value): place.sink.next(value)
      case .completed: finish(.completed)
      case .failed, nil: break
      }
    case .debounce:
      guard generation == state.value.generation, let value = state.value.pending.take() else { return }
      place.sink.next(value)
    case .throttle:
      guard let value = state.value.pending.take() else {
        state.value.isInInterval = false
        return
      }
      startTimer(interval)
      place.sink.next(value)
    case .timeout(let failure):
      let rest = state.value.dueAt - scheduler.now
      if rest > .zero { startTimer(rest) } else { finish(.failed(failure)) }
    }
  }
}
