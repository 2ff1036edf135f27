import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

struct LimitingTests {
  private let clock = VirtualScheduler()
  private let stub: StubTransport

  init() { stub = StubTransport(scheduler: clock) }

  private func request(_ path: String, totalTimeout: Duration? = nil) throws -> HTTPRequest {
    HTTPRequest(url: try require(URL(string: "http://shop.example" + path)), totalTimeout: totalTimeout)
  }

  private func recorder(
    _ transport: any Transport, _ path: String, totalTimeout: Duration? = nil
  ) throws -> SignalRecorder<TransportEvent, NetworkError> {
    SignalRecorder(transport.send(try request(path, totalTimeout: totalTimeout)))
  }

  private var paths: [String] { stub.requests.map { $0.url.path } }

  @Test("S4-5") func soManyAtOnceAndTheOthersInOrder() throws {
    for index in 0..<20 {
      stub.on("GET", "/\(index)", .status(200).delayed(by: .seconds(1)))
    }
    let transport = LimitingTransport(stub, concurrencyLimit: 5)
    let recorders = try (0..<20).map { try recorder(transport, "/\($0)") }
    expectEqual(stub.activeCount, 5)
    for count in [10, 15, 20, 20] {
      clock.advance(by: .seconds(1))
      expectEqual(stub.requests.count, count)
      expect(stub.activeCount <= 5)
    }
    expectEqual(paths, (0..<20).map { "/\($0)" })
    expect(recorders.allSatisfy { $0.isCompleted && $0.violations.isEmpty })
  }

  @Test func nothingHappensBeforeASubscription() throws {
    _ = LimitingTransport(stub, concurrencyLimit: 1).send(try request("/a"))
    expect(stub.requests.isEmpty)
  }

  @Test func whoLeavesTheLineIsNeverSentAndWhoLeavesAPlaceFreesItOnce() throws {
    for path in ["/a", "/b", "/c", "/d", "/e"] { stub.on("GET", path, .never) }
    let transport = LimitingTransport(stub, concurrencyLimit: 2)
    let recorders = try ["/a", "/b", "/c", "/d", "/e"].map { try recorder(transport, $0) }
    recorders[2].dispose()
    recorders[2].dispose()
    expectEqual(paths, ["/a", "/b"])
    recorders[0].dispose()
    recorders[0].dispose()
    expectEqual(paths, ["/a", "/b", "/d"])
    expectEqual(stub.cancelledCount, 1)
    recorders[1].dispose()
    expectEqual(paths, ["/a", "/b", "/d", "/e"])
    expect(recorders.allSatisfy { $0.events.isEmpty })
  }

  @Test func aFailureFreesThePlaceToo() throws {
    stub.on("GET", "/a", .failure(NetworkError(.connectionLost)).delayed(by: .seconds(1)))
    stub.on("GET", "/b", .status(200))
    let transport = LimitingTransport(stub, concurrencyLimit: 0)
    expectEqual(transport.concurrencyLimit, 1)
    let (first, second) = (try recorder(transport, "/a"), try recorder(transport, "/b"))
    expect(second.events.isEmpty)
    clock.advance(by: .seconds(1))
    expectEqual(first.failure?.code, .connectionLost)
    expect(second.isCompleted)
  }

  @Test(arguments: [false, true]) func anExchangeThatEndsSilentlyFreesItsPlaceOnce(_ isKept: Bool) async throws {
    for path in ["/b", "/c"] { stub.on("GET", path, .never) }
    let vanishing = VanishingTransport(stub)
    let transport = LimitingTransport(vanishing, concurrencyLimit: 1)
    let census = Census()
    var first: Disposable?
    do {
      let token = census.token()
      let handle = transport.send(try request("/a")).subscribe { _ in token.use() }
      if isKept { first = handle }
    }
    expectEqual(census.alive, 1)
    let others = try ["/b", "/c"].map { try recorder(transport, $0) }
    expect(stub.requests.isEmpty)
    vanishing.vanish()
    await until { paths == ["/b"] && (isKept || census.alive == 0) }
    expectEqual(census.alive, isKept ? 1 : 0)
    first?.dispose()
    expectEqual(census.alive, 0)
    expectEqual(paths, ["/b"])
    others[0].dispose()
    // By the thread that has started the second one, if it is not done yet.
    await until { paths == ["/b", "/c"] }
    withExtendedLifetime(others) {}
  }

