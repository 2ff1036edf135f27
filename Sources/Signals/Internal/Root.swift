public import Synchronization

/// The subscriber at the end of a chain of stages: nothing reaches its handler after the end or after disposal.
@usableFromInline
final class Root<Value: Sendable, Failure: Error>: Cancellable {
  @usableFromInline let over = Atomic<Bool>(false)
  // Touched by deliveries only, which never overlap; freed at the end, also while the handle is kept.
  @usableFromInline nonisolated(unsafe) var handler: (@Sendable (Event<Value, Failure>) -> Void)?

  // Set once, before the work starts. Weak: what delivers must not keep alive what stops it.
  @usableFromInline nonisolated(unsafe) weak var handle: Disposable?

  @inlinable
  init(_ handler: @escaping @Sendable (Event<Value, Failure>) -> Void) {
    self.handler = handler
  }

  @inlinable var isOver: Bool { over.load(ordering: .acquiring) }

  @inlinable
  var sink: Sink<Value, Failure> {
    Sink(next: { self.next($0) }, end: { self.end($0) }, depth: 0)
  }

  @inlinable
  func next(_ value: Value) {
    if !isOver { handler?(.value(value)) }
  }

  @inlinable
  func end(_ end: End<Value, Failure>) {
    if case .last(let value) = end { next(value) }
    guard !over.exchange(true, ordering: .acquiringAndReleasing) else { return }
    let handler = handler
    self.handler = nil
    if case .failed(let failure) = end { handler?(.failed(failure)) } else { handler?(.completed) }
    handle?.dispose()
  }

  @usableFromInline
  func cancel() { over.store(true, ordering: .releasing) }
}
