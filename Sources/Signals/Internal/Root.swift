public import Synchronization

/// The subscriber at the end of a chain of stages: nothing reaches its handler after the end or after disposal.
@usableFromInline
final class Root<Value: Sendable, Failure: Error>: Cancellable {
  /// The handler, in an object of its own: it can be called without being retained, and freed at the end.
  @usableFromInline
  final class Handler: Sendable {
    @usableFromInline let call: @Sendable (Event<Value, Failure>) -> Void

    @inlinable
    init(_ call: @escaping @Sendable (Event<Value, Failure>) -> Void) {
      self.call = call
    }
  }

  @usableFromInline let over = Atomic<Bool>(false)
  @usableFromInline let hasEnded = Atomic<Bool>(false)
  /// Released by the delivery of the end, or else with the root: deliveries never overlap.
  @usableFromInline let handler: Unmanaged<Handler>
  // Set once, before the work starts. Weak: what delivers must not keep alive what stops it.
  @usableFromInline nonisolated(unsafe) weak var handle: Disposable?

  @inlinable
  init(_ handler: @escaping @Sendable (Event<Value, Failure>) -> Void) {
    self.handler = .passRetained(Handler(handler))
  }

  deinit {
    if !hasEnded.load(ordering: .acquiring) { handler.release() }
  }

  @inlinable var isOver: Bool { over.load(ordering: .acquiring) }

  @inlinable
  func sink(under pressure: Pressure? = nil) -> Sink<Value, Failure> {
    Sink(next: { self.next($0) }, end: { self.end($0) }, depth: 0, pressure: pressure)
  }

  @inlinable
  func next(_ value: Value) {
    if !isOver { handler._withUnsafeGuaranteedRef { $0.call(.value(value)) } }
  }

  @inlinable
  func end(_ end: End<Value, Failure>) {
    if case .last(let value) = end { next(value) }
    guard !over.exchange(true, ordering: .acquiringAndReleasing) else { return }
    hasEnded.store(true, ordering: .releasing)
    let handler = handler.takeRetainedValue()
    if case .failed(let failure) = end { handler.call(.failed(failure)) } else { handler.call(.completed) }
    handle?.dispose()
  }

  @inlinable
  func cancel() { over.store(true, ordering: .releasing) }
}
