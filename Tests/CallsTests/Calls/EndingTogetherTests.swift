import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// Requests that end together, of which some wait for others.
struct EndingTogetherTests {
  /// What limits the number of requests in flight.
  enum Limit: CaseIterable {
    case serialLane, laneOfTwo, client

    var count: Int { self == .laneOfTwo ? 2 : 1 }
  }

  /// What ends all requests at once.
  enum Way: CaseIterable {
    case bag, bagDeinit, lifetime, owner, key, calls, batch, chain, zip, combineLatest, amb, merge
  }

  private final class Owner: Sendable {}

  private let kit = TestKit()
  private let client: NetworkClient
  private let lane: Lane?
  private let limit: Limit

  init() { self.init(.serialLane) }

  private init(_ limit: Limit) {
    self.limit = limit
    client = kit.makeClient { if limit == .client { $0.concurrencyLimit = 1 } }
    lane = limit == .client ? nil : Lane(limit == .serialLane ? .serial : .limit(2))
    kit.stub.on(.post, "/first", .json("1").delayed(by: .seconds(1)))
    kit.stub.on(.post, "/other", StubAnswer([.never]))
  }

  /// Twenty requests, of which the first is answered after a second.
  private var requests: [Request] { (0..<20).map { Request(.post, $0 == 0 ? "/first" : "/other") } }

  private var signals: [Signal<Int, NetworkError>] {
    requests.map { request in
      let signal = client.enqueue(request: request, resultType: Int.self).map(\.value)
      return lane.map { $0.enqueue(signal) } ?? signal
    }
  }

  /// Starts the requests and returns what ends them.
  private func start(_ way: Way) -> @Sendable () async -> Void {
    switch way {
    case .bag:
      let bag = DisposeBag()
      for signal in signals { signal.subscribe { _ in }.disposed(by: bag) }
      return { bag.dispose() }
    case .bagDeinit:
      let bag = Guarded<DisposeBag?>(DisposeBag())
      for signal in signals { bag.withLock { $0 }?.add(signal.subscribe { _ in }) }
      return { _ = bag.withLock { $0.take() } }
    case .lifetime:
      let lifetime = Guarded<Lifetime?>(Lifetime())
      for signal in signals { signal.bound(to: lifetime.withLock { $0 } ?? Lifetime()).subscribe { _ in } }
      return { _ = lifetime.withLock { $0.take() } }
    case .owner:
      let owner = Guarded<Owner?>(Owner())
      for signal in signals { signal.bound(to: owner.withLock { $0 } ?? Owner()).subscribe { _ in } }
      return {
        _ = owner.withLock { $0.take() }
        await OwnedHandles.disposeOrphans()
      }
    case .key:
      let owner = Owner()
      for signal in signals { signal.bound(to: OwnerKey(owner)).subscribe { _ in } }
      return { OwnerKey(owner).disposeAll() }
    case .calls:
      for request in requests { client.call(request, as: Int.self, in: lane).start() }
      return { client.cancelAllCalls() }
    case .batch:
      let batch = Batch(signals)
      batch.start()
      return { batch.cancel() }
    case .chain: return start(Chain())
    case .zip: return disposal(Signal.zip(signals))
    case .combineLatest: return disposal(Signal.combineLatest(signals))
    case .amb: return disposal(Signal.amb(signals))
    case .merge: return disposal(Signal<Int, NetworkError>.from(0..<20).flatMap { [signals] in signals[$0] })
    }
  }

  /// Starts a chain whose second step follows the first, and thus starts last.
  private func start(_ chain: Chain) -> @Sendable () async -> Void {
    let signals = signals
    let first = chain.add { _ in signals[0] }
    chain.add(after: first) { _ in signals[1] }
    for signal in signals[2...] { chain.add { _ in signal } }
    chain.start()
    return { chain.cancel() }
  }

  private func disposal<Value>(_ signal: Signal<Value, NetworkError>) -> @Sendable () async -> Void {
    let handle = signal.subscribe { _ in }
    return { handle.dispose() }
  }

  @Test(arguments: Limit.allCases, Way.allCases)
  func noRequestThatWaitsIsSent(limit: Limit, way: Way) async {
    let tests = EndingTogetherTests(limit)
    let end = tests.start(way)
    expectEqual(tests.kit.stub.requests.count, limit.count)
    await end()
    expectEqual(tests.kit.stub.requests.count, limit.count)
    expectEqual(tests.kit.stub.activeCount, 0)
  }

  @Test(arguments: Limit.allCases, Way.allCases)
  func noRequestThatWaitsIsSentAfterOthersHaveEnded(limit: Limit, way: Way) async {
    let tests = EndingTogetherTests(limit)
    let end = tests.start(way)
    await tests.kit.clock.advance(by: .seconds(1))
    // The first response of `amb` disposes the others before its signal leaves the lane.
    let sent = way == .amb && limit != .client ? limit.count : limit.count + 1
    expectEqual(tests.kit.stub.requests.count, sent)
    await end()
    expectEqual(tests.kit.stub.requests.count, sent)
    expectEqual(tests.kit.stub.activeCount, 0)
  }

  @Test func noInnerRequestThatWaitsForItsOuterSignalIsSent() {
    let lane = Lane(.limit(2))
    let post = client.enqueue(request: Request(.post, "/other"), resultType: Int.self).map(\.value)
    let outer = Signal<Int, NetworkError>.from(0..<20).concat(post)
    let handle = lane.enqueue(outer).flatMap { _ in lane.enqueue(post) }.subscribe { _ in }
    expectEqual(kit.stub.requests.count, 2)
    handle.dispose()
    expectEqual(kit.stub.requests.count, 2)
    expectEqual(kit.stub.activeCount, 0)
  }
}
