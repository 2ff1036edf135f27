import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// Work that has dropped its observer ends with the owner that it is bound to.
struct DroppedObserverTests {
  enum Form: CaseIterable {
    case plain, mapped, observed, concatenated, taken, zipped, merged, trigger, inner, replaced
  }

  private final class Screen: Sendable {}

  private let clock = VirtualScheduler()
  private let torn = Tally()

  private func makeOwner(isLifetime: Bool) -> any AnyObject & Sendable { isLifetime ? Lifetime() : Screen() }

  /// The work captures the probe, and its teardown too.
  private func signal(_ form: Form, boundTo owner: any AnyObject & Sendable, _ probe: Screen) -> Numbers {
    let work = Numbers { [torn] _ in
      Disposable {
        withExtendedLifetime(probe) {}
        torn.arrive()
      }
    }
    let bound = work.bound(to: owner)
    return switch form {
    case .plain: bound
    case .mapped: work.map { $0 + 1 }.bound(to: owner).filter { $0 > 0 }
    case .observed: bound.observe(on: clock)
    case .concatenated: Numbers.concat([.just(1), work]).bound(to: owner)
    case .taken: bound.take(until: Signal<Never, Fault>.never)
    case .zipped: Signal.zip(work, Numbers.never).map { $0 + $1 }.bound(to: owner)
    case .merged: Numbers.merge([bound, .never])
    case .trigger: Numbers.never.take(until: bound)
    case .inner: Numbers.just(0).concat(.never).flatMap { _ in bound }
    case .replaced: Numbers.just(0).concat(.never).flatMap(.latest) { _ in bound.map { $0 + 1 } }
    }
  }

  /// Whether the handle of the subscription is kept makes no difference.
  @Test("P2", arguments: [false, true], Form.allCases) func itsTeardownRunsAtTheOwnersDeinit(isKept: Bool, form: Form)
    async
  {
    for isLifetime in [false, true] {
      var owner: (any AnyObject & Sendable)? = makeOwner(isLifetime: isLifetime)
      weak var trace: Screen?
      var handle: Disposable?
      do {
        let probe = Screen()
        trace = probe
        handle = owner.map { signal(form, boundTo: $0, probe).subscribe { _ in } }
      }
      if !isKept { handle = nil }
      await OwnedHandles.disposeOrphans()
      expectEqual(torn.count, isLifetime ? 1 : 0)
      owner = nil
      await OwnedHandles.disposeOrphans()
      expectEqual(torn.count, isLifetime ? 2 : 1)
      // The closure of a flattening whose handle is kept captures it.
      handle?.dispose()
      expectNil(trace)
      expectEqual(torn.count, isLifetime ? 2 : 1)
    }
  }

  /// In a trigger, the owner ends only that; the source can send nothing either, already then or later.
  @Test(arguments: [false, true], [false, true])
  func aStageWhoseTriggerEndsWithItsOwnerIsFreed(isLifetime: Bool, isShared: Bool) async {
    for isLater in [false, true] {
      var owner: (any AnyObject & Sendable)? = makeOwner(isLifetime: isLifetime)
      let (closed, later) = (Source<Int>(), Later<Observer<Int, Fault>>())
      weak var trace: Screen?
      do {
        let probe = Screen()
        trace = probe
        let source = Numbers { observer in
          if isLater { later.value = observer }
          return nil
        }
        let trigger = owner.map { closed.signal.bound(to: $0) } ?? .empty
        source.take(until: isShared ? trigger.share() : trigger).subscribe { _ in withExtendedLifetime(probe) {} }
      }
      expect(trace != nil)
      owner = nil
      await OwnedHandles.disposeOrphans()
      later.value = nil
      expectNil(trace)
      expect(closed.isIdle)
    }
  }

  @Test func aFinallyBeforeTheSubscriptionRunsAtTheOwnersDeinitToo() async {
    var owner: Screen? = Screen()
    let ended = Tally()
    _ = owner.map { signal(.plain, boundTo: $0, Screen()).finally { ended.arrive() }.subscribe { _ in } }
    expectEqual(ended.count, 0)
    owner = nil
    await OwnedHandles.disposeOrphans()
    expectEqual(ended.count, 1)
    expectEqual(torn.count, 1)
  }

  @Test(arguments: [false, true]) func theFlatteningGoesOnWithItsQueueAtTheOwnersDeinit(isLifetime: Bool) async {
    var owner: (any AnyObject & Sendable)? = makeOwner(isLifetime: isLifetime)
    let bound = owner.map { signal(.plain, boundTo: $0, Screen()) } ?? .empty
    let recorder = SignalRecorder(Numbers.from([1, 2]).flatMap(.concat) { $0 == 1 ? bound : .just($0) })
    expectEqual(recorder.events, [])
    owner = nil
    await OwnedHandles.disposeOrphans()
    expectEqual(recorder.events, [.value(2), .completed])
    expectEqual(torn.count, 1)
  }

  /// The handle is discarded; the other inner signal has ended for good, too.
  @Test(arguments: [false, true], [false, true])
  func theFlatteningEndsSilentlyAtTheOwnersDeinit(isLifetime: Bool, hasOther: Bool) async {
    var owner: (any AnyObject & Sendable)? = makeOwner(isLifetime: isLifetime)
    let (bound, ended) = (owner.map { signal(.plain, boundTo: $0, Screen()) } ?? .empty, Tally())
    weak var trace: Screen?
    do {
      let probe = Screen()
      trace = probe
      Numbers.from(hasOther ? [1, 2] : [1]).flatMap { $0 == 1 ? bound : .never }.finally { ended.arrive() }
        .subscribe { _ in withExtendedLifetime(probe) {} }
    }
    expectEqual(ended.count, 0)
    owner = nil
    await OwnedHandles.disposeOrphans()
    // Without its owner, the flattening waits for the other one, which nothing can end.
    expectEqual(ended.count, hasOther ? 0 : 1)
    expectEqual(torn.count, 1)
    expectNil(trace)
  }

  @Test func theQueueSurvivesAnOwnersDeinitAtTheEndOfTheOuterSignal() async {
    for _ in 1...2_000 {
      let (outer, owner) = (Source<Int>(), Later<Lifetime>())
      owner.value = Lifetime()
      let bound = owner.value.map { signal(.plain, boundTo: $0, Screen()) } ?? .empty
      let recorder = SignalRecorder(outer.signal.flatMap(.concat) { $0 == 1 ? bound : .just($0) })
      outer.send(1)
      outer.send(2)
      await together(2) { thread in
        if thread == 0 { owner.value = nil } else { outer.complete() }
      }
      expectEqual(recorder.events, [.value(2), .completed])
    }
    expectEqual(torn.count, 2_000)
  }

  @Test(arguments: Form.allCases) func aDisposalBeforeTheDeinitLeavesNothing(form: Form) {
    let owner = Screen()
    weak var trace: Screen?
    do {
      let probe = Screen()
      trace = probe
      signal(form, boundTo: owner, probe).subscribe { _ in }.dispose()
    }
    expectEqual(torn.count, 1)
    expectNil(trace)
  }
}
