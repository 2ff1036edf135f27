/// The sink of a signal's work: receives the events that the work sends.
///
/// It may be used from any thread and kept for as long as the work lasts. The events of one subscription never overlap
/// and keep the order in which each thread sent them. An event that is sent during another delivery, on the same thread
/// or another, is queued and delivered afterwards by the delivering thread. Events after a terminal event or after
/// disposal are dropped. An observer that outlives its subscription retains nothing of the subscriber.
///
/// If the last copy of an observer is deallocated before it has sent a terminal event, no event can follow. The
/// closures of the operators and the subscriber downstream are then released silently; a subscription without operators
/// releases them with its handle. The teardown runs when the subscription is disposed.
public struct Observer<Value: Sendable, Failure: Error>: Sendable {
  /// A single reference suffices, because the token holds the gate.
  @usableFromInline
  enum Source: Sendable {
    case gate(Gate<Value, Failure>)
    case token(SourceToken<Value, Failure>)
  }

  @usableFromInline let source: Source

  @inlinable
  init(_ source: Source) {
    self.source = source
  }

  @inlinable var gate: Gate<Value, Failure> {
    switch source {
    case .gate(let gate): gate
    case .token(let token): token.gate
    }
  }

  /// The back-pressure from downstream, for a source that can pause, or `nil` if there is no buffer downstream.
  package var pressure: Pressure? { if case .token(let token) = source { token.pressure } else { nil } }

  /// Stores the handle that stops the work before the work is started; the closure that starts it then returns `nil`.
  ///
  /// Work that sends events while it starts can thus be stopped by their subscriber.
  package func hold(_ handle: Disposable) { gate.hold(handle) }

  /// Sends a value.
  @inlinable
  public func send(_ value: Value) {
    guard case .token(let token) = source, let starts = token.starts else { return gate.emit(value) }
    starts.hold()
    gate.emit(value)
    starts.resume()
  }

  /// Fails the signal.
  @inlinable
  public func fail(_ failure: Failure) { gate.emit(.failed(failure)) }

  /// Completes the signal.
  @inlinable
  public func complete() { gate.emit(.completed) }

  /// Sends a last value and completes in one delivery, as a request does.
  ///
  /// The subscriber receives the same two events as after `send` and ``complete()``. The stages between do half the
  /// work.
  @inlinable
  public func complete(with value: Value) { gate.emit(.last(value)) }

  /// Sends an event of any kind.
  @inlinable
  public func send(_ event: Event<Value, Failure>) {
    switch event {
    case .value(let value): send(value)
    case .failed(let failure): gate.emit(.failed(failure))
    case .completed: gate.emit(.completed)
    }
  }

  /// Whether the signal has terminated or its subscription was disposed.
  ///
  /// A loop that produces many values should check it between two values.
  @inlinable public var isDisposed: Bool { gate.isDisposed }
}
