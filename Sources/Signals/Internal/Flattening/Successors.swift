/// A sequence of signals: each one starts after the previous one has completed and has been torn down.
///
/// The stages of the running signal retain the sequence. The sequence retains only signals that have not started.
@usableFromInline
final class Successors<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline let downstream: Downstream<Value, Failure>
  @usableFromInline let tailCall = TailCall()
  @usableFromInline let remaining: Cell<FIFOQueue<Signal<Value, Failure>>>

  @inlinable
  init(_ remaining: ArraySlice<Signal<Value, Failure>>, _ downstream: Downstream<Value, Failure>) {
    self.remaining = Cell(FIFOQueue(remaining))
    self.downstream = downstream
  }

  /// Runs the signals.
  ///
  /// Ready signals are sent in this loop. The last signal is returned as a tail call.
  @inlinable
  static func run(
    _ signals: [Signal<Value, Failure>], in downstream: Downstream<Value, Failure>
  ) -> Signal<Value, Failure>? {
    guard !signals.isEmpty else { return .empty }
    let last = signals.count - 1
    let (scope, next) = (downstream.scope, downstream.next)
    var index = 0
    while index < last {
      if scope.isCancelled { return nil }
      let signal = signals[index].resolved()
      index += 1
      switch signal.kind {
      case .ready(let value): next(value)
      case .empty: continue
      case .failed: return signal
      default: return Successors(signals[index...], downstream).start(signal)
      }
    }
    return signals[last]
  }

  /// Runs two signals, the second as a tail call.
  @inlinable
  static func run(
    _ first: Signal<Value, Failure>, then second: Signal<Value, Failure>, in downstream: Downstream<Value, Failure>
  ) -> Signal<Value, Failure>? {
    let signal = first.resolved()
    switch signal.kind {
    case .ready(let value): downstream.next(value)
    case .empty: break
    case .failed: return signal
    default: return Successors([second], downstream).start(signal)
    }
    return second
  }

  /// Starts a signal and, as long as each completes synchronously, its successors; returns the tail call.
  @inlinable
  func start(_ signal: Signal<Value, Failure>) -> Signal<Value, Failure>? {
    var current = signal
    while true {
      current.feed(downstream, next: downstream.next, end: { self.end($0) })
      guard tailCall.claimTail(restarts: true) else { return nil }
      downstream.scope.clear()
      guard let (next, isLast) = takeNext() else { return nil }
      if isLast { return next }
      current = next
    }
  }

  @inlinable
  func end(_ end: End<Value, Failure>) {
    switch end {
    case .last(let value): downstream.next(value)
    case .failed, .abandoned, .unreachable: return downstream.end(end)
    case .completed: break
    }
    // Torn down first, because the starter may be another thread and start the next signal at once.
    downstream.scope.clear()
    if tailCall.leaveToStarter() { return }
    tailCall.restart()
    Signal.stage { _ in
      guard let (next, isLast) = self.takeNext() else { return nil }
      return isLast ? next : self.start(next)
    }
    .run(in: downstream)
  }

  /// Sends the ready signals and returns the next one that is not ready, or `nil` if disposed.
  @inlinable
  func takeNext() -> (Signal<Value, Failure>, isLast: Bool)? {
    while !downstream.scope.isCancelled, let signal = remaining.value.popFirst() {
      if remaining.value.isEmpty { return (signal, true) }
      let resolved = signal.resolved()
      switch resolved.kind {
      case .ready(let value): downstream.next(value)
      case .empty: continue
      case .failed: return (resolved, true)
      default: return (resolved, false)
      }
    }
    return nil
  }
}

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

  /// Continues with a successor, which is made on this thread and starts after the previous signal has been torn down.
  ///
  /// It is also made after the teardown, unless the previous signal is still being started: a signal that terminates
  /// there returns its teardown later.
  @usableFromInline
  func follow(with make: () -> Signal<Value, Failure>) {
    // Torn down first, because the starter may be another thread and start the successor at once.
    downstream.scope.clear()
    if downstream.scope.isCancelled { return }
    let successor = make()
    if tailCall.leave({ tail.withLock { $0 = { successor } } }) { return }
    tail.withLock { $0 = nil }
    successor.run(in: downstream)
  }

  /// Returns the tail call, if there is one, after the first signal has been started.
  @usableFromInline
  func takeTailCall() -> Signal<Value, Failure>? {
    guard tailCall.claimTail() else { return nil }
    downstream.scope.clear()
    return tail.withLock { $0.take() }.map { .deferred($0) }
  }
}
