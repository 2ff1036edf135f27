/// What a signal's work sends its events to.
///
/// It may be used from any thread and kept for as long as the work lasts. Events of one subscription never overlap and
/// keep the order of the thread that sent them. An event that is sent while another is being delivered, on the same thread
/// or another, is delivered after it by the thread that delivers. Events after a terminal event or a disposal are dropped,
/// and an observer that outlives its subscription keeps nothing of the subscriber alive.
///
/// When the last copy of an observer is deallocated before it has sent a terminal event, nothing more can come: the closures
/// of operators and subscribers below are released silently (without any operator, with the handle), and the teardown runs
/// when the subscription is disposed.
public struct Observer<Value: Sendable, Failure: Error>: Sendable {
  /// One reference: the token has the gate.
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

  /// How many values wait downstream, for a source that can pause; `nil` where there is no buffer.
  package var pressure: Pressure? { if case .token(let token) = source { token.pressure } else { nil } }

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

  /// Sends a last value and completes, in one delivery: what a request does.
  ///
  /// The subscriber gets the same two events as after `send` and ``complete()``; the stages between do half the work.
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
  /// A loop that produces many values asks this between two of them.
  @inlinable public var isDisposed: Bool { gate.isDisposed }
}
