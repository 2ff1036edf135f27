public import Synchronization

/// One inner signal of a flattening while it runs: the gate of plain work, or what has a scope to run in.
///
/// Plain work ends by its gate, which frees the parent: an observer that is kept afterwards keeps nothing else.
@usableFromInline
final class Inner<Input: Sendable, Value: Sendable, Failure: Error>: Gate<Value, Failure> {
  @usableFromInline typealias Parent = FlatMap<Input, Value, Failure>

  // As the gate's closures: used by the thread inside, and freed with them. With a scope it does not change.
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var parent: Parent?
  @usableFromInline let scope: Disposable?
  @usableFromInline let cancelled = Atomic<Bool>(false)
  @usableFromInline let unreachable = Atomic<Bool>(false)

  @inlinable
  init(_ parent: Parent, _ scope: Disposable?) {
    self.parent = parent
    self.scope = scope
    super.init()
  }

  @inlinable
  static func make(_ parent: Parent, for signal: Signal<Value, Failure>) -> Inner {
    guard case .create = signal.kind else { return Inner(parent, Disposable()) }
    let inner = Inner(parent, nil)
    inner.next = { inner.pass($0) }
    inner.end = { inner.ended($0) }
    return inner
  }

  /// Whether it was replaced or disposed, so that nothing more may be sent for it.
  @inlinable var isCancelled: Bool { cancelled.load(ordering: .acquiring) }
  @inlinable var isUnreachable: Bool { unreachable.load(ordering: .acquiring) }

  @inlinable
  func run(_ signal: Signal<Value, Failure>, in parent: Parent) {
    let starts = parent.strategy.kind == .latest ? parent.starts?.beyond : parent.starts
    if case .create(let start) = signal.kind {
      return self.start(start, SourceToken(self, under: parent.pressure, starts))
    }
    guard let scope else { return }
    signal.run(
      in: Downstream(
        next: { self.pass($0) }, end: { self.ended($0) }, scope: scope, subscription: self,
        depth: parent.depth + 1, pressure: parent.pressure, starts: starts, bypass: { parent.bypass() }))
  }

  @inlinable
  func pass(_ value: Value) { parent?.deliver(value, from: self) }

  @inlinable
  func ended(_ end: End<Value, Failure>) {
    guard let parent else { return }
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

  /// Stops it silently, for an owner within; the flattening goes on without it.
  @usableFromInline
  override func dispose() {
    if let parent { dispose(in: parent) }
  }

  @inlinable
  func dispose(in parent: Parent) {
    cancelled.store(true, ordering: .sequentiallyConsistent)
    tearDown()
    parent.innerEnded(self)
  }

  /// Disposes its upstream, which has ended or is not to start.
  @inlinable
  func tearDown() {
    if let scope { scope.dispose() } else { cancel() }
  }

  /// What is still to be disposed once nothing more can come.
  func takeUpstream() -> (any Disposing)? { scope ?? takeResource() }

  @usableFromInline
  override func free() {
    cut()
    parent = nil
  }
}
