/// What the observers of one source share, and only they keep.
///
/// Its deinit tells that nothing can be sent any more: what waits downstream is freed. A source that has no stage below it
/// and no buffer needs none.
@usableFromInline
final class SourceToken<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline let gate: Gate<Value, Failure>
  @usableFromInline let pressure: Pressure?
  @usableFromInline let starts: DeferredStarts?

  @inlinable
  init(_ gate: Gate<Value, Failure>, under pressure: Pressure?, _ starts: DeferredStarts?) {
    self.gate = gate
    self.pressure = pressure
    self.starts = starts
  }

  @inlinable
  deinit {
    if !gate.isDisposed { gate.abandon() }
  }
}

/// What a source does at its gate; the gate's resource is the teardown of the source's work.
extension Gate {
  /// Runs a source's work and keeps its teardown, which runs at once if the signal has ended by then.
  ///
  /// The token outlives the work: a stage that is told that nothing more can come finds the teardown in place.
  @inlinable
  func start(_ work: (Observer<Value, Failure>) -> Disposable?, _ token: SourceToken<Value, Failure>?) {
    if let teardown = work(Observer(token.map { .token($0) } ?? .gate(self))) { hold(teardown) }
    withExtendedLifetime(token) {}
  }

  @inlinable
  func emit(_ value: Value) {
    guard enter() else { return later { self.send(value) } }
    send(value)
    leave()
  }

  @inlinable
  func emit(_ end: End<Value, Failure>) {
    guard enter() else { return later { self.deliver(end) } }
    deliver(end)
    // Mostly it is closed by now.
    if isDisposed { free() } else { leave() }
  }

  /// Delivers the end, after a last value, and then runs the teardown.
  @inlinable
  func deliver(_ end: End<Value, Failure>) {
    if let subscriber {
      // The last value comes first, as its handler may dispose.
      if case .last(let value) = end { send(value) }
      if close() {
        if case .failed(let failure) = end { subscriber(.failed(failure)) } else { subscriber(.completed) }
      }
    } else if let deliver = self.end, close() {
      cut()
      deliver(end)
    }
    disposeResource()
  }

  /// Frees what is downstream and tells it, as nothing can be sent any more; the teardown waits for the disposal.
  @usableFromInline
  func abandon() {
    run {
      let end = self.end
      self.cut()
      end?(.unreachable)
      self.free()
    }
  }
}
