import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// The closures of work that is started for an owner.
struct CallOwnerTests {
  private let kit = TestKit { $0.processing = .global }

  @Test("S4-3") func aClosureGetsTheOwnerAndTheCall() async {
    kit.stub.on(.get, "/days", .json(#"{"days":1}"#), .json(#"{"days":2}"#), .status(503))
    let log = MomentLog()
    let call = kit.client.call(Request(.get, "/days", cache: .cacheThenNetwork).returning(Leave.self))
    await call.run(MomentLog())
    for _ in 0..<2 {
      await withCheckedContinuation { continuation in
        call.accessories = [StopWatcher { continuation.resume() }]
        call.start(for: log) { log, call in
          log.add("success \(call.value?.days ?? 0)")
        } onFailure: { log, call in
          log.add("failure \(call.error.map { "\($0.code)" } ?? "")")
        } onUpdate: { log, call in
          log.add(call.isExecuting ? "update" : "late")
        }
      }
    }
    expectEqual(log.texts, ["update", "success 2", "update", "failure 503"])
    expectEqual(log.mainTexts, log.texts)
  }

  /// The response has arrived, and its delivery is queued on the main actor when the owner is released there.
  @Test("S0-34") @MainActor func noClosureRunsOnceTheOwnerIsDeallocated() async {
    final class Screen: Sendable {}
    let kit = TestKit()
    for answer in [StubAnswer.json(#"{"days":3}"#), .status(503)] {
      kit.stub.on(.post, "/leaves", answer)
      let call = LeaveCall(days: 3, client: kit.client)
      var screen: Screen? = Screen()
      weak var owner: Screen?
      owner = screen
      if let screen {
        call.start(for: screen) { _, _ in
          Issue.record("success")
        } onFailure: { _, _ in
          Issue.record("failure")
        }
      }
      expect(call.rawResponse != nil)
      screen = nil
      await until { !call.isExecuting }
      // Not before: the sweep that looks for deallocated owners may hold it for a moment.
      expectNil(owner)
      expect(call.isCancelled)
      expect(!call.log.texts.contains { $0.hasPrefix("did") })
    }
  }
}
