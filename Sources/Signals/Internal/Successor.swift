/// A stage that may run another signal after the one that ended: `catch`, `retry`, `then`, `ifEmpty`.
@usableFromInline
final class Successor<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline let downstream: Downstream<Value, Failure>
  @usableFromInline let handover = Handover()
  /// Written before the hand-over and read after it.
  @usableFromInline let tail = Cell<Signal<Value, Failure>?>(nil)

  @usableFromInline
  init(_ downstream: Downstream<Value, Failure>) {
    self.downstream = downstream
  }

  /// Continues with another signal, at the end of the one before, which is torn down first.
  @usableFromInline
  func follow(with make: @escaping @Sendable () -> Signal<Value, Failure>) {
    tail.value = .deferred(make)
    if handover.leaveToStarter() { return }
    tail.value = nil
    downstream.scope.clear()
    Signal.deferred(make).run(in: downstream)
  }

  /// What the starter returns once the first signal has been started.
  @usableFromInline
  func started() -> Signal<Value, Failure>? {
    guard handover.hasTail() else { return nil }
    downstream.scope.clear()
    defer { tail.value = nil }
    return tail.value
  }
}
