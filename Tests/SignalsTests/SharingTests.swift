import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// `share` and `replayLazily`.
struct SharingTests {
  private let source = Source<Int>()

  /// The end comes with the last value, so that the subscriber that leaves with the value is not before the end.
  @Test func aSubscriberThatLeavesWithTheLastValueLeavesATerminatedSource() async throws {
    let shared = Signal<Int, Fault>.deferred { [source] in
      Signal { observer in
        _ = source.signal.subscribe { _ in }
        observer.complete(with: 1)
        return nil
      }
    }
    let replayed = shared.replayLazily()
    for _ in 1...3 {
      let value = try await replayed.first()
      expectEqual(value, 1)
    }
    expectEqual(source.subscriptionCount, 1)
    let multicast = source.signal.share()
    let (first, second) = (SignalRecorder(multicast.take(1)), SignalRecorder(multicast))
    source.complete(with: 2)
    let late = SignalRecorder(multicast)
    expectEqual(first.values, [2])
    expectEqual(second.values, [2])
    expect(second.isCompleted)
    expectEqual(late.values, [])
    expect(late.isCompleted)
    expectEqual(source.subscriptionCount, 2)
  }

  /// A source that logs its start and its teardown.
  private func logged(_ source: Source<Int>, _ name: Int, _ log: Log<String>) -> Signal<Int, Fault> {
    Signal { observer in
      log.add("start \(name)")
      _ = source.signal.subscribe { observer.send($0) }
      return Disposable { log.add("stop \(name)") }
    }
  }

  @Test(arguments: 0..<6) func theSourceIsTornDownBeforeTheNextSignalStarts(kind: Int) {
    let (log, next) = (Log<String>(), Source<Int>())
    let (first, second) = (logged(source, 1, log).share(), logged(next, 2, log))
    let signal: Numbers =
      switch kind {
      case 0: first.concat(second)
      case 1: first.then(second)
      case 2: first.catch { (_: Fault) in second }
      case 3: Signal.from([first, second]).flatten(.concat)
      case 4: Signal.from([first, second]).flatten(.merge(maxConcurrent: 1))
      default: Signal.from([first, second]).flatten(.merge(maxConcurrent: 1))
      }
    let recorder = SignalRecorder(signal)
    switch kind {
    case 2: source.fail()
    case 5: source.complete(with: 1)
    default: source.complete()
    }
    recorder.dispose()
    expectEqual(log.entries, ["start 1", "stop 1", "start 2", "stop 2"])
  }

  @Test func aSubscriberThatJoinsDuringTheTeardownForAnOwnerStartsTheSourceAgain() {
    var owner: Lifetime? = Lifetime()
    let (shared, late) = (Later<Numbers>(), Later<SignalRecorder<Int, Fault>>())
    let silent = Source<Int>()
    let first = owner.map { owner in
      Numbers { observer in
        _ = silent.signal.subscribe { observer.send($0) }
        return Disposable { late.value = shared.value.map { SignalRecorder($0) } }
      }
      .bound(to: owner)
    }
    let isRestarted = Tally()
    shared.value = Numbers.deferred { [source] in
      defer { isRestarted.arrive() }
      return isRestarted.count > 0 ? source.signal : first ?? .never
    }.share()
    let recorder = shared.value.map { SignalRecorder($0) }
    owner = nil
    source.send(2)
    expectEqual(late.value?.values, [2])
    expectEqual(recorder?.values, [])
    shared.value = nil
  }

  /// A source that only waits, such as one that keeps a device on.
  private func waiting(_ log: Log<String>, sending values: [Int] = []) -> Numbers {
    Signal { observer in
      log.add("start")
      for value in values { observer.send(value) }
      return Disposable { log.add("stop") }
    }
  }

  @Test(arguments: [0, 1]) func aSourceThatDroppedItsObserverEndsWithTheLastSubscriberAndStartsAgain(replayCount: Int) {
    let log = Log<String>()
    let shared = waiting(log, sending: [7]).share(replay: replayCount)
    let first = SignalRecorder(shared)
    let second = SignalRecorder(shared)
    expectEqual(second.events, replayCount == 0 ? [] : [.value(7)])
    first.dispose()
    first.dispose()
    expectEqual(log.entries, ["start"])
    let third = SignalRecorder(shared)
    second.dispose()
    expectEqual(log.entries, ["start"])
    third.dispose()
    expectEqual(log.entries, ["start", "stop"])
    let next = SignalRecorder(shared)
    expectEqual(next.events, [.value(7)])
    expectEqual(log.entries, ["start", "stop", "start"])
    next.dispose()
    expectEqual(log.entries, ["start", "stop", "start", "stop"])
  }

  @Test func aSignalThatWasNotReadyAtTheFirstSubscriptionStartsLater() {
    let isReady = Tally()
    let shared = Numbers.deferred { isReady.count > 0 ? .just(1) : .never }.share()
    SignalRecorder(shared).dispose()
    isReady.arrive()
    expectEqual(SignalRecorder(shared).events, [.value(1), .completed])
  }

  /// A source that has dropped its observer still ends with its owner, and its subscribers with it.
  @Test(arguments: [false, true]) func anOwnerEndsTheSubscribersOfASourceThatDroppedItsObserver(isLifetime: Bool) async
  {
    final class Screen: Sendable {}
    let log = Log<String>()
    var owner: (any AnyObject & Sendable)? = isLifetime ? Lifetime() : Screen()
    let shared = owner.map { waiting(log).bound(to: $0).share() } ?? .empty
    let recorder = SignalRecorder(shared)
    expectEqual(log.entries, ["start"])
    owner = nil
    await OwnedHandles.disposeOrphans()
    expectEqual(log.entries, ["start", "stop"])
    expect(recorder.subscription.isDisposed)
    expectEqual(recorder.events, [])
  }

