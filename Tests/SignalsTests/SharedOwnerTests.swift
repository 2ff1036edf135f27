import HeliographTesting
import SignalsTestSupport
import TestSupport
import Testing

@testable import Signals

/// Promise 26 behind `share`: events that wait downstream when the owner of the source is deallocated.
struct SharedOwnerTests {
  private final class Screen: Sendable {}

  enum Owner: CaseIterable {
    case lifetime, object
    /// An object, of whose key all subscriptions are disposed instead of its deinit.
    case key
  }

  enum Buffer: CaseIterable {
    case observe, delay, debounce, collect, nestedShare, take
  }

  /// What the source sends after its value.
  enum Ending: CaseIterable {
    case none, completion, fusedCompletion
  }

  private let source = Source<Int>()
  private let next = Source<Int>()
  private let clock = VirtualScheduler()

  private func makeOwner(isLifetime: Bool) -> any AnyObject & Sendable { isLifetime ? Lifetime() : Screen() }

  private func buffered(_ signal: Numbers, by buffer: Buffer) -> Signal<[Int], Fault> {
    switch buffer {
    case .observe: signal.observe(on: clock).map { [$0] }
    case .delay: signal.delay(.seconds(1), on: clock).map { [$0] }
    case .debounce: signal.debounce(.seconds(1), on: clock).map { [$0] }
    case .collect: signal.collect(every: .seconds(1), on: clock)
    case .nestedShare: signal.map { [$0] }.share().observe(on: clock)
    case .take: signal.take(1).observe(on: clock).map { [$0] }
    }
  }

  private func bound(_ signal: Numbers, to owner: any AnyObject & Sendable, _ kind: Owner) -> Numbers {
    kind == .key ? signal.bound(to: OwnerKey(owner)) : signal.bound(to: owner)
  }

  private func send(_ ending: Ending) {
    if ending == .fusedCompletion { return source.complete(with: 1) }
    source.send(1)
    if ending == .completion { source.complete() }
  }

  @Test(arguments: Buffer.allCases, Ending.allCases)
  func promise26_nothingBufferedBehindAShareIsDelivered(buffer: Buffer, ending: Ending) async {
    for kind in Owner.allCases {
      var owner: (any AnyObject & Sendable)? = makeOwner(isLifetime: kind == .lifetime)
      let shared = owner.map { bound(source.signal, to: $0, kind).share(replay: 1) } ?? .empty
      let recorder = SignalRecorder(buffered(shared, by: buffer))
      send(ending)
      if kind == .key { owner.map { OwnerKey($0).disposeAll() } } else { owner = nil }
      await OwnedHandles.disposeOrphans()
      clock.run()
      expectEqual(recorder.events, [])
      expect(recorder.subscription.isDisposed)
      expect(source.isIdle)
    }
  }

  @Test(arguments: [false, true]) func promise26_noFailureBufferedBehindAShareIsDelivered(isLifetime: Bool) {
    var owner: (any AnyObject & Sendable)? = makeOwner(isLifetime: isLifetime)
    let shared = owner.map { source.signal.bound(to: $0).share() } ?? .empty
    let recorder = SignalRecorder(shared.observe(on: clock))
    source.fail()
    owner = nil
    clock.run()
    expectEqual(recorder.events, [])
  }

  @Test(arguments: [false, true], [false, true])
  func promise26_aLoopOverASharedSignalGetsNothingBuffered(isLifetime: Bool, hasEnded: Bool) async throws {
    var owner: (any AnyObject & Sendable)? = makeOwner(isLifetime: isLifetime)
    let signal = Numbers.from([1, 2, 3]).concat(hasEnded ? .empty : source.signal)
    let iterator = (owner.map { signal.bound(to: $0).share() } ?? .empty).values.makeAsyncIterator()
    try await expectEqual(iterator.next(), 1)
    owner = nil
    await OwnedHandles.disposeOrphans()
    try await expectNil(iterator.next())
  }

  @Test(arguments: Ending.allCases) func aFlatteningContinuesWithoutTheSharedSignal(ending: Ending) {
    var owner: Lifetime? = Lifetime()
    let shared = owner.map { source.signal.bound(to: $0).share() } ?? .empty
    let recorder = SignalRecorder(next.signal.flatMap { [clock] _ in shared.observe(on: clock) })
    next.send(0)
    send(ending)
    owner = nil
    clock.run()
    expect(!recorder.subscription.isDisposed)
    next.complete()
    expectEqual(recorder.events, [.completed])
  }

