import HeliographTesting
import Signals
import Synchronization

/// An owner whose deallocation can be observed.
private final class Owner: Sendable {
  private let gone: Flag

  init(_ gone: Flag) {
    self.gone = gone
  }

  deinit { gone.set() }
}

/// A flag that is set once.
final class Flag: Sendable {
  private let value = Atomic<Bool>(false)
  var isSet: Bool { value.load(ordering: .acquiring) }
  func set() { value.store(true, ordering: .releasing) }
}

/// A subscription that ends with its owner, which the third thread releases while the other two send.
final class OwnerRound: Round {
  enum Bond: CaseIterable {
    case boundToLifetime
    case boundToLifetimeBeforeObserve
    case boundToObject
    case boundToObjectBeforeObserve
    case boundToKey
    case duringLifetime
  }

  /// What the second thread does besides sending.
  enum Interference: CaseIterable {
    case nothing
    case complete
    case fail
    case dispose
    case subscribe
  }

  private let probe: Probe
  private let tap = Tap()
  private let clock = VirtualScheduler()
  private let bond: Bond
  private let interference: Interference
  private let isSwept: Bool
  private let gone = Flag()
  private let owner: Guarded<(any AnyObject & Sendable)?> = Guarded(nil)
  private let handle: Guarded<Disposable?> = Guarded(nil)

  init(_ name: String, _ random: inout SplitMix, _ log: Log) {
    (bond, interference, isSwept) = (random.pick(), random.pick(), random.oneIn(512))
    probe = Probe("\(name) (\(bond), \(interference))", log)
    let owner: any AnyObject & Sendable = isObject ? Owner(gone) : Lifetime()
    self.owner.withLock { $0 = owner }
    if interference != .subscribe { subscribe() }
  }

  private var isObject: Bool {
    switch bond {
    case .boundToObject, .boundToObjectBeforeObserve, .boundToKey: true
    case .boundToLifetime, .boundToLifetimeBeforeObserve, .duringLifetime: false
    }
  }

  private func subscribe() {
    guard let owner = owner.withLock({ $0 }) else { return }
    let signal =
      switch (bond, owner as? Lifetime) {
      case (.duringLifetime, .some(let lifetime)): tap.signal.take(during: lifetime)
      case (.boundToLifetimeBeforeObserve, _), (.boundToObjectBeforeObserve, _):
        tap.signal.bound(to: owner).observe(on: clock)
      case (.boundToKey, _): tap.signal.bound(to: OwnerKey(owner))
      default: tap.signal.bound(to: owner)
      }
    let handle = signal.subscribe { [probe, gone] event in
      probe.check(!gone.isSet, "delivered after the deinit of its owner")
      probe.take(event)
    }
    self.handle.withLock { $0 = handle }
  }

  func run(_ part: Int) {
    switch part {
    case 0: for value in 0..<3 { tap.send(value) }
    case 1:
      tap.send(Probe.perSender)
      clock.advance()
      interfere()
      tap.send(Probe.perSender + 1)
    default:
      let last = owner.withLock { $0.take() }
      withExtendedLifetime(last) {}
    }
  }

  private func interfere() {
    switch interference {
    case .nothing: break
    case .complete: tap.input.complete()
    case .fail: tap.input.fail()
    case .dispose: handle.withLock { $0 }?.dispose()
    case .subscribe: subscribe()
    }
  }

  func check() {
    let isSubscribed = handle.withLock { $0 != nil }
    if isObject { probe.eventually(gone.isSet, "the owner is retained") }
    if bond == .duringLifetime && isSubscribed && interference != .dispose {
      probe.check(probe.terminalCount == 1, "\(probe.terminalCount) terminal events")
    }
    // At the deinit of a lifetime, not later; other owners are looked at from time to time.
    if !isObject {
      probe.check(tap.ledger.isBalanced, "after the lifetime: \(tap.ledger.text)")
    } else if isSwept {
      probe.eventually(tap.ledger.isBalanced, "after the owner: \(tap.ledger.text)")
    }
    gone.set()
    tap.send(Probe.late)
    clock.advance()
    handle.withLock { $0 }?.dispose()
    tap.ledger.check(probe)
  }
}
