import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import Synchronization
import TestSupport
import Testing

/// Steps that depend on each other.
struct ChainTests {
  private let kit = TestKit()

  private func number(_ value: Int, after delay: Duration = .zero) -> Signal<Int, NetworkError> {
    let answer = StubAnswer.json("\(value)")
    kit.stub.on(.get, "/\(value)", delay == .zero ? answer : answer.delayed(by: delay))
    return kit.client.enqueue(request: "/\(value)", resultType: Int.self).map(\.value)
  }

  @Test func aStepAddedAfterTheEndIsNotRetained() async {
    let chain = Chain()
    await chain.run(MomentLog())
    weak var left: Lifetime?
    do {
      let lifetime = Lifetime()
      left = lifetime
      chain.add { _ in withExtendedLifetime(lifetime) { number(1) } }
    }
    expectNil(left)
    withExtendedLifetime(chain) {}
  }

  @Test("T16") func anEmptyChainSucceeds() async {
    let chain = Chain()
    let log = MomentLog()
    (chain.delegate, chain.accessories) = (log, [log])
    await chain.run(log)
    expectEqual(log.texts, ["willStart", "willStop", "delegate success", "success", "didStop"])
  }

  /// A, then by its result B and C side by side, then by both of theirs D: with its body made of them.
  @Test("S1-24 S0-40 T16", arguments: [true, false]) func stepsRunWhenWhatTheyDependOnHasEnded(_ wantsD: Bool) async {
    let kit = kit
    let chain = Chain()
    let a = chain.add { _ in number(2, after: .seconds(1)) }
    let b = chain.add(after: a) { chain in chain[a].map { number($0 * 10, after: .seconds(1)) } }
    let c = chain.add(after: a) { chain in chain[a].map { number($0 * 100, after: .seconds(2)) } }
    kit.stub.on(.post, "/sum", .json("220"))
    let d = chain.add(after: b, c) { chain -> Signal<Int, NetworkError>? in
      guard wantsD, let b = chain[b], let c = chain[c] else { return nil }
      let request = Request(.post, "/sum", body: .json([b, c]))
      return kit.client.enqueue(request: request, resultType: Int.self).map(\.value)
    }
    let last = chain.add(after: d) { chain in number(chain[d] == nil ? 7 : 8) }
    let log = MomentLog()
    (chain.delegate, chain.accessories) = (log, [log])
    chain.start(onSuccess: { _ in log.add("success") })
    expectEqual(kit.stub.requests.map(\.url.path), ["/2"])
    expect(!chain.start())
    await kit.clock.advance(by: .seconds(1))
    expectEqual(Set(kit.stub.requests.dropFirst().map(\.url.path)), ["/20", "/200"])
    await kit.clock.advance(by: .seconds(1))
    expectEqual(kit.stub.requests.count, 3)
    expectEqual(chain[b], 20)
    expectNil(chain[c])
    await kit.clock.advance(by: .seconds(1))
    expectEqual(chain[d], (wantsD ? 220 : nil))
    expectEqual(chain[last], (wantsD ? 8 : 7))
    if wantsD { expectEqual(kit.stub.requests[3].body, .data(Data("[20,200]".utf8))) }
    expectEqual(log.texts, ["willStart", "willStop", "delegate success", "success", "didStop"])
    expect(!chain.start(), "a chain runs once")
  }

  @Test("S1-24") func oneOfTwoStepsIsSkippedAndTheNextRuns() async {
    let chain = Chain()
    let a = chain.add { _ in number(1) }
    let b = chain.add(after: a) { _ in number(2) }
    let c = chain.add(after: a) { _ -> Signal<Int, NetworkError>? in nil }
    let d = chain.add(after: b, c) { chain in number((chain[b] ?? 0) + (chain[c] ?? 10)) }
    await chain.run(MomentLog())
    expectEqual(chain[b], 2)
    expectNil(chain[c])
    expectEqual(chain[d], 12)
  }

