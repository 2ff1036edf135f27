/// The source behind an `Observer`; only observers keep it, while the gate belongs to the subscription.
///
/// So its deinit tells that nothing can be sent any more, and what waits downstream is freed. The gate's only resource is
/// the teardown of the source's work.
@usableFromInline
final class Emitter<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline let gate: Gate<Value, Failure>
  @usableFromInline let pressure: Pressure?
  @usableFromInline let starts: DeferredStarts?
  /// Whether there is a stage below it, and not the subscriber.
  @usableFromInline let hasStages: Bool

  @inlinable
  init(_ gate: Gate<Value, Failure>, under pressure: Pressure?, _ starts: DeferredStarts?, hasStages: Bool) {
    self.gate = gate
    self.pressure = pressure
    self.starts = starts
    self.hasStages = hasStages
  }

  @inlinable
  deinit {
    guard hasStages, !gate.isDisposed, gate.enter() else { return }
    let end = gate.end
    gate.free()
    end?(.abandoned)
    gate.leave()
  }

  /// Runs the work and keeps its teardown, which runs at once if the signal has ended by then.
  @inlinable
  static func start(
    _ work: (Observer<Value, Failure>) -> Disposable?, _ gate: Gate<Value, Failure>, under pressure: Pressure?,
    _ starts: DeferredStarts? = nil, hasStages: Bool = true
  ) {
    let observer = Observer(Emitter(gate, under: pressure, starts, hasStages: hasStages))
    if let teardown = work(observer) { gate.hold(teardown) }
  }

  @inlinable
  func next(_ value: Value) {
    guard gate.enter() else { return gate.later { self.gate.send(value) } }
    starts?.hold()
    gate.send(value)
    gate.leave()
    starts?.resume()
  }

  @inlinable
  func end(_ end: End<Value, Failure>) {
    guard gate.enter() else { return gate.later { self.finish(end) } }
    finish(end)
    gate.leave()
  }

  /// Delivers the end, after a last value, and then runs the teardown.
  @inlinable
  func finish(_ end: End<Value, Failure>) {
    if let subscriber = gate.subscriber {
      // The last value comes first, as its handler may dispose.
      if case .last(let value) = end { gate.send(value) }
      if gate.close() {
        if case .failed(let failure) = end { subscriber(.failed(failure)) } else { subscriber(.completed) }
      }
    } else if let deliver = gate.end, gate.close() {
      gate.free()
      deliver(end)
    }
    gate.disposeResource()
  }
}
