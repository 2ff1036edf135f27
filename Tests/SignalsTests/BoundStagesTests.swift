import HeliographTesting
import SignalsTestSupport
import TestSupport
import Testing

@testable import Signals

/// `bound(to:)` before stages that run on after its own stage has ended.
struct BoundStagesTests {
  enum Form: CaseIterable { case flatMap, then, concat, inner }

  private final class Screen: Sendable {}

  private let later = Source<Int>()
  private let closed = Source<Int>()
  private let clock = VirtualScheduler()

  private func signal(_ form: Form, boundTo owner: any AnyObject & Sendable) -> Signal<Int, Fault> {
    let first = Signal<Int, Fault>.just(1).bound(to: owner)
    return switch form {
    case .flatMap: first.flatMap { [later] _ in later.signal }
    case .then: first.then(later.signal)
    case .concat: Signal.concat([first, later.signal])
    case .inner: Signal<Int, Fault>.just(0).flatMap { [later] _ in later.signal.bound(to: owner) }
    }
  }

  @Test("P2", arguments: [false, true], Form.allCases)
  func theOwnerEndsWhatFollowsItsStage(isLifetime: Bool, form: Form) async {
    var owner: (any AnyObject & Sendable)? = isLifetime ? Lifetime() : Screen()
    let recorder = owner.map { SignalRecorder(signal(form, boundTo: $0)) }
    later.send(2)
    let before = recorder?.values
    expectEqual(before?.last, 2)
    expect(!later.isIdle)
    owner = nil
    await OwnedHandles.disposeOrphans()
    later.send(3)
    expectEqual(recorder?.values, before)
    expect(later.isIdle)
    if form != .inner { expect(recorder?.subscription.isDisposed == true && recorder?.isCompleted == false) }
  }

  /// A stage of a trigger with a value that waits.
  enum Waiting: CaseIterable { case observe, delay, zip }

  private func trigger(_ waiting: Waiting, boundTo owner: any AnyObject & Sendable) -> Numbers {
    let bound = closed.signal.bound(to: owner)
    return switch waiting {
    case .observe: bound.observe(on: clock)
    case .delay: bound.delay(.seconds(1), on: clock)
    case .zip: bound.zip(later.signal).map { $0 + $1 }
    }
  }

  @Test(arguments: [false, true], Waiting.allCases)
  func promise26_aWaitingValueOfATriggerEndsNothingAfterTheDeinit(isLifetime: Bool, waiting: Waiting) {
    for isLast in [false, true] {
      let source = Source<Int>()
      var owner: (any AnyObject & Sendable)? = isLifetime ? Lifetime() : Screen()
      let recorder = owner.map { SignalRecorder(source.signal.take(until: trigger(waiting, boundTo: $0))) }
      if isLast { closed.complete(with: 1) } else { closed.send(1) }
      owner = nil
      later.send(2)
      clock.run()
      source.send(3)
      expectEqual(recorder?.events, [.value(3)])
    }
  }

  @Test func promise26_aWaitingFailureOfATriggerFailsNothingAfterTheDeinit() {
    let source = Source<Int>()
    var owner: Screen? = Screen()
    let recorder = owner.map { SignalRecorder(source.signal.take(until: trigger(.observe, boundTo: $0))) }
    closed.fail()
    owner = nil
    clock.run()
    source.send(3)
    expectEqual(recorder?.events, [.value(3)])
  }

  @Test(arguments: [false, true]) func repetitionsKeepOneBond(isLifetime: Bool) {
    let owner: any AnyObject & Sendable = isLifetime ? Lifetime() : Screen()
    let count = Log<Int>()
    let signal = Signal<Int, Fault>.deferred {
      count.add(0)
      return count.entries.count < 100 ? .fail(.broken) : .never
    }
    let recorder = SignalRecorder(signal.bound(to: owner).retry(1_000))
    expectEqual(count.entries.count, 100)
    expectEqual(recorder.subscription.contents.withLock { $0.bonds.count }, 1)
    expectEqual(watchCount(of: owner), 1)
    recorder.dispose()
    expectEqual(watchCount(of: owner), 0)
  }

  @Test(arguments: [false, true]) func anEndRemovesTheWatch(isLifetime: Bool) {
    let owner: any AnyObject & Sendable = isLifetime ? Lifetime() : Screen()
    for form in Form.allCases {
      let recorder = SignalRecorder(signal(form, boundTo: owner))
      expectEqual(watchCount(of: owner), 1)
      later.complete()
      expect(recorder.isCompleted)
      expectEqual(watchCount(of: owner), 0)
    }
  }
}
