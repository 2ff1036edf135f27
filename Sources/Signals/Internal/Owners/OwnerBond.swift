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
  private let watchHandle = SerialHandle()
  private let retained = RetainedSubscription()

  init(
    _ owner: BoundOwner, _ id: ObjectIdentifier, _ record: OwnershipRecord? = nil, in group: Ending? = nil,
    endsWithSource: Bool = false
  ) {
    (self.owner, self.id, self.group, self.endsWithSource) = (owner, id, group, endsWithSource)
    if let record { retained.add([record]) }
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
    let handle = Disposable { [owner, retained] in
      if owner.isDeallocated { retained.recordOutlived() }
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

  func recordIfOutlived() { if owner.isDeallocated { retained.recordOutlived() } }

  /// Takes over the entries of another bond of the same subscription to the same owner, such as that of a retry.
  func adopt(_ other: OwnerBond) { retained.add(other.retained.records) }

  /// Retains a subscription until the owner's deinit or until the bond ends, and disposes it at the deinit, or
  /// immediately after the deinit.
  func retain(_ subscription: any Disposing) { retained.set(subscription) }
}

/// The subscription that an owner's watch retains, and its entries in the ownership log, if the log is enabled.
private final class RetainedSubscription: Sendable {
  private struct State {
    var subscription: (any Disposing)?
    var records: [OwnershipRecord] = []
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

  var records: [OwnershipRecord] { state.withLock { $0.records } }

  /// Adds entries in place of those of signals that have ended.
  func add(_ records: [OwnershipRecord]) {
    state.discardWithLock { state in
      defer { if !records.isEmpty { state.records = state.records.filter(\.isActive) + records } }
      return state.records
    }
  }

  func recordOutlived() { for record in records { record.outlive() } }

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
  func bind(by bond: OwnerBond, _ action: @escaping @Sendable () -> Void) {
    let (isNew, previous) = contents.withLock { contents -> (Bool, OwnerBond?) in
      if isCancelled { return (false, nil) }
      if let previous = contents.bonds.first(where: { $0.id == bond.id }) { return (false, previous) }
      contents.bonds.append(bond)
      if bond.owner.mustGuardDeliveries {
        _ = phase.compareExchange(
          expected: Phase.active, desired: Phase.guarded, ordering: .acquiringAndReleasing)
      }
      return (true, nil)
    }
    previous?.adopt(bond)
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

  /// Runs a delivery with all owners retained, or disposes the subscription, by default this handle, if an owner was
  /// deallocated.
  @usableFromInline
  func deliver(_ delivery: () -> Void, orDispose subscription: (any Disposing)? = nil) {
    let bonds = contents.withLock { $0.bonds }
    if isCancelled { return }
    // The end of one source is not that of an owner of the subscription.
    let owners = bonds.map { bond -> AnyObject? in bond.endsWithSource ? bond : bond.owner.retained }
    guard owners.allSatisfy({ $0 != nil }) else {
      recordOutlived()
      return (subscription ?? self).dispose()
    }
    withExtendedLifetime(owners, delivery)
  }

  /// Records all bound signals of the subscription whose owners were deallocated, before the subscription is disposed.
  func recordOutlived() {
    for bond in contents.withLock({ $0.bonds }) { bond.recordIfOutlived() }
  }
}