  /// As without `share`, also if a stage has left it.
  @Test(arguments: [false, true]) func theOwnerEndsWhatFollowsTheSharedSignal(hasLeft: Bool) {
    var owner: Lifetime? = Lifetime()
    let shared = owner.map { source.signal.bound(to: $0).share() } ?? .empty
    let recorder = SignalRecorder((hasLeft ? shared.take(1) : shared).concat(next.signal))
    source.send(1)
    source.complete()
    expectEqual(next.subscriptionCount, 1)
    owner = nil
    next.send(2)
    expectEqual(recorder.values, [1])
    expect(recorder.subscription.isDisposed)
  }

  /// The source ends while the value with which a subscription leaves it is delivered.
  @Test func promise26_aSubscriptionThatLeavesDuringTheEndIsBound() {
    var owner: Lifetime? = Lifetime()
    let shared = owner.map { source.signal.bound(to: $0).share() } ?? .empty
    let recorder = SignalRecorder(shared.on(value: { [source] _ in source.complete() }).take(1).observe(on: clock))
    source.send(1)
    owner = nil
    clock.run()
    expectEqual(recorder.events, [])
    expect(recorder.subscription.isDisposed)
  }

  /// The source ends while a subscription handles a replayed value, with which it leaves.
  @Test func promise26_aSubscriptionThatLeavesWithAReplayedValueIsBound() {
    var owner: Lifetime? = Lifetime()
    let shared = owner.map { source.signal.bound(to: $0).share(replay: 1) } ?? .empty
    let first = SignalRecorder(shared)
    source.send(1)
    let late = SignalRecorder(shared.on(value: { [source] _ in source.complete() }).take(1).observe(on: clock))
    owner = nil
    clock.run()
    expectEqual(first.events, [.value(1), .completed])
    expectEqual(late.events, [])
    expect(late.subscription.isDisposed)
  }

  /// A newer subscription by the same key sends in its teardown, while `disposeAll()` runs.
  @Test func promise26_aSubscriptionThatLeavesDuringADisposalByKeyIsDisposed() {
    let owner = makeOwner(isLifetime: false)
    let key = OwnerKey(owner)
    let recorder = SignalRecorder(source.signal.bound(to: key).share().take(1).observe(on: clock))
    let newer = SignalRecorder(Numbers.never.on(dispose: { [source] in source.send(1) }).bound(to: key))
    key.disposeAll()
    clock.run()
    expectEqual(recorder.events, [])
    expect(recorder.subscription.isDisposed && newer.subscription.isDisposed)
  }

  @Test func theSubscribersAreDisposedNewestFirstAfterTheSource() {
    let log = Log<String>()
    var owner: Lifetime? = Lifetime()
    let shared = (owner.map { source.signal.on(dispose: { log.add("source") }).bound(to: $0) } ?? .empty).share()
    let recorders = ["first", "second"].map { name in SignalRecorder(shared.on(dispose: { log.add(name) })) }
    owner = nil
    expectEqual(log.entries, ["source", "second", "first"])
    expect(recorders.allSatisfy { $0.events.isEmpty && $0.subscription.isDisposed })
    // The source can start again.
    let late = SignalRecorder(shared)
    expect(late.subscription.isDisposed)
  }

  /// Neither a repeated end nor a subscription that has ended leaves a watch at the owner.
  @Test(arguments: [false, true]) func theEndsOfASharedSignalLeaveNoWatch(isLifetime: Bool) {
    let owner = makeOwner(isLifetime: isLifetime)
    let shared = source.signal.bound(to: owner).share()
    let recorder = SignalRecorder(shared.observe(on: clock))
    let chain = SignalRecorder(shared.concat(shared).concat(shared).concat(next.signal))
    source.complete(with: 1)
    clock.run()
    expectEqual(recorder.events, [.value(1), .completed])
    expectEqual(watchCount(of: owner), 1)
    chain.dispose()
    expectEqual(watchCount(of: owner), 0)
  }

  /// Each round binds the same owner anew.
  @Test(arguments: Owner.allCases, [false, true]) func aRecursionThroughSharesKeepsOneBond(kind: Owner, leaves: Bool) {
    let owner = makeOwner(isLifetime: kind == .lifetime)
    let round = Numbers.deferred { [self] in
      let shared = bound(.just(1).concat(.fail(.broken)), to: owner, kind).share()
      return leaves ? shared.take(1).then(.fail(.broken)) : shared
    }
    let recorder = SignalRecorder(round.retry(1_000).catch { _ in next.signal })
    expectEqual(next.subscriptionCount, 1)
    expectEqual(watchCount(of: owner), 1)
    recorder.dispose()
    expectEqual(watchCount(of: owner), 0)
  }
}
