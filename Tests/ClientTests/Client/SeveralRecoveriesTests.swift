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
}
