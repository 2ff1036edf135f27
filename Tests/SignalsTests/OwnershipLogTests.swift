import HeliographTesting
import SignalsTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Signals

/// The list of bound subscriptions, for debugging.
///
/// There is one log for the process, so each test has its own type of owner.
@Suite(.serialized) struct OwnershipLogTests {
  private final class Search: NamedSource {
    let source: Source<Int>
    var name: String { "GET /search" }

    init(_ source: Source<Int>) {
      self.source = source
    }

    func makeSignal() -> Numbers { source.signal }
  }

  let source = Source<Int>()
  private var signal: Numbers { Signal(Search(source)) }

  private func recording(_ body: () throws -> Void) rethrows {
    OwnershipLog.isEnabled = true
    defer { OwnershipLog.isEnabled = false }
    try body()
  }

  private func active(_ type: String) -> [OwnershipLog.Entry] { OwnershipLog.active.filter { $0.ownerType == type } }
  private func outlived(_ type: String) -> [OwnershipLog.Entry] {
    OwnershipLog.outlived.filter { $0.ownerType == type }
  }

  @Test func nothingIsRecordedUnlessItIsEnabled() {
    final class Unrecorded: Sendable {}
    expect(!OwnershipLog.isEnabled)
    var owner: Unrecorded? = Unrecorded()
    let recorder = SignalRecorder(signal.bound(to: owner!))
    recording { expect(active("Unrecorded").isEmpty) }
    owner = nil
    source.send(1)
    expect(recorder.subscription.isDisposed)
    expect(outlived("Unrecorded").isEmpty)
  }

  @Test("P2") func activeSubscriptionsAreListedUntilTheyEnd() throws {
    final class Listed: Sendable {}
    let (owner, start) = (Listed(), ContinuousClock.now)
    try recording {
      let handle = signal.bound(to: owner).map { $0 }.subscribe { _ in }
      signal.map { $0 }.bound(to: OwnerKey(owner)).subscribe { _ in }
      spin { ContinuousClock.now - start > .milliseconds(2) }
      let entries = active("Listed")
      expectEqual(entries.map(\.signalName), ["GET /search", nil])
      expect(!entries.contains { $0.isOwnerDeallocated })
      let first = try require(entries.first)
      expect(first.age > .zero)
      expect(first.age <= ContinuousClock.now - start)
      expect("\(first)".hasPrefix("GET /search of a Listed, after "))
      handle.dispose()
      expectEqual(active("Listed").map(\.signalName), [nil])
    }
    expectEqual(active("Listed").count, 1)
    source.complete()
    expect(active("Listed").isEmpty)
    expect(outlived("Listed").isEmpty)
  }

  @Test(arguments: [false, true])
  func aSubscriptionThatOutlivesItsOwnerIsRecorded(isByKey: Bool) async {
    final class Outlived: Sendable {}
    let disposed = Moment()
    OwnershipLog.removeAll()
    recording {
      let owner = Outlived()
      let signal = isByKey ? signal.bound(to: OwnerKey(owner)) : signal.bound(to: owner)
      signal.on(dispose: { disposed.arrive() }).subscribe { _ in }
      expectEqual(active("Outlived").count, 1)
      withExtendedLifetime(owner) {}
    }
    await expect(disposed.wait())
    expect(active("Outlived").isEmpty)
    let entries = outlived("Outlived")
    expectEqual(entries.map(\.signalName), ["GET /search"])
    expect(entries.allSatisfy { $0.isOwnerDeallocated })
    expectEqual(entries.first?.description.hasPrefix("GET /search of a deallocated Outlived, after "), true)
  }

  /// A value that waits downstream of the binding notices the deallocation, perhaps before the owner's watch.
  @Test func aSubscriptionThatADelayedValueEndsIsRecorded() {
    final class Delayed: Sendable {}
    let clock = VirtualScheduler()
    OwnershipLog.removeAll()
    recording {
      var owner: Delayed? = Delayed()
      let bound = owner.map { signal.bound(to: $0).delay(.milliseconds(10), on: clock) } ?? .empty
      let recorder = SignalRecorder(bound)
      source.send(1)
      owner = nil
      clock.advance(by: .milliseconds(10))
      expectEqual(recorder.events, [])
      expect(source.isIdle)
    }
    expect(active("Delayed").isEmpty)
    expectEqual(outlived("Delayed").count, 1)
  }

