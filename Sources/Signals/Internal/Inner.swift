public import Synchronization

/// One inner signal of a flattening while it runs.
@usableFromInline
final class Inner<Input: Sendable, Value: Sendable, Failure: Error>: Disposing {
  @usableFromInline let parent: FlatMap<Input, Value, Failure>
  /// The gate of plain work; anything else has a scope to run in.
  @usableFromInline let gate: Gate<Value, Failure>?
  @usableFromInline let scope: Disposable?
  @usableFromInline let cancelled = Atomic<Bool>(false)
  @usableFromInline let unreachable = Atomic<Bool>(false)

  @inlinable
  init(_ parent: FlatMap<Input, Value, Failure>, _ gate: Gate<Value, Failure>?, _ scope: Disposable?) {
    self.parent = parent
    self.gate = gate
    self.scope = scope
  }

  @inlinable
  static func make(_ parent: FlatMap<Input, Value, Failure>, for signal: Signal<Value, Failure>) -> Inner {
    guard case .create = signal.kind else { return Inner(parent, nil, Disposable()) }
    let gate = Gate<Value, Failure>()
    let inner = Inner(parent, gate, nil)
    gate.next = { inner.parent.deliver($0, from: inner) }
    gate.end = { inner.end($0) }
    return inner
  }

  var upstream: (any Disposing)? { if let gate { gate } else { scope } }

  /// Whether it was replaced or disposed, so that nothing more may be sent for it.
  @inlinable var isCancelled: Bool { cancelled.load(ordering: .acquiring) }
  @inlinable var isUnreachable: Bool { unreachable.load(ordering: .acquiring) }
  @inlinable var isDisposed: Bool { gate?.isDisposed ?? scope?.isDisposed ?? true }

  @inlinable
  func run(_ signal: Signal<Value, Failure>) {
    let starts = parent.strategy.kind == .latest ? parent.starts?.beyond : parent.starts
    if let gate, case .create(let start) = signal.kind {
      return gate.start(start, SourceToken(gate, under: parent.pressure, starts))
    }
    guard let scope else { return }
    signal.run(
      in: Downstream(
        next: { self.parent.deliver($0, from: self) }, end: { self.end($0) }, scope: scope, subscription: self,
        depth: parent.depth + 1, pressure: parent.pressure, starts: starts, bypass: { self.parent.bypass() }))
  }

  @inlinable
  func end(_ end: End<Value, Failure>) {
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
  @inlinable
  func dispose() {
    cancelled.store(true, ordering: .sequentiallyConsistent)
    tearDown()
    parent.innerEnded(self)
  }

  /// Disposes its upstream, which has ended or is not to start.
  @inlinable
  func tearDown() {
    gate?.dispose()
    scope?.dispose()
  }
}