  @Test("S1-24") func aStepWhoseValueIsNilIsToldFromASkippedOne() async {
    let chain = Chain()
    let skipped = chain.add { _ -> Signal<Int?, NetworkError>? in nil }
    let empty = chain.add { _ in Signal<Int?, NetworkError>.just(nil) }
    let full = chain.add { _ in Signal<Int?, NetworkError>.just(1) }
    expectNil(chain[empty])
    await chain.run(MomentLog())
    expectNil(chain[skipped])
    expectEqual(chain[empty], .some(nil))
    expectEqual(chain[full], 1)
  }

  @Test("S1-24", arguments: [1, 3], ["B", "C"])
  func aFailureCancelsTheRestAndStartsNothing(_ delay: Int, _ failing: String) async {
    let kit = kit
    kit.stub.on(.get, "/bad", .status(503).delayed(by: .seconds(delay)))
    let chain = Chain()
    let a = chain.add { _ in number(1) }
    // The other one is in flight when this one fails, or has succeeded before.
    let step: @Sendable (String) -> Signal<Int, NetworkError> = { name in
      if name != failing { return number(3, after: .seconds(2)) }
      return kit.client.enqueue(request: "/bad", resultType: Int.self).map(\.value)
    }
    let b = chain.add(after: a) { _ in step("B") }
    let c = chain.add(after: a) { _ in step("C") }
    chain.add(after: b, c) { _ -> Signal<Int, NetworkError>? in
      Issue.record("D was started")
      return nil
    }
    let log = MomentLog()
    (chain.delegate, chain.accessories) = (log, [log])
    chain.start(onSuccess: { _ in log.add("success") }, onFailure: { _ in log.add("failure") })
    await kit.clock.advance(by: .seconds(10))
    expectEqual(chain.failedIndex, (failing == "B" ? b : c).index)
    expectEqual(chain.error?.code, .status(503))
    expectEqual(kit.stub.cancelledCount, (delay == 1 ? 1 : 0))
    expectEqual(log.texts, ["willStart", "willStop", "delegate failure", "failure", "didStop"])
  }

  @Test("S1-24") func stepsMayBeAddedWhileItRuns() async {
    let chain = Chain()
    let numbers = Guarded<[Int]>([])
    let a = chain.add { chain in
      number(1, after: .seconds(1)).on(value: { _ in
        // In a callback of a step.
        chain.add { _ in number(2).on(value: { value in numbers.withLock { $0.append(value) } }) }
      })
    }
    chain.add(after: a) { chain in
      // In the closure of a step.
      chain.add(after: a) { _ in number(3).on(value: { value in numbers.withLock { $0.append(value) } }) }
      return number(4)
    }
    chain.start()
    await kit.clock.advance(by: .seconds(1))
    expectEqual(numbers.withLock { $0.sorted() }, [2, 3])
    expect(!chain.isExecuting)
    expectNil(chain.error)
    // It has ended: nothing is started any more.
    chain.add { _ -> Signal<Int, NetworkError>? in
      Issue.record("started after the end")
      return nil
    }
    await kit.clock.advance()
  }

  @Test func aStepThatEndsSilentlyHasEndedWithoutAValue() async {
    let chain = Chain()
    let source = PublishSubject<Int, NetworkError>()
    let holder = Guarded<Lifetime?>(Lifetime())
    let a = chain.add { _ in holder.withLock { $0 }.map { source.signal.bound(to: $0) } }
    let b = chain.add(after: a) { _ in number(2) }
    chain.start()
    expect(chain.isExecuting)
    let lifetime = holder.withLock { $0.take() }
    _ = consume lifetime
    await kit.clock.advance()
    expect(!chain.isExecuting)
    expectNil(chain.error)
    expectNil(chain[a])
    expectEqual(chain[b], 2)
  }