  /// Each attempt has its own entry, and the subscription is bound once.
  @Test(arguments: [false, true]) func aRetriedSubscriptionThatOutlivesItsOwnerIsRecorded(isByKey: Bool) async {
    final class Retried: Sendable {}
    OwnershipLog.removeAll()
    var owner: Retried? = Retried()
    OwnershipLog.isEnabled = true
    let bound = owner.map { isByKey ? signal.bound(to: OwnerKey($0)) : signal.bound(to: $0) } ?? .empty
    let recorder = SignalRecorder(bound.retry(3))
    source.fail()
    expectEqual(active("Retried").count, 1)
    owner = nil
    await OwnedHandles.disposeOrphans()
    OwnershipLog.isEnabled = false
    expect(recorder.subscription.isDisposed)
    expect(active("Retried").isEmpty)
    expectEqual(outlived("Retried").count, 1)
  }

  /// The signals of one subscription have one bond, whichever of them ends first.
  @Test(arguments: [false, true]) func eachSignalThatOutlivesItsOwnerIsRecorded(isNoticedByAValue: Bool) async {
    final class Joined: Sendable {}
    OwnershipLog.removeAll()
    var owner: Joined? = Joined()
    let ended = Source<Int>()
    OwnershipLog.isEnabled = true
    let bound = owner.map { owner in
      Signal.combineLatest([signal.bound(to: owner), signal.bound(to: owner), ended.signal.bound(to: owner)])
    }
    let recorder = bound.map { SignalRecorder($0) }
    ended.complete(with: 1)
    owner = nil
    if isNoticedByAValue { source.send(1) } else { await OwnedHandles.disposeOrphans() }
    OwnershipLog.isEnabled = false
    expectEqual(recorder?.subscription.isDisposed, true)
    expectEqual(outlived("Joined").map(\.signalName), ["GET /search", "GET /search"])
  }

  @Test func aSubscriptionThatIsDisposedBeforeItsOwnerIsNotRecorded() {
    final class Tidy: Sendable {
      let bag = DisposeBag()
    }
    OwnershipLog.removeAll()
    recording {
      let owner = Tidy()
      signal.bound(to: owner).subscribe { _ in }.disposed(by: owner.bag)
      let key = OwnerKey(owner)
      signal.bound(to: key).subscribe { _ in }
      key.disposeAll()
    }
    expect(source.isIdle)
    expect(active("Tidy").isEmpty)
    expect(outlived("Tidy").isEmpty)
  }

  @Test("P2") func theLast100AreKeptUntilAllAreRemoved() throws {
    let table = OwnershipTable()
    let lifetime = Lifetime()
    expectNil(table.begin(BoundOwner(lifetime)) { "off" })
    table.isEnabled.store(true, ordering: .relaxed)
    for number in 0..<250 { try require(table.begin(BoundOwner(lifetime)) { "\(number)" }).outlive() }
    expectEqual(table.outlived.map(\.signalName), (150..<250).map { "\($0)" })
    expect(table.outlived.allSatisfy { $0.ownerType == "Lifetime" })
    let record = try require(table.begin(BoundOwner(lifetime)) { nil })
    expectEqual(table.active.count, 1)
    table.removeAll()
    expect(table.active.isEmpty)
    expect(table.outlived.isEmpty)
    record.outlive()
    expect(table.outlived.isEmpty)
  }

  @Test func itDoesNotRetainTheOwnerAndManyThreadsMayUseIt() async {
    final class Busy: Sendable {}
    OwnershipLog.removeAll()
    OwnershipLog.isEnabled = true
    defer { OwnershipLog.isEnabled = false }
    do {
      let source = source
      await together(4) { index in
        for _ in 1...100 {
          let owner = Busy()
          let handle = source.signal.bound(to: owner).subscribe { _ in }
          if index == 0 { _ = (OwnershipLog.active, OwnershipLog.outlived) }
          handle.dispose()
        }
      }
    }
    expect(active("Busy").isEmpty)
    expect(outlived("Busy").isEmpty)
  }
}