  /// Neither the hub, nor the source, nor an owner retains the handler of a subscriber that can receive nothing more.
  @Test(arguments: [false, true]) func aDiscardedSubscriptionToASourceThatDroppedItsObserverIsFreed(isBound: Bool) {
    let log = Log<String>()
    let owner = Lifetime()
    let shared = (isBound ? waiting(log).bound(to: owner) : waiting(log)).share()
    for _ in ["first", "late"] {
      weak var trace: Source<Int>?
      do {
        let probe = Source<Int>()
        trace = probe
        shared.map { $0 + 1 }.subscribe { _ in withExtendedLifetime(probe) {} }
      }
      expectNil(trace)
    }
    expectEqual(log.entries, ["start"])
    withExtendedLifetime((shared, owner)) {}
  }

  @Test func anOwnerThatItsOwnSubscriptionRetainsIsFreed() {
    final class Model: Sendable {
      let lifetime = Lifetime()
    }
    let log = Log<String>()
    let settings = Later<Numbers>()
    do {
      let model = Model()
      settings.value = waiting(log, sending: [7]).bound(to: model.lifetime).share(replay: 1)
      settings.value?.subscribe { _ in withExtendedLifetime(model) {} }
    }
    expectEqual(log.entries, ["start", "stop"])
    settings.value = nil
  }

  @Test func anOwnerEndsALoopOverASourceThatDroppedItsObserver() async throws {
    let (log, received) = (Log<String>(), Tally())
    var owner: Lifetime? = Lifetime()
    let shared = owner.map { waiting(log, sending: [7]).bound(to: $0).share(replay: 1) } ?? .empty
    let loop = Task { for try await _ in shared.values { received.arrive() } }
    await until { received.count == 1 }
    owner = nil
    try await loop.value
    expectEqual(log.entries, ["start", "stop"])
  }

  /// As after any end for an owner, a subscriber continues with its other sources, and the source can start again.
  @Test func anOwnerOfASourceThatDroppedItsObserverEndsOnlyTheSource() {
    let (log, starts) = (Log<String>(), Tally())
    var owner: Lifetime? = Lifetime()
    let first = owner.map { waiting(log, sending: [7]).bound(to: $0) } ?? .empty
    let shared = Numbers.deferred { [source] in
      defer { starts.arrive() }
      return starts.count == 0 ? first : source.signal
    }.share(replay: 1)
    let (other, next) = (Source<Int>(), Source<Int>())
    let latest = SignalRecorder(Signal.combineLatest(shared, other.signal).map { $0 + $1 })
    let chain = SignalRecorder(Signal.from([shared, next.signal]).flatten(.concat))
    owner = nil
    expectEqual(log.entries, ["start", "stop"])
    next.send(3)
    expectEqual(chain.values, [7, 3])
    other.send(1)
    expectEqual(latest.values, [8])
    expect(!latest.subscription.isDisposed)
    // Then neither source can send.
    other.complete()
    expect(latest.subscription.isDisposed)
    let late = SignalRecorder(shared)
    source.send(2)
    expectEqual(late.values, [2])
    expectEqual(starts.count, 2)
  }

  /// The end of the source is not that of a living owner, to which the subscription is bound.
  @Test func anOwnerOfASourceThatDroppedItsObserverEndsNoSubscriptionOfAnotherOwner() {
    final class Screen: Sendable {}
    var owner: Lifetime? = Lifetime()
    let shared = (owner.map { waiting(Log(), sending: [7]).bound(to: $0) } ?? .empty).share(replay: 1)
    let (screen, other, taps) = (Screen(), Source<Int>(), Source<Int>())
    let latest = Signal.combineLatest(shared, other.signal).map { $0 + $1 }.bound(to: screen)
    let recorder = SignalRecorder(latest)
    let inner = SignalRecorder(taps.signal.flatMap { _ in latest })
    let behind = SignalRecorder(latest.share())
    taps.send(0)
    owner = nil
    other.send(1)
    for recorder in [recorder, inner, behind] {
      expectEqual(recorder.values, [8])
      expect(!recorder.subscription.isDisposed)
    }
    withExtendedLifetime(screen) {}
  }

  /// The subscription continues without the shared source, so the owner no longer ends it.
  @Test(arguments: [false, true]) func aSuccessorOfASourceThatDroppedItsObserverDoesNotEndWithTheOwner(isKept: Bool) {
    let (log, nextLog) = (Log<String>(), Log<String>())
    var owner: Lifetime? = Lifetime()
    let shared = owner.map { waiting(log).bound(to: $0).share() } ?? .empty
    // Keeps the connection.
    let other = isKept ? SignalRecorder(shared) : nil
    let recorder = SignalRecorder(shared.take(until: source.signal).concat(waiting(nextLog, sending: [1])))
    source.send(0)
    expectEqual(recorder.events, [.value(1)])
    owner = nil
    expectEqual(log.entries, ["start", "stop"])
    expectEqual(nextLog.entries, ["start"])
    recorder.dispose()
    expectEqual(nextLog.entries, ["start", "stop"])
    withExtendedLifetime(other) {}
  }

  /// The last subscriber may leave while others join.
  @Test func eachStartOfAWaitingSourceHasItsTeardown() async {
    let (starts, stops) = (Tally(), Tally())
    let shared = Numbers { _ in
      starts.arrive()
      return Disposable { stops.arrive() }
    }.share()
    await together(3) { _ in for _ in 1...2_000 { shared.subscribe { _ in }.dispose() } }
    expectEqual(stops.count, starts.count)
    let startCount = starts.count
    shared.subscribe { _ in }.dispose()
    expectEqual(starts.count, startCount + 1)
    expectEqual(stops.count, starts.count)
  }
}