  /// On a thread of 512 KiB: nested, they would need more than that.
  @Test func tenThousandThatEndAtOnceDoNotNest() async throws {
    stub.on("GET", "/slow", .status(200).delayed(by: .seconds(1)))
    stub.on("GET", "/fast", .status(204))
    let transport = LimitingTransport(stub, concurrencyLimit: 1)
    let first = try recorder(transport, "/slow")
    let count = Guarded(0)
    for _ in 0..<10_000 {
      transport.send(try request("/fast")).subscribe { event in
        if case .completed = event { count.withLock { $0 += 1 } }
      }
    }
    expectEqual(count.withLock { $0 }, 0)
    await onThread { clock.advance(by: .seconds(1)) }
    expect(first.isCompleted)
    expectEqual(count.withLock { $0 }, 10_000)
  }

  /// Each is sent from the completion of the one before.
  @Test func aChainOfTenThousandDoesNotNest() async throws {
    stub.on("GET", "/fast", .status(204))
    let transport = LimitingTransport(stub, concurrencyLimit: 1)
    let count = Guarded(0)
    let request = try request("/fast")
    @Sendable func go() {
      let isDone = count.withLock { count in
        count += 1
        return count == 10_000
      }
      if isDone { return }
      transport.send(request).subscribe { event in if case .completed = event { go() } }
    }
    await onThread { go() }
    expectEqual(count.withLock { $0 }, 10_000)
  }

