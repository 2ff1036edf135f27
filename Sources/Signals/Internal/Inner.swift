public import Synchronization

/// One inner signal of a flattening while it runs: the gate of plain work; anything else has a scope to run in.
@usableFromInline
final class Inner<Input: Sendable, Value: Sendable, Failure: Error>: Gate<Value, Failure> {
  @usableFromInline let parent: FlatMap<Input, Value, Failure>
  @usableFromInline let scope: Disposable?
  @usableFromInline let cancelled = Atomic<Bool>(false)
  @usableFromInline let unreachable = Atomic<Bool>(false)

  @inlinable
  init(_ parent: FlatMap<Input, Value, Failure>, _ scope: Disposable?) {
    self.parent = parent
    self.scope = scope
    super.init()
  }

  @inlinable
  static func make(_ parent: FlatMap<Input, Value, Failure>, for signal: Signal<Value, Failure>) -> Inner {
    guard case .create = signal.kind else { return Inner(parent, Disposable()) }
    let inner = Inner(parent, nil)
    inner.next = { inner.parent.deliver($0, from: inner) }
    inner.end = { inner.ended($0) }
    return inner
  }

  /// Whether it was replaced or disposed, so that nothing more may be sent for it.
  @inlinable var isCancelled: Bool { cancelled.load(ordering: .acquiring) }
  @inlinable var isUnreachable: Bool { unreachable.load(ordering: .acquiring) }

  @inlinable
  func run(_ signal: Signal<Value, Failure>) {
    let starts = parent.strategy.kind == .latest ? parent.starts?.beyond : parent.starts
    if case .create(let start) = signal.kind {
      return self.start(start, SourceToken(self, under: parent.pressure, starts))
    }
    guard let scope else { return }
    signal.run(
      in: Downstream(
        next: { self.parent.deliver($0, from: self) }, end: { self.ended($0) }, scope: scope, subscription: self,
        depth: parent.depth + 1, pressure: parent.pressure, starts: starts, bypass: { self.parent.bypass() }))
  }

  @inlinable
  func ended(_ end: End<Value, Failure>) {
    switch end {
    case .last(let value):
      parent.deliver(value, from: self)
      parent.innerEnded(self)
    case .failed(let failure): parent.finish(.failed(failure), from: self)
    case .completed, .abandoned: parent.innerEnded(self)
    case .unreachable:
      unreachable.store(true, ordering: .releasing)
      parent.innerIsUnreachable()
    }
  }

  /// Stops it silently; the flattening goes on without it.
  @usableFromInline
  override func dispose() {
    cancelled.store(true, ordering: .sequentiallyConsistent)
    tearDown()
    parent.innerEnded(self)
  }

  /// Disposes its upstream, which has ended or is not to start.
  @inlinable
  func tearDown() {
    cancel()
    scope?.dispose()
  }

  /// What is still to be disposed once nothing more can come.
  func takeUpstream() -> (any Disposing)? { scope ?? takeResource() }
}
