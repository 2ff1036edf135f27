import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// A flattening in an inner signal, which sends past the flattening around it once that one has nothing else to do.
struct BypassTests {
  private final class Screen: Sendable {}

  private let first = Source<Int>()
  private let second = Source<Int>()
  private let one = Source<Int>()
  private let two = Source<Int>()

  private func makeOwner(isLifetime: Bool) -> any AnyObject & Sendable { isLifetime ? Lifetime() : Screen() }

  /// The teardown of the nested outer signal sends the newer value and ends the signal around it.
  @Test func aReplacedInnerSignalDoesNotSendInPlaceOfItsSuccessor() {
    let taps = PublishSubject<Int, Fault>()
    let (login, newer, older) = (
      Later<Observer<Int, Fault>>(), Later<Observer<Int, Fault>>(), Later<Observer<Int, Fault>>()
    )
    let disposed = Tally()
    let recorder = SignalRecorder(
      taps.signal.flatMap(.latest) { number in
        if number == 2 {
          return Numbers { observer in
            newer.value = observer
            return Disposable { disposed.arrive() }
          }
        }
        return Numbers { observer in
          login.value = observer
          return Disposable {
            taps.send(2)
            taps.complete()
          }
        }
        .flatMap { _ in
          Numbers { observer in
            older.value = observer
            return nil
          }
        }
      })
    taps.send(1)
    login.value?.complete(with: 0)
    expectNil(older.value)
    older.value?.send(1)
    newer.value?.send(2)
    newer.value?.complete(with: 3)
    expectEqual(recorder.events, [.value(2), .value(3), .completed])
    expectEqual(disposed.count, 1)
  }

  /// The owner of the second signal of a chain, whose values one inner signal after another continues.
  private func subscribe(boundTo owner: any AnyObject & Sendable) -> SignalRecorder<Int, Fault> {
    let bound = second.signal.bound(to: owner)
    return SignalRecorder(
      Numbers.from([1]).flatMap { [first, one, two] _ in
        first.signal.concat(bound).flatMap { number in
          number == 1 ? one.signal : two.signal.flatMap { [one] last in one.signal.map { $0 + last } }
        }
      })
  }

  @Test(arguments: [false, true]) func promise26_anOwnerThatIsBoundLaterIsChecked(isLifetime: Bool) {
    var owner: (any AnyObject & Sendable)? = makeOwner(isLifetime: isLifetime)
    let recorder = owner.map { subscribe(boundTo: $0) }
    first.send(1)
    one.send(10)
    first.complete()
    one.send(11)
    owner = nil
    // Before the owner's watch has noticed the deinit.
    one.send(12)
    expectEqual(recorder?.events, [.value(10), .value(11)])
    expectEqual(recorder?.subscription.isDisposed, true)
    expect(one.isIdle && second.isIdle)
  }

  enum Handover: CaseIterable { case none, lastValue, completion, nested }

  /// However the work that the owner ends has taken the place of the signal that it is bound in.
  @Test(arguments: [false, true], Handover.allCases)
  func anOwnerThatIsBoundLaterEndsWhatFollows(isLifetime: Bool, handover: Handover) async {
    var owner: (any AnyObject & Sendable)? = makeOwner(isLifetime: isLifetime)
    let recorder = owner.map { subscribe(boundTo: $0) }
    first.send(1)
    one.complete()
    first.complete()
    if handover == .lastValue { second.complete(with: 2) } else { second.send(2) }
    if handover == .completion || handover == .nested { second.complete() }
    if handover == .nested { two.complete(with: 20) } else { two.send(20) }
    one.send(1)
    expectEqual(recorder?.values, [21])
    owner = nil
    await OwnedHandles.disposeOrphans()
    two.send(30)
    one.send(2)
    expectEqual(recorder?.events, [.value(21)])
    expectEqual(recorder?.subscription.isDisposed, true)
    expect(first.isIdle && second.isIdle && one.isIdle && two.isIdle)
  }

  /// The flattening ends silently, and the subscription continues with another signal.
  @Test(arguments: [false, true]) func anOwnerThatIsBoundLaterEndsOnlyTheFlattening(isLifetime: Bool) async {
    var owner: (any AnyObject & Sendable)? = makeOwner(isLifetime: isLifetime)
    let bound = owner.map { second.signal.bound(to: $0) } ?? .empty
    let other = Source<Int>()
    let recorder = SignalRecorder(
      Numbers.from([1]).flatMap { [first, one] _ in
        first.signal.concat(bound).flatMap { _ in one.signal }
      }
      .amb(other.signal))
    first.send(1)
    first.complete()
    owner = nil
    await OwnedHandles.disposeOrphans()
    one.send(1)
    other.complete(with: 2)
    expectEqual(recorder.events, [.value(2), .completed])
    expect(one.isIdle && second.isIdle)
  }

  /// Work that has dropped its observer, after the owner was bound.
  @Test(arguments: [false, true]) func anOwnerThatIsBoundLaterEndsWorkThatDroppedItsObserver(isLifetime: Bool) async {
    var owner: (any AnyObject & Sendable)? = makeOwner(isLifetime: isLifetime)
    let (bound, torn) = (owner.map { second.signal.bound(to: $0) } ?? .empty, Tally())
    let dropping = Numbers { _ in Disposable { torn.arrive() } }
    Numbers.from([1]).flatMap { [first, one] _ in
      first.signal.concat(bound).flatMap { number in number == 1 ? one.signal : dropping }
    }
    .subscribe { _ in }
    first.send(1)
    one.complete()
    first.complete()
    second.complete(with: 2)
    await OwnedHandles.disposeOrphans()
    expectEqual(torn.count, 0)
    owner = nil
    await OwnedHandles.disposeOrphans()
    expectEqual(torn.count, 1)
  }

  /// Each level's outer signal completes after the next one has sent its value.
  @Test func promise19_aRecursionWhoseCompletionsComeLateKeepsNoFinishedFlattening() {
    let (census, clock) = (Census(), VirtualScheduler())
    @Sendable func down(_ level: Int) -> Numbers {
      if level == 0 { return one.signal }
      return Numbers { observer in
        clock.schedule(after: .seconds(1)) {
          observer.send(level)
          _ = clock.schedule(after: .seconds(1)) { observer.complete() }
        }
      }
      .flatMap { [kept = census.token()] level in
        kept.use()
        return down(level - 1)
      }
    }
    let recorder = SignalRecorder(down(1_000))
    clock.run()
    expectEqual(one.subscriptionCount, 1)
    expect(census.alive <= 4)
    one.complete(with: 1)
    expectEqual(recorder.events, [.value(1), .completed])
    expectEqual(census.alive, 0)
  }

  /// A teardown that runs at the failure sends to the outer signal.
  @Test(arguments: [FlattenStrategy.merge, .merge(maxConcurrent: 2), .latest])
  func aFailingFlatteningMakesNoFurtherInnerSignal(_ strategy: FlattenStrategy) {
    let (taps, made) = (PublishSubject<Int, Fault>(), Log<Int>())
    let failing = Later<Observer<Int, Fault>>()
    let recorder = SignalRecorder(
      taps.signal.flatMap(strategy) { number in
        made.add(number)
        return Numbers { observer in
          failing.value = observer
          return Disposable { taps.send(2) }
        }
      })
    taps.send(1)
    failing.value?.fail(.broken)
    expectEqual(made.entries, [1])
    expectEqual(recorder.events, [.failed(.broken)])
  }
}
