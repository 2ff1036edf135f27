extension Signal {
  /// Disposes the subscription silently when an owner is deallocated.
  ///
  /// The subscription never retains the owner. When the owner is deallocated, the whole subscription is disposed, at
  /// whichever stage `bound(to:)` is, so values that are buffered further downstream are dropped. Inside a `flatMap`,
  /// only the subscription to the inner signal is disposed and the flattening continues without it.
  ///
  /// - For a ``Lifetime``, and for every owner on Apple's systems, disposal happens exactly at deinit. A delivery in
  ///   flight on another thread may finish.
  /// - For other owners on other systems, disposal happens within 100 milliseconds, and nothing is delivered after the
  ///   deinit. Each delivery checks whether the owner exists and retains it meanwhile. If the last other reference is
  ///   released during a delivery, the owner's deinit runs on the delivering thread. Give such an owner a ``Lifetime``.
  /// - Parameter owner: the object whose deallocation disposes the subscription.
  /// - Returns: a signal whose subscriptions end with the owner.
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

  /// Binds the subscription by a watch and a guarded delivery.
  ///
  /// `watch` registers a handle to dispose with the owner and returns a handle that removes the registration. `ifAlive`
  /// runs a delivery unless the owner is deallocated, and returns whether the owner exists.
  private func bound(
    watch: @escaping @Sendable (Disposable) -> Disposable?, ifAlive: @escaping @Sendable (() -> Void) -> Bool
  ) -> Signal {
    .stage { downstream in
      let stage = Bound(downstream.scope)
      // Weak, because the watch must not retain the subscription.
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
            // The watch stays active, because sent values may still be buffered downstream.
            stage.source.dispose()
            downstream.end(end)
          }
          if !isAlive { disposeAll() }
        })
      return nil
    }
  }
}
