extension Signal {
  /// Ends silently, and disposes the source, when an owner is deallocated.
  ///
  /// The owner is never retained by the subscription. When it is deallocated, the whole subscription is disposed, wherever
  /// `bound(to:)` stands in it, so values that wait further downstream are dropped; inside a `flatMap` that is the inner
  /// signal, and the flattening goes on without it.
  ///
  /// - For a ``Lifetime``, and on Apple's systems for every owner, that happens exactly at deinit; a delivery in flight on
  ///   another thread may finish.
  /// - For other owners elsewhere it happens within 100 milliseconds, and nothing is delivered after the deinit: each
  ///   delivery looks whether the owner exists and retains it meanwhile. So if the last other reference is dropped during
  ///   a delivery, the owner's deinit runs on the delivering thread; give such an owner a ``Lifetime``.
  /// - Parameter owner: whose deinit ends the subscription.
  /// - Returns: a signal that ends with the owner.
  public func bound(to owner: AnyObject) -> Signal {
    if let lifetime = owner as? Lifetime {
      let ending = lifetime.ending
      return bound(
        watch: { ending.add($0) },
        ifAlive: { deliver in
          if !ending.hasEnded { deliver() }
          return !ending.hasEnded
        })
    }
    let owner = WeakOwner(owner)
    let bound = bound(watch: { owner.watch($0) }, ifAlive: { owner.ifAlive($0) })
    return .stage { downstream in
      owner.guardDeliveries(of: downstream.subscription)
      return bound
    }
  }

  /// Binds by what disposes a handle with the owner, and by what runs a delivery unless the owner is gone.
  ///
  /// `watch` returns what withdraws it; `ifAlive` returns whether the owner exists.
  private func bound(
    watch: @escaping @Sendable (Disposable) -> Disposable?, ifAlive: @escaping @Sendable (() -> Void) -> Bool
  ) -> Signal {
    .stage { downstream in
      let stage = Bound(downstream.scope)
      // Weak: the owner outlives the subscription, or not.
      let subscription = WeakOwner(downstream.subscription)
      let disposeAll: @Sendable () -> Void = { (subscription.owner as? any Disposing)?.dispose() }
      stage.watch(by: watch, disposeAll)
      feed(
        downstream, scope: stage.source,
        next: { value in
          let isAlive = ifAlive { if !stage.isDisposed { downstream.next(value) } }
          if !isAlive { disposeAll() }
        },
        end: { end in
          let isAlive = ifAlive {
            if end.isUnreachable { return downstream.end(end) }
            if stage.isDisposed { return }
            // The owner is watched on: what has been sent may still wait downstream.
            stage.source.dispose()
            downstream.end(end)
          }
          if !isAlive { disposeAll() }
        })
      return nil
    }
  }
}
