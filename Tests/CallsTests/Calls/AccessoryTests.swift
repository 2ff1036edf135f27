import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// One counter for calls, batches and chains, whatever their end.
struct AccessoryTests {
  private let kit = TestKit()
  private let activity: ActivityMonitor
  /// Those of a call, a batch and a chain.
  private let logs = [MomentLog(), MomentLog(), MomentLog()]

  init() { activity = ActivityMonitor(scheduler: kit.clock) }

  private func work() -> [any Startable] {
    let client = kit.client
    let call = client.call(Request(.get, "/a", cache: .timeToLive(.seconds(60))), as: Leave.self)
    let inner = client.call(Request(.get, "/a", cache: .timeToLive(.seconds(60))), as: Leave.self)
    let chain = Chain()
    chain.add { _ in
      client.enqueue(request: Request(.get, "/a", cache: .timeToLive(.seconds(60))), resultType: Leave.self)
    }
    let all: [any Startable] = [call, Batch([inner]), chain]
    for (work, log) in zip(all, logs) { work.accessories = [activity, log] }
    return all
  }

  @Test("S1-26", arguments: ["success", "failure", "cancel", "cache"])
  func theCounterReturnsToZeroAfterEveryEnd(_ end: String) async {
    let answer: StubAnswer = end == "failure" ? .status(500) : .json(#"{"days":1}"#)
    kit.stub.on(.get, "/a", answer.delayed(by: .seconds(1)))
    if end == "cache" {
      _ = SignalRecorder(
        kit.client.enqueue(request: Request(.get, "/a", cache: .timeToLive(.seconds(60))), resultType: Leave.self))
      let kept = SignalRecorder(
        kit.client.enqueue(request: Request(.get, "/a", cache: .timeToLive(.seconds(60))), resultType: Leave.self))
      await kit.clock.advance(by: .seconds(1))
      expect(kept.isCompleted)
    }
    let work = work()
    let requestCount = kit.stub.requests.count
    for one in work { one.start() }
    if end != "cache" { expectEqual(activity.count.value, 3) }
    if end == "cancel" { for one in work { one.cancel() } }
    await kit.clock.advance(by: .seconds(1))
    expectEqual(activity.count.value, 0)
    expect(!activity.isActive.value)
    expectEqual(kit.stub.requests.count, requestCount + (end == "cache" ? 0 : 3))
    for log in logs { expectEqual(log.texts, ["willStart", "willStop", "didStop"]) }
    await kit.clock.advance(by: .seconds(1))
    expect(!activity.isVisible.value)
  }

  @Test("S1-26") func aBatchAndItsCallsAreCountedEach() async {
    kit.stub.on(.get, "/a", .json(#"{"days":1}"#).delayed(by: .seconds(1)))
    let calls = (0..<3).map { _ in kit.client.call("/a", as: Leave.self) }
    let batch = Batch(calls)
    for work in calls as [any Startable] + [batch] { work.accessories = [activity] }
    batch.start()
    expectEqual(activity.count.value, 4)
    await kit.clock.advance(by: .seconds(1))
    expectEqual(activity.count.value, 0)
  }
}
