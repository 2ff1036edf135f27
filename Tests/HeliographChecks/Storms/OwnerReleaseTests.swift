import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Synchronization
import TestSupport
import Testing

@testable import Signals

/// How soon the requests of a deallocated owner are cancelled, round after round.
///
/// `HELIOGRAPH_SCALE=100` makes it a thousand rounds, with the limits of a process in which nothing else runs.
@Suite(.serialized) struct OwnerReleaseTests {
  private static let fullCount: Int? = Scale.isFull ? 1_000 : nil
  private let roundCount = OwnerReleaseTests.fullCount ?? 20

  private final class Model: Sendable {
    private let isReleased: Flag

    init(_ isReleased: Flag) {
      self.isReleased = isReleased
    }

    deinit { isReleased.set() }
  }

  private final class Flag: Sendable {
    private let value = Atomic<Bool>(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
  }

  /// The time from an owner's deallocation to the last of the server's three closed connections.
  private func latency(
    of shop: Shop, _ signal: Signal<Response<Product>, NetworkError>, isLifetime: Bool
  ) async throws -> Duration {
    var owner: (any AnyObject & Sendable)? = isLifetime ? Lifetime() : Model(Flag())
    let count = shop.server.log.connections.count
    let recorders = owner.map { owner in (0..<3).map { _ in SignalRecorder(signal.bound(to: owner)) } } ?? []
    await expect(shop.server.wait { $0.requests.count == 3 })
    let releasedAt = ContinuousClock.now
    owner = nil
    await expect(shop.server.wait { $0.openConnectionCount == 0 })
    expectEqual(recorders.count, 3)
    expect(recorders.allSatisfy { $0.events.isEmpty && $0.subscription.isDisposed })
    let closed = shop.server.log.connections[count...].compactMap(\.closedAt)
    expectEqual(closed.count, 3)
    shop.server.forgetRequests()
    return try require(closed.max()) - releasedAt
  }

  @Test("S0-32 S0-34 T17 P2 T11", arguments: [false, true])
  func threeRequestsAreCancelledInEveryRound(isLifetime: Bool) async throws {
    let shop = try Shop()
    shop.server.route("GET", "/stuck") { _ in .never }
    let signal = shop.client.enqueue(request: "/stuck", resultType: Product.self)
    var latencies: [Duration] = []
    for _ in 1...roundCount {
      latencies.append(try await latency(of: shop, signal, isLifetime: isLifetime))
    }
    latencies.sort()
    let longest = try require(latencies.last)
    let median = latencies[latencies.count / 2]
    // Beside other tests, or on a busy machine, many rounds may be late, but not most of them.
    expect(median <= (OwnerReleaseTests.fullCount == nil ? .seconds(1) : .milliseconds(isLifetime ? 20 : 150)))
    if OwnerReleaseTests.fullCount != nil {
      let percentile = latencies[latencies.count * 95 / 100]
      // A few of a thousand may be late even then.
      expect(percentile <= .milliseconds(isLifetime ? 20 : 150))
      let text = "median \(median), 95th percentile \(percentile), maximum \(longest)"
      print("\(roundCount) owners, \(isLifetime ? "lifetimes" : "objects"): \(text)")
    }
  }

  /// Responses that arrive before the owner's deallocation is noticed are not delivered.
  @Test("S0-32 P2") func noResponseIsDeliveredAfterTheDeinit() async throws {
    let shop = try Shop()
    shop.serve("/products/1", #"{"id":1,"name":"lamp"}"#)
    let signal = shop.client.enqueue(request: "/products/1", resultType: Product.self)
    let lateCount = Atomic<Int>(0)
    for round in 1...roundCount {
      let isReleased = Flag()
      let finished = CurrentValue(0)
      do {
        let model = Model(isReleased)
        for _ in 0..<3 {
          signal.finally { finished.modify { $0 += 1 } }.bound(to: model).subscribe { _ in
            if isReleased.isSet { lateCount.add(1, ordering: .relaxed) }
          }
        }
        // Some are released at once, others while the responses arrive.
        if round % 2 == 0 { await shop.server.wait { $0.requests.count > 0 } }
      }
      await expect(SignalRecorder(finished.signal).wait { $0.last?.value == 3 })
      shop.server.forgetRequests()
    }
    expectEqual(lateCount.load(ordering: .relaxed), 0)
  }

  @Test("S0-33") func nothingIsBoundAfterAThousandRequestsHaveFinished() async throws {
    let stub = StubTransport()
    stub.on(.get, "/products/1", .json(#"{"id":1,"name":"lamp"}"#))
    let client = NetworkClient(.init(baseURL: URL(string: "http://127.0.0.1"), transport: stub))
    let (model, lifetime) = (Model(Flag()), Lifetime())
    let signal = client.enqueue(request: "/products/1", resultType: Product.self)
    for owner in [model, lifetime] as [any AnyObject & Sendable] {
      let recorders = (0..<1_000).map { _ in SignalRecorder(signal.bound(to: owner)) }
      for recorder in recorders {
        await recorder.waitForEnd()
        expect(recorder.isCompleted)
      }
    }
    // The last completion is delivered shortly before its watch is removed.
    await until { watchCount(of: model) + watchCount(of: lifetime) == 0 }
    expectEqual([watchCount(of: model), watchCount(of: lifetime)], [0, 0])
    withExtendedLifetime((model, lifetime)) {}
  }
}
