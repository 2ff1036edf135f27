public import Synchronization

/// One inner signal of a flattening while it runs.
@usableFromInline
final class Inner<Input: Sendable, Value: Sendable, Failure: Error>: Disposing {
  @usableFromInline let parent: FlatMap<Input, Value, Failure>
  @usableFromInline let scope = Disposable()
  @usableFromInline let cancelled = Atomic<Bool>(false)

  @inlinable
  init(_ parent: FlatMap<Input, Value, Failure>) {
    self.parent = parent
  }

  /// Whether it was replaced or disposed, so that nothing more may be sent for it.
  @inlinable var isCancelled: Bool { cancelled.load(ordering: .acquiring) }
  @inlinable var isDisposed: Bool { scope.isCancelled }

  @inlinable
  func run(_ signal: Signal<Value, Failure>) {
    signal.run(
      in: Downstream(
        next: { self.parent.deliver($0, from: self) }, end: { self.end($0) }, scope: scope, subscription: self,
        depth: parent.depth + 1, pressure: parent.pressure,
        starts: parent.strategy.kind == .latest ? parent.starts?.beyond : parent.starts,
        bypass: { self.parent.bypass() }))
  }

  @inlinable
  func end(_ end: End<Value, Failure>) {
    switch end {
    case .last(let value):
      parent.deliver(value, from: self)
      parent.innerEnded(self)
    case .failed(let failure): parent.finish(.failed(failure), from: self)
    case .completed, .abandoned: parent.innerEnded(self)
    }
  }

  /// Stops it silently; the flattening goes on without it.
  @inlinable
  func dispose() {
    cancelled.store(true, ordering: .sequentiallyConsistent)
    scope.dispose()
    parent.innerEnded(self)
  }
}
