import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// Owners and subjects that are deallocated inside flattenings, shared signals and loops.
struct SilentEndTests {
  private final class Screen: Sendable {}

  private let taps = Source<Int>()
  private let first = Source<Int>()
  private let second = Source<Int>()
  private let clock = VirtualScheduler()

  private func makeOwner(isLifetime: Bool) -> any AnyObject & Sendable { isLifetime ? Lifetime() : Screen() }

  /// The bond lasts as long as the inner signal, not as long as its stage.
  @Test(arguments: [false, true]) func anOwnerEndsWhatFollowsItsStageInAnInnerSignal(isLifetime: Bool) async {
    var owner: (any AnyObject & Sendable)? = makeOwner(isLifetime: isLifetime)
    let bound = owner.map { first.signal.bound(to: $0) }
    let recorder = SignalRecorder(
      taps.signal.flatMap(.latest) { [second] _ -> Numbers in bound?.flatMap { _ in second.signal } ?? .empty })
    taps.send(0)
    first.complete(with: 1)
    second.send(2)
    expectEqual(recorder.values, [2])
    owner = nil
    await OwnedHandles.disposeOrphans()
    second.send(3)
    expectEqual(recorder.values, [2])
    expect(second.isIdle)
    expect(!recorder.subscription.isDisposed)
    taps.complete()
    expect(recorder.isCompleted)
  }

  @Test(arguments: [false, true]) func anOwnerEndsWhatFollowsItsStageInASharedSignal(isLifetime: Bool) async {
    var owner: (any AnyObject & Sendable)? = makeOwner(isLifetime: isLifetime)
    let shared = owner.map { first.signal.bound(to: $0).concat(second.signal).share() }
    let recorder = shared.map { SignalRecorder($0) }
    first.complete(with: 1)
    second.send(2)
    owner = nil
    await OwnedHandles.disposeOrphans()
    second.send(3)
    expectEqual(recorder?.values, [1, 2])
    expect(second.isIdle)
    expectEqual(recorder?.isCompleted, false)
  }

  @Test(arguments: [false, true]) func aTriggerIsTornDownAtTheDeinitOfItsSubject(isTake: Bool) {
    let ended = Tally()
    var subject: PublishSubject<Int, Fault>? = PublishSubject()
    let recorder = subject.map { subject in
      let trigger = subject.signal.finally { ended.arrive() }
      return SignalRecorder(isTake ? first.signal.take(until: trigger) : first.signal.skip(until: trigger))
    }
    subject = nil
    expectEqual(ended.count, 1)
    first.send(1)
    expectEqual(recorder?.events, isTake ? [.value(1)] : [])
  }

  /// Before the owner's watch has noticed the deinit.
  @Test(arguments: [false, true]) func nothingBufferedInAnInnerSignalIsDeliveredAfterTheDeinit(isLifetime: Bool) async {
    var owner: (any AnyObject & Sendable)? = makeOwner(isLifetime: isLifetime)
    let bound = owner.map { first.signal.bound(to: $0).delay(.seconds(1), on: clock) }
    let recorder = SignalRecorder(taps.signal.flatMap { _ -> Numbers in bound ?? .empty })
    taps.send(0)
    first.send(1)
    clock.advance(by: .seconds(1))
    first.send(2)
    owner = nil
    clock.advance(by: .seconds(1))
    await OwnedHandles.disposeOrphans()
    expectEqual(recorder.values, [1])
    expect(first.isIdle)
    taps.complete()
    expect(recorder.isCompleted)
  }

