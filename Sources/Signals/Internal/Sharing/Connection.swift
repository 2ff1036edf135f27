/// A hub's subscription to its source.
@usableFromInline
final class Connection<Value: Sendable, Failure: Error>: Disposing {
  @usableFromInline let scope = Disposable()
  @usableFromInline let hub: Hub<Value, Failure>

  init(_ hub: Hub<Value, Failure>) {
    self.hub = hub
  }

  @usableFromInline var isDisposed: Bool { scope.isCancelled }

  @inlinable
  func start(_ source: Signal<Value, Failure>, depth: Int) {
    // A slow subscriber must not slow down the others: the hub propagates no back-pressure, and its subscribers'
    // buffers are unlimited.
    source.run(
      in: Downstream(
        next: { value in self.deliver { self.hub.next(value, from: self) } },
        end: { end in self.deliver { self.hub.end(end, from: self) } }, scope: scope, subscription: self, depth: depth))
  }

  @inlinable
  func deliver(_ delivery: () -> Void) {
    if scope.isGuarded { scope.deliver(delivery, orDispose: self) } else { delivery() }
  }

  /// The handle itself, so that bonds to owners end with the connection and not with a stage of the source.
  @usableFromInline var bondHolder: Disposable? { scope }

  /// Terminates the connection and its subscribers silently.
  @usableFromInline
  func dispose() {
    scope.dispose()
    hub.end(.abandoned, from: self)
  }
}
