/// A stage that may run a successor after its signal has terminated: `catch`, `retry`, `then`.
@usableFromInline
final class Successor<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline let downstream: Downstream<Value, Failure>
  @usableFromInline let tailCall = TailCall()
  /// Set before the tail call and taken after it.
  private let tail = Guarded<(@Sendable () -> Signal<Value, Failure>)?>(nil)

  @usableFromInline
  init(_ downstream: Downstream<Value, Failure>) {
    self.downstream = downstream
  }

  /// Continues with a successor; the previous signal is torn down first.
  @usableFromInline
  func follow(with make: @escaping @Sendable () -> Signal<Value, Failure>) {
    tail.withLock { $0 = make }
    if tailCall.leaveToStarter() { return }
    tail.withLock { $0 = nil }
    downstream.scope.clear()
    Signal.deferred(make).run(in: downstream)
  }

  /// Returns the tail call, if there is one, after the first signal has been started.
  @usableFromInline
  func takeTailCall() -> Signal<Value, Failure>? {
    guard tailCall.claimTail() else { return nil }
    downstream.scope.clear()
    return tail.withLock { $0.take() }.map { .deferred($0) }
  }
}
