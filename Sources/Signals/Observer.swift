/// What a signal's work sends its events to.
///
/// It may be used from any thread and kept for as long as the work lasts. Events of one subscription never overlap and
/// keep the order of the thread that sent them; what is sent while another event is being delivered, on the same
/// thread or another, is delivered after it by the thread that delivers. After an ending or a disposal everything
/// sent is dropped, and nothing that the subscriber owned is kept alive by an observer that outlives it.
public struct Observer<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline let emitter: Emitter<Value, Failure>
  /// What waits further on, for a source that can pause; `nil` where nobody queues.
  @usableFromInline package let pressure: Pressure?

  @inlinable
  init(_ emitter: Emitter<Value, Failure>, _ pressure: Pressure?) {
    self.emitter = emitter
    self.pressure = pressure
  }

  /// Sends a value.
  @inlinable
  public func send(_ value: Value) { emitter.next(value) }

  /// Ends the signal with a failure.
  @inlinable
  public func fail(_ failure: Failure) { emitter.end(.failed(failure)) }

  /// Ends the signal in order.
  @inlinable
  public func complete() { emitter.end(.completed) }

  /// Sends a last value and completes, in one delivery: what a request does.
  ///
  /// The subscriber sees the same two events as after `send` and ``complete()``; the stages between do half the work.
  @inlinable
  public func complete(with value: Value) { emitter.end(.last(value)) }

  /// Sends an event of any kind.
  @inlinable
  public func send(_ event: Event<Value, Failure>) {
    switch event {
    case .value(let value): emitter.next(value)
    case .failed(let failure): emitter.end(.failed(failure))
    case .completed: emitter.end(.completed)
    }
  }

  /// Whether nobody listens any more, because the signal ended or its subscription was disposed.
  ///
  /// A loop that produces many values asks this between two of them.
  @inlinable public var isDisposed: Bool { emitter.isOver }
}
