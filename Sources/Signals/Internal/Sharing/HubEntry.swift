import Synchronization

/// A subscriber of a hub; as a gate, it puts values that are sent during the replay after the replayed ones.
@usableFromInline
final class HubEntry<Value: Sendable, Failure: Error>: Gate<Value, Failure> {
  /// The maximum number of waiting events of other threads that a subscribing thread delivers; beyond it, all move to
  /// the system's concurrent queue.
  static var turnLength: Int { 64 }

  /// The sort key in the hub's list, set when the entry is added.
  let number = Atomic<Int>(0)
  /// Whether it is no longer a subscriber, though perhaps still on the list or not on it yet; accessed under the hub's
  /// lock.
  let isRemoved = Atomic<Bool>(false)
  /// The subscription that an owner of the connection may end; freed with the gate's closures.
  let subscription = Guarded<(any Disposing)?>(nil)
  @usableFromInline let starts: DeferredStarts?
  private let hub: Hub<Value, Failure>

  init(_ downstream: Downstream<Value, Failure>, _ hub: Hub<Value, Failure>) {
    starts = downstream.starts
    self.hub = hub
    super.init(next: downstream.next, end: downstream.end, isEntered: true)
  }

  @usableFromInline
  override func dispose() {
    let subscription = subscription.withLock { $0 }
    // Left by a stage, such as `take`: the subscription may still buffer events, so the connection's bonds continue.
    if let subscription, !subscription.isDisposed { bind(as: hub.bonds) }
    cancel()
    hub.remove(self)
  }

  /// Ends the subscriber; after an unreachable end, `owner` still ends its subscription.
  ///
  /// After any other end, the connection's bonds continue in the subscription, whose stages may still buffer events.
  func terminate(_ end: End<Value, Failure>, _ owner: Ending?, _ bonds: [OwnerBond] = []) {
    // At once, because the gate may be delivering a replayed value, whose handler may leave.
    bind(as: bonds)
    run { self.finish(end, owner) }
  }

  private func finish(_ end: End<Value, Failure>, _ owner: Ending?) {
    if let owner { bind(to: owner) }
    finish(end)
  }

  /// Disposes the subscription after an owner's deinit, together with the events that its stages buffer.
  func disposeSubscription() {
    let subscription = subscription.withLock { $0 }
    subscription?.dispose()
    cancel()
  }

  /// Sends the replayed values and then those that were queued; from then on the hub delivers directly.
  func join(_ values: some Sequence<Value>, _ ending: End<Value, Failure>?, _ owner: Ending?) {
    for value in values {
      if isDisposed { break }
      send(value)
    }
    if let ending { finish(ending, owner) }
    leave(after: HubEntry.turnLength, continuingOn: .global)
  }

  /// Disposes the subscription after an owner's deinit, unless it can still receive events from other sources; the bond
  /// ends with the gate, because the subscription may continue with other sources.
  private func bind(to owner: Ending) {
    guard let holder = subscription.withLock({ $0 })?.bondHolder else { return }
    let id = ObjectIdentifier(self)
    holder.bind(by: OwnerBond(.lifetime(owner), id, endsWithSource: true), {})
    // Weak, because the holder retains the gate.
    let weakHolder = WeakOwner(holder)
    hold(Disposable { (weakHolder.owner as? Disposable)?.unbind(id) })
  }

  /// Binds the subscription to the owners of a connection that it leaves or that ends.
  private func bind(as bonds: [OwnerBond]) {
    guard !bonds.isEmpty, let subscription = subscription.withLock({ $0 }) else { return }
    // Weak, because the watch must not retain the subscription.
    let weakSubscription = WeakOwner(subscription)
    let disposal: @Sendable () -> Void = { (weakSubscription.owner as? any Disposing)?.dispose() }
    // With the same identity, because a subscription may pass through any number of shares that are bound to one owner.
    for bond in bonds where !bond.endsWithSource { subscription.bondHolder?.bind(by: bond.copy(), disposal) }
  }

  @usableFromInline
  override func free() {
    cut()
    subscription.set(nil)
  }
}

/// A hub's subscription to its source.
@usableFromInline
final class Connection<Value: Sendable, Failure: Error>: Disposing {
  @usableFromInline let scope = Disposable()
  @usableFromInline let hub: Hub<Value, Failure>
  /// The lifetime of the subscribers of an unreachable source that an owner's deinit still ends.
  private let lifetime = Guarded<Lifetime?>(nil)

  init(_ hub: Hub<Value, Failure>) {
    self.hub = hub
  }

  @usableFromInline var isDisposed: Bool { scope.isCancelled }

  var bonds: [OwnerBond] { scope.contents.withLock { $0.bonds } }

  /// The end of the subscribers' lifetime, which does not retain the connection.
  var subscribersEnding: Ending? { lifetime.withLock { $0?.ending } }

  @inlinable
  func start(_ source: Signal<Value, Failure>, depth: Int) {
    // A slow subscriber must not slow down the others: the hub propagates no back-pressure, and its subscribers'
    // buffers are unlimited.
    source.run(
      in: Downstream(
        next: { value in self.deliver { self.hub.next(value, from: self) } },
        end: { end in self.deliver { self.end(end) } }, scope: scope, subscription: self, depth: depth))
  }

  @usableFromInline
  func end(_ end: End<Value, Failure>) {
    // An owner's deinit still ends the subscribers. Their handlers are freed now, because they may retain the owner.
    let bonds = bonds
    let isWaiting = end.isUnreachable && !bonds.isEmpty
    if isWaiting { lifetime.set(Lifetime()) }
    hub.end(end, from: self, end.isSilent ? [] : bonds)
    if isWaiting { scope.retainByOwners(self) }
  }

  @inlinable
  func deliver(_ delivery: () -> Void) {
    if scope.isGuarded { scope.deliver(delivery, orDispose: self) } else { delivery() }
  }

  /// The handle itself, so that bonds to owners end with the connection and not with a stage of the source.
  @usableFromInline var bondHolder: Disposable? { scope }

  /// Disposes the connection and its subscribers after an owner's deinit.
  @usableFromInline
  func dispose() {
    hub.dispose(self)
    hub.disconnect(self)
    scope.dispose()
  }

  /// Disposes the subscribers of an unreachable source.
  func disposeSubscribers() { lifetime.set(nil) }
}
