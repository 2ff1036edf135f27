import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// A client with more than one recovery.
struct SeveralRecoveriesTests {
  private let counts = CurrentValue([0, 0])

  private func recovery(_ index: Int, _ statuses: Set<Int>) -> Recovery {
    Recovery(statuses: statuses) { [counts] () -> Signal<Void, NetworkError> in
      counts.modify { $0[index] += 1 }
      return .empty
    }
  }

  private func kit(_ statuses: Set<Int>...) -> TestKit {
    let recoveries = statuses.enumerated().map { recovery($0, $1) }
    return TestKit { $0.recoveries = recoveries }
  }

  @Test func theFirstThatMatchesAFailureRepairsItAlone() {
    let kit = kit([401], [401, 419])
    kit.stub.on(.get, "/a", .status(401))
    let recorder = SignalRecorder(kit.client.enqueue(request: "/a", resultType: Int.self))
    expectEqual(recorder.failure?.statusCode, 401)
    expectEqual(kit.stub.requests.count, 2)
    expectEqual(counts.value, [1, 0])
  }

  @Test func eachRepairsItsOwnFailureOfOneRequest() {
    let kit = kit([401], [401, 419])
    kit.stub.on(.get, "/a", .status(401), .status(419), .json("1"))
    let recorder = SignalRecorder(kit.client.enqueue(request: "/a", resultType: Int.self))
    expectEqual(recorder.values.map(\.value), [1])
    expectEqual(counts.value, [1, 1])
  }

  /// The second recovery would match the status with which the refresh of the first one fails.
  @Test func theFailureOfARefreshStartsNoOtherRefresh() {
    let failures = CurrentValue<[Int?]>([])
    let first = Recovery(scheduler: VirtualScheduler()) { client in
      client.enqueue(request: Request(.post, "/token"), resultType: Int.self)
    } onFailure: { error in
      failures.modify { $0.append(error.statusCode) }
    }
    let second = recovery(1, [403])
    let kit = TestKit { $0.recoveries = [first, second] }
    kit.stub.on(.get, "/a", .status(401), .json("1"))
    kit.stub.on(.post, "/token", .status(403))
    let recorder = SignalRecorder(kit.client.enqueue(request: "/a", resultType: Int.self))
    expectEqual(recorder.failure?.statusCode, 403)
    expectEqual(recorder.events.count, 1)
    expectEqual(kit.stub.requests.map(\.url.path), ["/a", "/token"])
    expectEqual(failures.value, [403])
    expectEqual(counts.value, [0, 0])
  }
}
