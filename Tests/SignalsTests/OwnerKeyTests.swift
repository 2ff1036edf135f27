import HeliographTesting
import SignalsTestSupport
import TestSupport
import Testing

@testable import Signals

/// Texts that name objects, and the subscriptions that are bound by them.
struct OwnerKeyTests {
  private final class Screen: Sendable {}

  let source = Source<Int>()

  @Test func anObjectHasOneKeyWithItsTypeAndANumber() throws {
    let (screen, other) = (Screen(), Screen())
    let key = OwnerKey(screen)
    expectEqual(OwnerKey(screen), key)
    expect(OwnerKey(other) != key)
    expect(key.rawValue.wholeMatch(of: /Screen#[1-9][0-9]*/) != nil)
    expectEqual("\(key)", key.rawValue)
    expectEqual(OwnerKey(rawValue: key.rawValue), key)
  }

  @Test func threadsThatAskAtOnceGetTheSameKey() async {
    for _ in 1...200 {
      let (screen, keys) = (Screen(), Log<OwnerKey>())
      await together(4) { _ in keys.add(OwnerKey(screen)) }
      expectEqual(Set(keys.entries).count, 1)
    }
  }

  @Test("S0-35") func aSubscriptionBoundByTheTextEndsWithTheObject() {
    var screen: Screen? = Screen()
    let text = OwnerKey(screen!).rawValue
    let watched = { [weak screen] in screen }
    let recorder = SignalRecorder(source.signal.bound(to: OwnerKey(rawValue: text)))
    source.send(1)
    screen = nil
    expectNil(watched())
    source.send(2)
    expectEqual(recorder.events, [.value(1)])
    expect(recorder.subscription.isDisposed)
    expect(source.isIdle)
  }

  @Test("S0-35") func aLifetimeHasAKeyTooAndEndsExactly() {
    var lifetime: Lifetime? = Lifetime()
    let recorder = SignalRecorder(source.signal.bound(to: OwnerKey(lifetime!)))
    lifetime = nil
    expect(recorder.subscription.isDisposed)
    expect(source.isIdle)
  }

  @Test func anObjectNeitherWatchedNorSentToEndsItsSubscriptionsByItself() async {
    let disposed = Moment()
    var screen: Screen? = Screen()
    // The source is torn down last, on the thread that looks for deallocated owners.
    let idle = Signal<Int, Never> { _ in Disposable { disposed.arrive() } }
    let handle = idle.bound(to: OwnerKey(screen!)).subscribe { _ in }
    screen = nil
    await expect(disposed.wait())
    expect(handle.isDisposed)
  }

  @Test(arguments: [false, true])
  func nothingStartsForAnUnknownTextOrADeallocatedObject(isUnknown: Bool) {
    let key = isUnknown ? OwnerKey(rawValue: "Screen#0") : OwnerKey(Screen())
    let recorder = SignalRecorder(source.signal.bound(to: key))
    expect(recorder.events.isEmpty)
    expect(recorder.subscription.isDisposed)
    expectEqual(source.subscriptionCount, 0)
    // Within a flattening, the others continue.
    let outer = SignalRecorder(Numbers.from([1, 2]).flatMap { $0 == 1 ? self.source.signal.bound(to: key) : .just(2) })
    expectEqual(outer.events, [.value(2), .completed])
  }

  @Test func nothingStartsForADeallocatedOwner() {
    var screen: Screen? = Screen()
    let signal = source.signal.bound(to: screen!)
    screen = nil
    let recorder = SignalRecorder(signal)
    expect(recorder.events.isEmpty)
    expect(recorder.subscription.isDisposed)
    expectEqual(source.subscriptionCount, 0)
  }

  @Test("S0-35") func allSubscriptionsOfAKeyAreDisposedNewestFirstAndLaterOnesStart() {
    let (screen, other, order) = (Screen(), Screen(), Log<Int>())
    let key = OwnerKey(screen)
    let handles = (1...3).map { number in
      source.signal.on(dispose: { order.add(number) }).bound(to: key).subscribe { _ in }
    }
    let unaffected = [
      source.signal.bound(to: screen).subscribe { _ in },
      source.signal.bound(to: OwnerKey(other)).subscribe { _ in },
    ]
    key.disposeAll()
    expectEqual(order.entries, [3, 2, 1])
    expect(handles.allSatisfy { $0.isDisposed })
    expect(!unaffected.contains { $0.isDisposed })
    let later = SignalRecorder(source.signal.bound(to: key))
    source.send(1)
    expectEqual(later.events, [.value(1)])
    OwnerKey(rawValue: "Screen#0").disposeAll()
    withExtendedLifetime((screen, other)) {}
  }

  @Test func subscriptionsMayStartWhileTheirKeyIsDisposed() async {
    for _ in 1...200 {
      let screen = Screen()
      let (key, source) = (OwnerKey(screen), source)
      await together(3) { index in
        if index == 0 { key.disposeAll() } else { source.signal.bound(to: key).subscribe { _ in } }
      }
      key.disposeAll()
      expect(source.isIdle)
      withExtendedLifetime(screen) {}
    }
  }

  @Test("S0-35") func aNewObjectAtAReusedAddressIsAnother() throws {
    var old: [ObjectIdentifier: (OwnerKey, SignalRecorder<Int, Fault>)] = [:]
    for _ in 1...100_000 {
      let screen = Screen()
      let key = OwnerKey(screen)
      guard let (oldKey, oldRecorder) = old[ObjectIdentifier(screen)] else {
        let late = Source<Int>()
        if old.count < 100 { old[ObjectIdentifier(screen)] = (key, SignalRecorder(late.signal.bound(to: key))) }
        continue
      }
      expect(oldKey != key)
      let recorder = SignalRecorder(source.signal.bound(to: key))
      oldKey.disposeAll()
      let stale = SignalRecorder(source.signal.bound(to: oldKey))
      source.send(1)
      expectEqual(recorder.events, [.value(1)])
      expect(!recorder.subscription.isDisposed)
      expect(stale.events.isEmpty)
      expect(stale.subscription.isDisposed)
      expect(oldRecorder.events.isEmpty)
      return
    }
    Issue.record("no address was reused")
  }

  @Test func entriesOfDeallocatedObjectsAreRemoved() {
    let registry = OwnerRegistry()
    let kept = (1...100).map { _ in Screen() }
    let keys = kept.map { registry.key(of: $0) }
    var seen = Set(keys)
    var peak = 0
    for _ in 1...100_000 {
      seen.insert(registry.key(of: Screen()))
      peak = max(peak, registry.count)
    }
    expectEqual(seen.count, 100_100)
    // At most twice the living ones remain, in addition to the one whose addition starts the removal.
    expect(peak <= 203, "\(peak)")
    expectEqual(kept.map { registry.key(of: $0) }, keys)
  }

  @Test func theKeyDoesNotRetainTheObject() async {
    weak var left: Screen?
    let key: OwnerKey
    do {
      let screen = Screen()
      left = screen
      key = OwnerKey(screen)
    }
    // A sweep of another test may hold it for a moment.
    await until { left == nil }
    expectNil(OwnerRegistry.shared.owner(of: key))
  }

  @Test func nothingIsWatchedAfterASubscriptionHasEnded() throws {
    let screen = Screen()
    let named = try require(OwnerRegistry.shared.owner(of: OwnerKey(screen)))
    let count = 100
    for _ in 1...count {
      source.signal.bound(to: OwnerKey(screen)).subscribe { _ in }
      source.signal.map { $0 }.bound(to: screen).map { $0 }.subscribe { _ in }
    }
    expectEqual(watchCount(of: screen), 2 * count)
    expectEqual(named.group.observerCount, count)
    source.complete(with: 1)
    expectEqual(watchCount(of: screen), 0)
    expectEqual(named.group.observerCount, 0)
  }
}
