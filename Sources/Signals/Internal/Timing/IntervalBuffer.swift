/// The stage of `collect(every:on:)`: buffers the values of each interval and sends them together.
///
/// All state is accessed inside the gate only. A timer exists only while values are buffered: the first of them sets it
/// for the end of the current interval.
struct IntervalBuffer<Value: Sendable, Failure: Error>: Sendable {
  private struct State {
    var values: [Value] = []
    /// The end that follows the buffered values, or has them as its last value.
    var ending: End<[Value], Failure>?
  }

  let source = Disposable()
  private let timer = TimerSlot()
  private let interval: Duration
  private let scheduler: any SignalScheduler
  private let origin: Duration
  private let gate: Gate<[Value], Failure>
  private let state = Cell(State())

  init(_ interval: Duration, _ scheduler: any SignalScheduler, _ downstream: Downstream<[Value], Failure>) {
    self.interval = max(interval, .milliseconds(1))
    self.scheduler = scheduler
    origin = scheduler.now
    gate = Gate(next: downstream.next, end: downstream.end)
    gate.hold(DisposablePair(source, timer))
    downstream.scope.hold(gate)
  }

  func next(_ value: Value) {
    gate.run { accept(value) }
    repeatMissedTick()
  }

  func end(_ end: End<Value, Failure>) {
    gate.run { accept(end) }
    repeatMissedTick()
    if !end.isUnreachable { source.dispose() }
  }

  private func accept(_ value: Value) {
    if state.value.values.isEmpty {
      let elapsed = scheduler.now - origin
      let remaining = interval.wholeAttoseconds - elapsed.wholeAttoseconds % interval.wholeAttoseconds
      timer.set(after: Duration(wholeAttoseconds: remaining), on: scheduler) { fire() }
    }
    state.value.values.append(value)
  }

  private func accept(_ end: End<Value, Failure>) {
    switch end {
    case .failed(let failure): return gate.finish(.failed(failure))
    case .last(let value): state.value.values.append(value)
    case .completed: break
    case .abandoned: return endSilently(.abandoned)
    case .unreachable: return endSilently(.unreachable)
    }
    let values = takeAll()
    if values.isEmpty { return gate.finish(.completed) }
    // On the scheduler, as the values before them.
    state.value.ending = .last(values)
    timer.set(after: .zero, on: scheduler) { fire() }
  }

  private func fire() {
    timer.tick(in: gate) { sendAll() }
    repeatMissedTick()
  }

  private func repeatMissedTick() {
    if timer.takeMissedTick() { timer.set(after: .zero, on: scheduler) { fire() } }
  }

  private func endSilently(_ end: End<[Value], Failure>) {
    if state.value.values.isEmpty { gate.finish(end) } else { state.value.ending = end }
  }

  private func sendAll() {
    let values = takeAll()
    if !values.isEmpty { gate.send(values) }
    if let ending = state.value.ending { gate.finish(ending) }
  }

  private func takeAll() -> [Value] {
    let values = state.value.values
    state.value.values = []
    return values
  }
}