  /// Without the owner, the flattening in the inner signal would send past the one around it after the first value.
  @Test(arguments: [false, true])
  func anOwnerEndsAnInnerSignalOfAFlatteningWithNothingElseToDo(isLifetime: Bool) async {
    var owner: (any AnyObject & Sendable)? = makeOwner(isLifetime: isLifetime)
    let bound = owner.map { first.signal.bound(to: $0) } ?? .empty
    let inner = Numbers.from([1]).flatMap { [second] _ in
      bound.flatMap { number in second.signal.map { $0 + number } }
    }
    let recorder = SignalRecorder(inner)
    let nested = SignalRecorder(taps.signal.flatMap { _ in inner })
    taps.send(0)
    let loop = Task {
      do { for try await _ in inner.values {} } catch {}
    }
    await until { first.subscriptionCount >= 3 }
    first.send(1)
    second.send(10)
    owner = nil
    await OwnedHandles.disposeOrphans()
    await loop.value
    second.send(20)
    expectEqual(recorder.values, [11])
    expect(recorder.subscription.isDisposed)
    expect(!recorder.isCompleted)
    expect(first.isIdle)
    expect(second.isIdle)
    taps.complete()
    expectEqual(nested.values, [11])
    expect(nested.isCompleted)
  }

  /// However the outer signal has ended, and whatever has been delivered.
  @Test(arguments: ["sent", "fused", "just", "nested", "nested, after a value"])
  func aLastInnerSignalThatEndsSilentlyEndsTheFlattening(form: String) {
    var subject: PublishSubject<Int, Fault>? = PublishSubject()
    let inner: @Sendable (Int) -> Numbers = { [weak subject] _ in subject?.signal ?? .empty }
    let nested: @Sendable (Int) -> Numbers = { inner($0).flatMap { .just($0) } }
    let signal: Numbers =
      switch form {
      case "sent": taps.signal.flatMap { inner($0) }
      case "fused": taps.signal.flatMap { inner($0) }
      case "just": Numbers.just(0).flatMap { inner($0) }
      default: Numbers.from([0]).flatMap { nested($0) }
      }
    let recorder = SignalRecorder(signal)
    if form == "fused" { taps.complete(with: 0) } else { taps.send(0) }
    taps.complete()
    if form == "nested, after a value" { subject?.send(1) }
    subject = nil
    expect(recorder.subscription.isDisposed)
    expect(!recorder.isCompleted)
  }

  @Test func anInnerSignalThatEndsSilentlyBesideAnotherOneIsNotMissed() {
    var subject: PublishSubject<Int, Fault>? = PublishSubject()
    let recorder = SignalRecorder((subject?.signal ?? .empty).merge(first.signal))
    subject = nil
    first.complete(with: 1)
    expectEqual(recorder.values, [1])
    expect(recorder.isCompleted)
  }

  /// The owner is bound after the flattening around it was bypassed.
  @Test(arguments: [false, true]) func anOwnerThatIsBoundLaterEndsTheInnerSignal(isLifetime: Bool) async {
    var owner: (any AnyObject & Sendable)? = makeOwner(isLifetime: isLifetime)
    let bound = owner.map { second.signal.bound(to: $0) } ?? .empty
    let load = Source<Int>()
    let inner = Numbers.from([1]).flatMap { [first] _ in
      first.signal.concat(bound).flatMap { number in load.signal.map { $0 + number } }
    }
    let recorder = SignalRecorder(inner)
    let nested = SignalRecorder(taps.signal.flatMap { _ in inner })
    taps.send(0)
    first.send(1)
    load.send(10)
    first.complete()
    second.send(2)
    load.send(20)
    owner = nil
    await OwnedHandles.disposeOrphans()
    second.send(3)
    load.send(30)
    let ended = recorder.subscription.isDisposed && !recorder.isCompleted
    expectEqual(recorder.values, [11, 21, 22])
    expect(ended)
    expect(second.isIdle)
    expect(load.isIdle)
    taps.complete()
    expectEqual(nested.values, [11, 21, 22])
    expect(nested.isCompleted)
  }

  /// It ends while it is being started from the queue.
  @Test(arguments: [true, false]) func aQueuedInnerSignalOfADeallocatedOwnerEndsTheFlattening(isLast: Bool) {
    var owner: Screen? = Screen()
    let bound = owner.map { second.signal.bound(to: $0) } ?? .empty
    let signals = isLast ? [first.signal, bound] : [first.signal, bound, taps.signal]
    let recorder = SignalRecorder(Signal.concat(signals).flatMap { .just($0) })
    let flattened = SignalRecorder(Signal<Numbers, Fault>.from(signals).flatten(.concat))
    owner = nil
    first.complete(with: 1)
    taps.complete(with: 2)
    expectEqual(flattened.values, (isLast ? [1] : [1, 2]))
    expectEqual(flattened.isCompleted, !isLast)
    expectEqual(recorder.values, [1])
    expect(!recorder.isCompleted)
  }

