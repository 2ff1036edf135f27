/// An event delivered to a subscriber: a value, a failure or completion.
///
/// A subscription delivers any number of values and then at most one terminal event: `value* (failed | completed)?`.
@frozen
public enum Event<Value: Sendable, Failure: Error>: Sendable {
  /// A value; further events may follow.
  case value(Value)
  /// The signal failed; no event follows.
  case failed(Failure)
  /// The signal completed; no event follows.
  case completed

  /// The value, or `nil` for a terminal event.
  public var value: Value? {
    if case .value(let value) = self { value } else { nil }
  }

  /// The failure, or `nil` for a value and for completion.
  public var failure: Failure? {
    if case .failed(let failure) = self { failure } else { nil }
  }

  /// Whether this event terminates the subscription.
  public var isTerminal: Bool {
    if case .value = self { false } else { true }
  }
}

extension Event: Equatable where Value: Equatable, Failure: Equatable {}
extension Event: Hashable where Value: Hashable, Failure: Hashable {}

/// The sink of a signal's work: receives the events that the work sends.
///
/// An observer may be used from any thread and retained for as long as the work lasts. The events of one subscription
/// never overlap and keep the order in which each thread sent them. An event that is sent during another delivery, on
/// the same thread or another, is queued and delivered afterwards by the delivering thread. Events after a terminal
/// event or after disposal are dropped. An observer that outlives its subscription retains nothing of the subscriber.
///
/// If the last copy of an observer is deallocated before a terminal event was sent, no event can follow. The closures
/// of the operators and the subscriber downstream are then released silently; a subscription without operators releases
/// them with its handle. The teardown runs when the subscription is disposed.
public struct Observer<Value: Sendable, Failure: Error>: Sendable {
  // Two references instead of one of either kind: a call of the gate then needs neither a retain nor a release.
  @usableFromInline let gate: Gate<Value, Failure>
  @usableFromInline let token: SourceToken<Value, Failure>?

  @inlinable
  init(_ gate: Gate<Value, Failure>, _ token: SourceToken<Value, Failure>? = nil) {
    self.gate = gate
    self.token = token
  }

  /// The back-pressure from downstream, for a source that can pause, or `nil` if there is no buffer downstream.
  @inlinable package var pressure: Pressure? { token?.pressure }

  /// Stores, before the work starts, the handle that stops it; the closure that starts the work then returns `nil`.
  ///
  /// Work that sends events while it starts can thus be stopped by their subscriber.
  @inlinable package func hold(_ handle: Disposable) { gate.hold(handle) }

  /// Releases the stages and the subscriber downstream, as the deallocation of the last copy does: no event will be sent.
  package func drop() { if !gate.isDisposed { gate.reportUnreachable() } }

  /// Sends a value, which is dropped if the signal has terminated or its subscription was disposed.
  @inlinable
  public func send(_ value: Value) {
    if gate.hasNoDeferral { gate.emit(value) } else { sendDeferring(value) }
  }

  /// Sends a value while the starts of inner signals downstream are deferred, and then starts a deferred inner signal.
  @inlinable @inline(never)
  func sendDeferring(_ value: Value) {
    guard gate.isWatched else {
      token?.starts?.hold()
      gate.emit(value)
      token?.starts?.resume()
      return
    }
    if gate.enter() {
      gate.countDelivery()
      gate.send(value)
      gate.leave()
    } else {
      gate.sendLater(value, counts: true)
    }
    if gate.hasDeferred { token?.starts?.startPending() }
  }

  /// Fails the signal.
  @inlinable
  public func fail(_ failure: Failure) { end(.failed(failure)) }

  /// Completes the signal.
  @inlinable
  public func complete() { end(.completed) }

  /// Sends a last value and completes in one delivery, as a request does.
  ///
  /// The subscriber receives the same two events as from `send` and ``complete()``. The stages in between do half the
  /// work.
  @inlinable
  public func complete(with value: Value) { end(.last(value)) }

  /// Ends the signal and then starts an inner signal that was deferred because another thread saw the gate busy.
  @inlinable
  func end(_ end: End<Value, Failure>) {
    gate.emit(end)
    if gate.hasDeferred { token?.starts?.startPending() }
  }

  /// Sends an event; a terminal event terminates the signal.
  @inlinable
  public func send(_ event: Event<Value, Failure>) {
    switch event {
    case .value(let value): send(value)
    case .failed(let failure): end(.failed(failure))
    case .completed: end(.completed)
    }
  }

  /// Whether the signal has terminated or its subscription was disposed.
  ///
  /// A loop that produces many values should check it between two values.
  @inlinable public var isDisposed: Bool { gate.isDisposed }
}
