extension Signal {
  /// Ends silently, and disposes the source, when an owner is gone.
  ///
  /// The owner is never retained. No event is delivered after its deinit: that is checked before each delivery.
  /// The source is disposed exactly at deinit if the owner is a ``Lifetime``, and on Apple's systems for every owner;
  /// elsewhere within 100 milliseconds. Requirement S0-32.
  /// - Parameter owner: whose end ends the subscription.
  /// - Returns: a signal that ends with the owner.
  public func bound(to owner: AnyObject) -> Signal {
    if let lifetime = owner as? Lifetime {
      let ending = lifetime.ending
      return bound(isGone: { ending.hasEnded }, watch: { ending.add($0) })
    }
    let owner = WeakOwner(owner)
    return bound(isGone: { owner.isGone }, watch: { owner.watch($0) })
  }

  private func bound(
    isGone: @escaping @Sendable () -> Bool, watch: @escaping @Sendable (Disposable) -> Disposable?
  ) -> Signal {
    .stage { place in
      // The whole subscription ends, not only the source: then a bag can drop its handle, and nothing is kept.
      let subscription = place.scope
      let upstream = Disposable()
      let guardian = Guardian(upstream)
      subscription.hold(guardian)
      if let watched = watch(Disposable { [weak subscription] in subscription?.dispose() }) {
        guardian.watching.put(watched)
      }
      feed(
        place, scope: upstream,
        next: { value in
          if isGone() { return place.scope.dispose() }
          if !upstream.isCancelled { place.sink.next(value) }
        },
        end: { end in
          guardian.watching.close()
          if isGone() { return place.scope.dispose() }
          if !upstream.isCancelled { place.sink.end(end) }
        })
      return nil
    }
  }
}

/// Disposes a bound upstream, and stops watching its owner, with the subscription.
final class Guardian: Cancellable {
  let watching = Slot()
  private let upstream: Disposable

  init(_ upstream: Disposable) {
    self.upstream = upstream
  }

  var isOver: Bool { upstream.isDisposed }

  func cancel() {
    upstream.dispose()
    watching.close()
  }
}
