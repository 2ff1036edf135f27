extension Signal {
  /// Disposes the subscription silently when an owner is deallocated.
  ///
  /// The subscription never retains the owner. When the owner is deallocated, the whole subscription is disposed,
  /// wherever `bound(to:)` stands in the chain, so values that are buffered further downstream are dropped. Inside a
  /// `flatMap`, only the subscription to the inner signal is disposed, with all of its stages, and the flattening
  /// continues without it. If the outer signal has completed and no other inner signal is left, the flattening ends
  /// silently too. In the trigger of `take(until:)`, only the trigger is disposed. If the owner is already deallocated
  /// at the subscription, nothing starts.
  ///
  /// Behind ``share(replay:)``, the subscriptions of all subscribers are disposed, also if a stage such as `take(1)`
  /// has left the shared signal. A subscription that is made after the shared source has terminated is not bound, and
  /// for an owner whose disposal is not exact, values that wait behind `share` may be delivered until the check: bind
  /// such subscriptions themselves.
  ///
  /// - For a ``Lifetime``, and on Apple's systems for every owner but an actor, disposal happens exactly at deinit. A
  ///   delivery in flight on another thread may finish. A distributed actor cannot be an owner on Apple's systems: the
  ///   process would abort.
  /// - For other owners, disposal happens within 100 milliseconds, and nothing is delivered after the deinit. A timer
  ///   that looks for deallocated owners retains each for a moment, and disposes their subscriptions on its queue: a
  ///   teardown that blocks delays the others. Until the subscription is disposed, a value that waited in a stage, such
  ///   as `debounce` or `zip`, may still pass the stages behind it: their closures run without the owner, and a
  ///   `flatMap` starts work whose events are dropped. A ``Lifetime`` avoids all this.
  /// - A delivery retains every owner but a ``Lifetime``, on every system. If the last other reference is released
  ///   meanwhile, the owner's deinit runs on the delivering thread.
  ///
  /// Not in the deinit of an `NSObject`, where the runtime aborts. ``OwnershipLog`` lists the bound subscriptions, for
  /// debugging.
  /// - Parameter owner: The object whose deallocation disposes the subscription.
  /// - Returns: A signal whose subscriptions end with the owner.
  public func bound(to owner: AnyObject) -> Signal {
    let (id, owner) = (ObjectIdentifier(owner), BoundOwner(owner))
    return .stage { downstream in
      run(in: downstream, boundTo: owner, id)
      return nil
    }
  }

  /// Disposes the subscription silently when the object that a key identifies is deallocated.
  ///
  /// This is ``bound(to:)-(AnyObject)`` for an owner that is known only by its key. In addition,
  /// ``OwnerKey/disposeAll()`` disposes the subscription. If no existing object has the key at the subscription, the
  /// subscription is disposed and nothing starts.
  /// - Parameter key: The key of the owner; see ``OwnerKey/init(_:)``.
  /// - Returns: A signal whose subscriptions end with the owner.
  public func bound(to key: OwnerKey) -> Signal {
    .stage { downstream in
      if let named = OwnerRegistry.shared.owner(of: key) {
        run(in: downstream, boundTo: named.owner, ObjectIdentifier(named), by: named)
      } else {
        downstream.subscription.dispose()
      }
      return nil
    }
  }

  /// Runs the signal until an owner is deallocated; `id` identifies the owner or its key.
  private func run(
    in downstream: Downstream<Value, Failure>, boundTo owner: BoundOwner, _ id: ObjectIdentifier,
    by named: NamedOwner? = nil
  ) {
    if owner.isDeallocated { return downstream.subscription.dispose() }
    let record = OwnershipTable.shared.begin(owner) { name }
    let stage = Bound(downstream.scope, record)
    // Weak, because the watch must not retain the subscription.
    let subscription = WeakOwner(downstream.subscription)
    let disposeAll: @Sendable () -> Void = {
      if owner.isDeallocated { record?.outlive() }
      guard let subscription = subscription.owner as? any Disposing else { return }
      subscription.bondHolder?.recordOutlived()
      subscription.dispose()
    }
    // Stages downstream may run on after this one has ended.
    downstream.subscription.bondHolder?.bind(by: OwnerBond(owner, id, record, in: named?.group), disposeAll)
    feed(
      downstream, scope: stage.source,
      next: { value in
        let isAlive = owner.runIfAlive { if !stage.isDisposed { downstream.next(value) } }
        if !isAlive { disposeAll() }
      },
      end: { end in
        let isAlive = owner.runIfAlive {
          if end.isUnreachable { return downstream.end(end) }
          if stage.isDisposed { return }
          stage.source.dispose()
          downstream.end(end)
        }
        if !isAlive { disposeAll() }
      })
  }
}
