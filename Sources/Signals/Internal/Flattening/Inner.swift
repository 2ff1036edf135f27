public import Synchronization

/// A running inner signal of a flattening: the gate of plain work, or a scope for any other signal.
///
/// Plain work ends at its gate, which frees the parent. An observer that is kept afterwards retains nothing else.
@usableFromInline
final class Inner<Input: Sendable, Value: Sendable, Failure: Error>: Gate<Value, Failure> {
  @usableFromInline typealias Parent = FlatMap<Input, Value, Failure>

  // Like the gate's closures, used by the thread inside and freed with them. If there is a scope, it does not change.
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var parent: Parent?
  @usableFromInline let scope: Disposable?
  /// The position in the parent's list, accessed under its lock.
  @usableFromInline let index = Atomic<Int>(0)
  /// The number in the order of the starts, written under the parent's lock.
  @usableFromInline let number = Atomic<Int>(0)
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
    inner.next = { inner.forward($0) }
    inner.end = { inner.ended($0) }
    return inner
  }

  /// Whether the inner signal was replaced or disposed, so that none of its events may be sent.
  @inlinable var isCancelled: Bool { cancelled.load(ordering: .acquiring) }
  /// Whether nothing more can come from it, not even its end: an owner, or a disposal in progress, still ends it; a
  /// disposal marks it before it frees the bonds, so the mark is read last.
  @inlinable var isUnreachable: Bool { unreachable.load(ordering: .acquiring) && !isBound && !isCancelled }

  @inlinable
  func run(_ signal: Signal<Value, Failure>, in parent: Parent) {
    let starts = parent.strategy.kind == .latest ? parent.starts?.nextDownstream : parent.starts
    if case .create(let start) = signal.kind {
      return self.start(start, SourceToken(self, under: parent.pressure, starts))
    }
    guard let scope else { return }
    signal.run(
      in: Downstream(
        next: { self.forward($0) }, end: { self.ended($0) }, scope: scope, subscription: self,
        depth: parent.depth + 1, pressure: parent.pressure, starts: starts, bypass: { self.parent?.bypass(self) }))
  }

  @inlinable
  func forward(_ value: Value) {
    guard let scope, scope.isGuarded else {
      parent?.deliver(value, from: self)
      return
    }
    scope.deliver({ parent?.deliver(value, from: self) }, orDispose: self)
  }

  @inlinable
  func ended(_ end: End<Value, Failure>) {
    if let scope, scope.isGuarded {
      scope.deliver({ handle(end) }, orDispose: self)
    } else {
      handle(end)
    }
  }

  @inlinable
  func handle(_ end: End<Value, Failure>) {
    guard let parent else { return }
    switch end {
    case .last(let value):
      parent.deliver(value, from: self)
      parent.innerEnded(self)
    case .failed(let failure): parent.finish(.failed(failure), from: self)
    case .completed: parent.innerEnded(self)
    case .abandoned: parent.innerEnded(self, isSilent: true)
    case .unreachable:
      unreachable.store(true, ordering: .releasing)
      // The flattening continues when an owner's deinit ends the inner signal.
      scope?.retainByOwners(self)
      parent.innerBecameUnreachable()
    }
  }

  @usableFromInline var isBound: Bool { scope?.isBound ?? false }

  /// The handle itself, so that bonds to owners end with the inner signal and not with a stage inside it.
  @usableFromInline override var bondHolder: Disposable? { scope }

  /// Stops the inner signal silently for an owner bound inside it; the flattening continues without it.
  @usableFromInline
  override func dispose() {
    if let parent { dispose(in: parent, isSilent: true) }
  }

  @inlinable
  func dispose(in parent: Parent, isSilent: Bool = false) {
    cancelled.store(true, ordering: .sequentiallyConsistent)
    tearDown()
    parent.innerEnded(self, isSilent: isSilent)
  }

  /// Disposes the upstream, which has terminated or must not start.
  @inlinable
  func tearDown() {
    if let scope { scope.dispose() } else { cancel() }
  }

  /// Returns the upstream of an unreachable inner signal, which still has to be disposed.
  func takeUpstream() -> (any Disposing)? { scope ?? takeResource() }

  @usableFromInline
  override func free() {
    cut()
    parent = nil
  }
}
