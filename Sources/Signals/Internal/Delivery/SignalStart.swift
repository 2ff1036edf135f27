/// The start of a signal, now or later on a scheduler; an end that arrives while it runs follows it.
final class SignalStart: Disposing {
  private let source = Disposable()
  private let heldEnd = HeldEnd()
  // Not a generic class: each allocation would look up the metadata of its fields.
  private let work: Guarded<(@Sendable (SignalStart) -> Void)?>

  init<Value, Failure>(_ signal: Signal<Value, Failure>, _ downstream: Downstream<Value, Failure>) {
    work = Guarded({ start in
      signal.feed(
        downstream, scope: start.source, next: downstream.next,
        end: { end in
          if start.heldEnd.isStarted { return downstream.end(end) }
          start.heldEnd.hold { if !start.isDisposed { downstream.end(end) } }
        })
      start.heldEnd.deliver()
    })
  }

  var isDisposed: Bool { source.isCancelled }

  func run() {
    let work = work.withLock { $0.take() }
    work?(self)
  }

  func dispose() {
    work.set(nil)
    source.dispose()
  }
}

/// The end of a signal that terminates while it is being started.
///
/// The start returns the teardown, and a stage downstream may start the next signal at the end. The starter therefore
/// delivers the end, once the start has returned. Values pass at once.
@usableFromInline
struct HeldEnd: ~Copyable, Sendable {
  @usableFromInline let tailCall = TailCall()
  private let delivery = Guarded<(@Sendable () -> Void)?>(nil)

  /// Whether the start has returned, so that an end needs no closure.
  @inlinable var isStarted: Bool { tailCall.isStarted }

  /// Holds the delivery of an end for the starter, or runs it if the start has returned.
  @usableFromInline
  func hold(_ delivery: @escaping @Sendable () -> Void) {
    if tailCall.leave({ self.delivery.set(delivery) }) { return }
    self.delivery.set(nil)
    delivery()
  }

  /// Delivers a held end; called by the starter when the start has returned.
  @inlinable
  func deliver() { if tailCall.claimTail() { deliverHeld() } }

  @usableFromInline
  func deliverHeld() {
    let delivery = delivery.withLock { $0.take() }
    delivery?()
  }
}