  private func onThread(_ work: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      let thread = Thread {
        work()
        continuation.resume()
      }
      thread.stackSize = 512 * 1024
      thread.start()
    }
  }

  @Test func waitingCountsTowardsTheTotalTimeout() async throws {
    for path in ["/a", "/b", "/c"] { stub.on("GET", path, .never) }
    try await expectInARound {
      stub.forgetRequests()
      let transport = LimitingTransport(stub, concurrencyLimit: 1)
      let first = try recorder(transport, "/a")
      let second = try recorder(transport, "/b", totalTimeout: .milliseconds(30))
      let third = try recorder(transport, "/c", totalTimeout: .seconds(3600))
      let queuedAt = ContinuousClock.now
      await second.waitForEnd()
      expectEqual(second.failure?.code, .timedOut)
      expectEqual(second.failure?.request?.url.path, "/b")
      expectNil(second.failure?.metrics?.startedAt)
      let waited = ContinuousClock.now - queuedAt
      first.dispose()
      expect(third.events.isEmpty)
      expectEqual(paths, ["/a", "/c"])
      let rest = try require(stub.requests.last?.totalTimeout)
      expect(rest <= .seconds(3600) - waited)
      expect(rest > .seconds(1800))
      // On a busy machine the time may be over before the request is in the queue.
      return (second.failure?.metrics?.endedAt).map { $0 > .zero } ?? false
    }
  }

  @Test(arguments: TransportKind.present) func instantsAreCountedFromTheSubscription(_ kind: TransportKind) async throws
  {
    let server = try LoopbackServer()
    server.route("GET", "/a") { _ in .text("a").delayed(by: .milliseconds(50)) }
    let transport = LimitingTransport(try kind.transport(), concurrencyLimit: 1)
    let begun = ContinuousClock.now
    let recorders = (0..<2).map { _ in SignalRecorder(transport.send(HTTPRequest(url: server.url("/a")))) }
    let gap = .now - begun
    var all: [Metrics] = []
    for recorder in recorders {
      await recorder.waitForEnd()
      if case .metrics(let metrics)? = recorder.values.last { all.append(metrics) }
    }
    try require(all.count == 2)
    // The second was subscribed to that much later than the first, and began when that had ended.
    try expect(require(all[1].startedAt) + gap >= all[0].endedAt)
    expect(all[1].endedAt >= .milliseconds(50) + (try require(all[1].startedAt)))
    expectEqual(server.log.acceptedCount, 1)
  }

  @Test("S4-5", arguments: TransportKind.present) func aClientSendsNoMoreAtOnceThanItsLimit(
    _ kind: TransportKind
  ) async throws {
    let server = try LoopbackServer()
    let running = RunningCount()
    server.route("POST", "/upload") { _ in .text("a").delayed(by: .milliseconds(100)) }
    let transport = CountingTransport(next: try kind.transport(), count: running)
    var configuration = NetworkClient.Configuration(baseURL: server.baseURL, transport: transport)
    configuration.concurrencyLimit = 5
    let client = NetworkClient(configuration)
    let recorders = (0..<20).map { index in
      SignalRecorder(
        client.exchange(request: Request(.post, "/upload", body: .data(Data("\(index)".utf8), contentType: "a/b"))))
    }
    for recorder in recorders {
      await recorder.waitForEnd()
      expect(recorder.isCompleted)
    }
    expectEqual(running.peak, 5)
    if kind == .curl { expect(server.log.acceptedCount <= 5) }
    expectEqual(Set(server.log.requests.map(\.bodyText)), Set((0..<20).map(String.init)))
  }

  @Test("S4-5") func eachClientHasALimitOfItsOwn() {
    stub.on("GET", "/*", .status(200).delayed(by: .seconds(1)))
    let recorders = [5, 2].map { limit in
      var configuration = NetworkClient.Configuration(
        baseURL: URL(string: "https://shop.example"), transport: stub)
      configuration.concurrencyLimit = limit
      configuration.scheduler = clock
      configuration.processing = .immediate
      let client = NetworkClient(configuration)
      return (0..<20).map { _ in SignalRecorder(client.exchange(request: "/a")) }
    }
    for (second, activeCount) in [7, 7, 7, 7, 2].enumerated() {
      expectEqual(stub.activeCount, activeCount)
      expectEqual(recorders.map { $0.count(where: \.isCompleted) }, [5 * second, 2 * second])
      clock.advance(by: .seconds(1))
    }
  }

  @Test(arguments: [1, 3]) func noPlaceIsLostWhenThreadsSubscribeAndDisposeAtOnce(_ limit: Int) async throws {
    let running = RunningCount()
    let transport = LimitingTransport(
      CountingTransport(next: QuickTransport(), count: running), concurrencyLimit: limit)
    let url = try request("/a").url
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for index in 0..<2000 {
            let handle = transport.send(HTTPRequest(url: url)).subscribe { _ in }
            if (index + task).isMultiple(of: 3) { handle.dispose() }
            if index.isMultiple(of: 64) { await Task.yield() }
          }
        }
      }
    }
    // Whoever comes now is behind all of them; if a place had been lost, or all were, it would not be its turn.
    let last = (0..<limit).map { _ in SignalRecorder(transport.send(HTTPRequest(url: url))) }
    for recorder in last {
      await recorder.waitForEnd()
      expect(recorder.isCompleted)
    }
    // An exchange ends first and is counted as ended then.
    await until { running.value == 0 }
    expectEqual(running.value, 0)
    // One that ends on its own thread while it is disposed gives its place away before it is counted as ended.
    expect(running.peak <= limit + 8)
  }

  @Test func whatHasLeftTheLineKeepsNothing() throws {
    stub.on("GET", "/a", .never)
    let transport = LimitingTransport(stub, concurrencyLimit: 1)
    let first = try recorder(transport, "/a")
    let url = try request("/b").url
    weak var trace: Token?
    do {
      let token = Token()
      trace = token
      let stream = BodyStream { [token] in
        withExtendedLifetime(token) {}
        return BodyStream.pieces(of: [])
      }
      transport.send(HTTPRequest(method: .post, url: url, body: .stream(stream))).subscribe { _ in }.dispose()
    }
    expectNil(trace)
    expect(first.events.isEmpty)
  }
}

/// What somebody may hold.
private final class Token: Sendable {}

/// Answers at once: in turn within the subscription, and on another thread.
private final class QuickTransport: Transport {
  private let index = Guarded(0)

  func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    let number = index.withLock { index in
      index += 1
      return index
    }
    let answer = Signal<TransportEvent, NetworkError>.just(.head(HTTPResponse(statusCode: 200, url: request.url)))
    return number.isMultiple(of: 2) ? answer : answer.subscribe(on: .global)
  }
}