  /// Each subscription would start the source again.
  @Test func aSharedSignalWithAnUnreachableEndKeepsItsReplay() {
    let starts = Log<Int>()
    let source = Numbers { observer in
      starts.add(0)
      observer.send(42)
      return nil
    }
    let shared = source.share(replay: 1)
    let recorders = (0..<3).map { _ in SignalRecorder(shared) }
    expect(recorders.allSatisfy { $0.values == [42] && !$0.isCompleted })
    expectEqual(starts.count, 1)
  }

  /// Each connection ends while it starts, and the next subscriber waits for the one after it.
  @Test func manyConnectionsThatEndAtTheirStartNeedNoStack() async {
    var owner: Screen? = Screen()
    let shared = (owner.map { first.signal.bound(to: $0) } ?? .empty).share()
    let recorder = SignalRecorder(Numbers.from(0..<10_000).flatMap(.concat) { _ in shared })
    owner = nil
    await OwnedHandles.disposeOrphans()
    // Another thread may be disposing them already.
    await until { recorder.subscription.isDisposed && first.isIdle }
    expect(!recorder.isCompleted)
  }

  @Test func aLoopGetsNothingBufferedAfterItsOwnersDeinit() async {
    var lifetime: Lifetime? = Lifetime()
    let current = CurrentValue(1)
    let bound = lifetime.map { current.signal.bound(to: $0) } ?? .empty
    let iterator = bound.values.makeAsyncIterator()
    await expectEqual(iterator.next(), 1)
    for value in 2...10 { current.value = value }
    lifetime = nil
    await expectNil(iterator.next())
  }

  @Test func aLoopGetsWhatASubjectHasSentBeforeItsDeinit() async {
    var current: CurrentValue<Int>? = CurrentValue(1)
    let iterator = (current?.signal ?? .empty).values.makeAsyncIterator()
    await expectEqual(iterator.next(), 1)
    for value in 2...3 { current?.value = value }
    current = nil
    var rest: [Int] = []
    while let value = await iterator.next() { rest.append(value) }
    expectEqual(rest, [2, 3])
  }

  /// A silent end counts as a disposal: the next subscriber starts the source again.
  @Test func aSharedSignalStartsAgainAfterASilentEnd() {
    let owner = Screen()
    let key = OwnerKey(owner)
    let shared = first.signal.bound(to: key).share()
    let before = SignalRecorder(shared)
    first.send(1)
    key.disposeAll()
    let after = SignalRecorder(shared)
    first.send(2)
    expectEqual(before.values, [1])
    expect(before.subscription.isDisposed)
    expectEqual(after.values, [2])
    withExtendedLifetime(owner) {}
  }

  /// An inner signal is left to the thread that starts the outer one, while another start is still in progress.
  @Test(arguments: [FlattenStrategy.concat, .merge(maxConcurrent: 1)])
  func theLastInnerSignalRunsOnceThoughAnotherIsBeingStarted(_ strategy: FlattenStrategy) {
    let (outer, one) = (Later<Observer<Int, Fault>>(), Later<Observer<Int, Fault>>())
    let source = Numbers { observer in
      outer.value = observer
      observer.send(1)
      observer.send(2)
      one.value?.complete()
      return nil
    }
    let recorder = SignalRecorder(
      source.flatMap(strategy) { number in
        Numbers { observer in
          switch number {
          case 1: one.value = observer
          case 2:
            observer.complete()
            outer.value?.complete(with: 3)
          default: observer.complete(with: 30)
          }
          return nil
        }
      })
    expectEqual(recorder.events, [.value(30), .completed])
  }
}