  @Test("S1-24") func callsAreSteps() async {
    kit.stub.on(.post, "/leaves", .json(#"{"days":3}"#))
    let kit = kit
    let log = MomentLog()
    let chain = Chain()
    let leave = chain.add { _ in LeaveCall(days: 3, client: kit.client, log: log) }
    let next = chain.add(after: leave) { chain in number(chain[leave]?.value.days ?? 0) }
    await chain.run(MomentLog())
    expectEqual(chain[leave]?.value.days, 3)
    expectEqual(chain[next], 3)
    expectEqual(log.texts, ["willSucceed 3", "didSucceed"])
  }

  @Test func cancellingAChainCancelsItsSteps() async {
    kit.stub.on(.get, "/stuck", .never)
    let kit = kit
    let chain = Chain()
    chain.add { _ in kit.client.call("/stuck", as: Leave.self) }
    chain.add { _ in kit.client.enqueue(request: "/stuck", resultType: Leave.self) }
    chain.start(onFailure: { _ in Issue.record("a cancellation is not a failure") })
    expectEqual(kit.stub.activeCount, 2)
    chain.cancel()
    await kit.clock.advance()
    expectEqual(kit.stub.cancelledCount, 2)
    expectEqual(kit.client.callIDs.count, 0)
    expect(chain.isCancelled)
  }

  /// Its first step ends while the chain starts.
  @Test(arguments: ["cancelled", "disposed"]) func aChainThatIsCancelledWhileItStartsStartsNoFurtherStep(_ way: String)
  {
    let chain = Chain()
    let trigger = PublishSubject<Void, NetworkError>()
    let startedCount = Guarded(0)
    let first = chain.add { chain in
      Signal<Int, NetworkError>.just(1).on(value: { _ in
        if way == "cancelled" { chain.cancel() } else { trigger.send(()) }
      })
    }
    let counting: @Sendable (Chain) -> Signal<Int, NetworkError>? = { _ in
      startedCount.withLock { $0 += 1 }
      return .just(2)
    }
    chain.add(run: counting)
    chain.add(after: first, run: counting)
    if way == "cancelled" {
      expect(chain.start())
    } else {
      chain.signal.take(until: trigger.signal).subscribe { _ in }
    }
    expectEqual(startedCount.withLock { $0 }, 0)
    expect(chain.isCancelled)
    expect(!chain.isExecuting)
  }

  @Test("S1-24") func aThousandStepsNeedNoStack() async {
    let chain = Chain()
    let count = 10_000
    var last = chain.add { _ in Signal<Int, NetworkError>.just(0) }
    for _ in 1..<count {
      let before = last
      last = chain.add(after: before) { chain in .just((chain[before] ?? 0) + 1) }
    }
    let end = last
    await withCheckedContinuation { continuation in
      // On a thread with a small stack.
      let thread = Thread { chain.start(onSuccess: { _ in continuation.resume() }) }
      thread.stackSize = 256 << 10
      thread.start()
    }
    expectEqual(chain[end], count - 1)
  }

  @Test("S1-24") func aChainThatGrowsStepByStepNeedsNoStack() async {
    let chain = Chain()
    let runs = CurrentValue(0)
    @Sendable func addNext(_ chain: Chain, _ number: Int) {
      chain.add { chain -> Signal<Int, NetworkError>? in
        runs.modify { $0 += 1 }
        if number < 10_000 { addNext(chain, number + 1) }
        return .just(number)
      }
    }
    addNext(chain, 1)
    await chain.run(MomentLog())
    expectEqual(runs.value, 10_000)
    expectNil(chain.error)
    expect(!chain.isExecuting)
  }

  @Test("T16") func aChainIsReleasedAfterItsEnd() async {
    weak var released: Chain?
    await withCheckedContinuation { continuation in
      let chain = Chain()
      released = chain
      let a = chain.add { _ in number(1) }
      chain.add(after: a) { chain in number(chain[a] ?? 0) }
      chain.start(onSuccess: { _ in continuation.resume() })
    }
    await kit.clock.advance()
    expectNil(released)
  }

  @Test func stepsThatEndOnSeveralThreadsAreCountedOnce() async {
    for _ in 0..<200 {
      let chain = Chain()
      let runs = CurrentValue(0)
      let first = (0..<8).map { _ in
        chain.add { _ in Signal<Int, NetworkError>.just(1).observe(on: .global) }
      }
      chain.add(after: first[0], first[1], first[2], first[3], first[4], first[5], first[6], first[7]) { chain in
        runs.modify { $0 += first.count { chain[$0] == 1 } }
        return Signal<Int, NetworkError>.just(1).observe(on: .global)
      }
      await chain.run(MomentLog())
      expectEqual(runs.value, 8)
    }
  }
}
