import Synchronization

/// The bond of a subscription to one owner: the watch for its deinit, and the check before deliveries.
///
/// The subscription holds it until it ends; its deinit removes the watch.
@usableFromInline
final class OwnerBond: Sendable {
  /// The identity of the owner or its key, used to avoid a second bond to the same owner.
  let id: ObjectIdentifier
  let owner: BoundOwner
  /// Whether the bond ends with a source of the subscription, so that it does not continue behind a share.
  let endsWithSource: Bool
  /// The subscriptions that the owner's key disposes together; `nil` if the subscription is not bound by a key.
  private let group: Ending?
  /// The entry in the ownership log, if the log is enabled.
  private let record: OwnershipRecord?
  private let watchHandle = SerialHandle()
  private let retained = RetainedSubscription()

  init(
    _ owner: BoundOwner, _ id: ObjectIdentifier, _ record: OwnershipRecord? = nil, in group: Ending? = nil,
    endsWithSource: Bool = false
  ) {
    (self.owner, self.id, self.record, self.group) = (owner, id, record, group)
    self.endsWithSource = endsWithSource
  }

  /// A bond of another subscription to the same owner or key.
  func copy() -> OwnerBond { OwnerBond(owner, id, in: group) }

  // A subscription whose source was dropped is released without a disposal, also while a sweep still has the watch.
  deinit {
    watchHandle.dispose()
    retained.release()
  }

  /// Runs an action after the owner's deinit, or when the key's subscriptions are disposed, unless the bond ends first.
  func watch(_ action: @escaping @Sendable () -> Void) {
    let handle = Disposable { [retained] in
      action()
      retained.end()
    }
    let (byKey, byOwner) = (group?.add(handle), owner.watch(handle))
    let unwatch = byKey.map { byKey in
      Disposable {
        byKey.dispose()
        byOwner?.dispose()
      }
    }
    if let unwatch = unwatch ?? byOwner { watchHandle.set(unwatch) }
  }

  func recordIfOutlived() { if owner.isDeallocated { record?.outlive() } }

  /// Retains a subscription until the owner's deinit or until the bond ends, and disposes it at the deinit, or
  /// immediately after the deinit.
  func retain(_ subscription: any Disposing) { retained.set(subscription) }
}

/// The subscription that an owner's watch retains.
private final class RetainedSubscription: Sendable {
  private struct State {
    var subscription: (any Disposing)?
    var hasEnded = false
  }

  private let state = Guarded(State())

  func set(_ subscription: any Disposing) {
    let hasEnded = state.withLock { state in
      if !state.hasEnded { state.subscription = subscription }
      return state.hasEnded
    }
    if hasEnded { subscription.dispose() }
  }

  func release() { state.discardWithLock { $0.subscription.take() } }

  /// Disposes the subscription after the owner's deinit.
  func end() {
    let subscription = state.withLock { state in
      state.hasEnded = true
      return state.subscription.take()
    }
    subscription?.dispose()
  }
}

extension Disposable {
  /// Binds the subscription to an owner until the subscription ends, unless it is bound already.
  ///
  /// - Parameters:
  ///   - bond: The bond to add.
  ///   - action: Disposes the subscription.
  func bind(by bond: OwnerBond, _ action: @escaping @Sendable () -> Void) {
    let isNew = contents.withLock { contents in
      if isCancelled || contents.bonds.contains(where: { $0.id == bond.id }) { return false }
      contents.bonds.append(bond)
      if bond.owner.mustGuardDeliveries {
        _ = phase.compareExchange(
          expected: Phase.active, desired: Phase.guarded, ordering: .acquiringAndReleasing)
      }
      return true
    }
    if isNew { bond.watch(action) }
  }

  func unbind(_ id: ObjectIdentifier) {
    contents.discardWithLock { contents in
      contents.bonds.firstIndex { $0.id == id }.map { contents.bonds.remove(at: $0) }
    }
  }

  /// Lets the owners retain a subscription whose source was dropped, so that they dispose its remaining stages.
  ///
  /// Nothing else may retain it, because the handle of a bound subscription is usually discarded.
  /// - Parameter subscription: The subscription of which this is the handle. Default: the handle itself.
  @usableFromInline
  func retainByOwners(_ subscription: (any Disposing)? = nil) {
    for bond in contents.withLock({ $0.bonds }) { bond.retain(subscription ?? self) }
  }

  @usableFromInline var isBound: Bool { contents.withLock { !$0.bonds.isEmpty } }

  /// Runs a delivery with all owners retained, or disposes the subscription if an owner was deallocated.
  ///
  /// - Parameters:
  ///   - delivery: The delivery to run.
  ///   - subscription: The subscription of which this is the handle. Default: the handle itself.
  @usableFromInline
  func deliver(_ delivery: () -> Void, orDispose subscription: (any Disposing)? = nil) {
    let bonds = contents.withLock { $0.bonds }
    if isCancelled { return }
    // The end of one source is not that of an owner of the subscription.
    let owners = bonds.map { bond -> AnyObject? in bond.endsWithSource ? bond : bond.owner.retained }
    guard owners.allSatisfy({ $0 != nil }) else {
      for bond in bonds { bond.recordIfOutlived() }
      return (subscription ?? self).dispose()
    }
    withExtendedLifetime(owners, delivery)
  }
}
