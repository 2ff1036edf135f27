import Foundation
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

@testable import Heliograph

/// Where files are read, copied and decoded: the other requests of a transport must not wait for them, and no thread is
/// changed in vain.
final class CacheThreadTests: Sendable {
  /// A scheduler that counts its work and runs it at once.
  private final class Counting: SignalScheduler {
    private let state = Guarded((count: 0, isRunning: false))
    private let base = VirtualScheduler()

    var count: Int { state.withLock { $0.count } }
    /// Whether its work runs.
    var isRunning: Bool { state.withLock { $0.isRunning } }
    var now: Duration { base.now }

    func schedule(_ work: @escaping @Sendable () -> Void) {
      state.withLock { $0 = ($0.count + 1, true) }
      work()
      state.withLock { $0.isRunning = false }
    }

    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> Disposable {
      base.schedule(after: delay, work)
    }
  }

  /// A text that tells whether it was decoded in the task of the request.
  private struct Located: Decodable, Sendable {
    @TaskLocal static var task = "none"

    let task: String

    init(from decoder: any Decoder) throws { task = Located.task }
  }

  private let folder = FileManager.default.temporaryDirectory.appending(path: "cache-\(UUID().uuidString)")
  private let scheduler = Counting()
  private let stub = StubTransport()
  private let checked: HTTPHeaders = ["Cache-Control": "max-age=0, stale-if-error=60", "ETag": "\"1\""]

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func makeClient(_ cache: ResponseCache, _ processing: (any SignalScheduler)? = nil) -> NetworkClient {
    NetworkClient(baseURL: URL(string: "https://api.example.com")) {
      $0.transport = stub
      $0.cache = cache
      if let processing { $0.processing = processing }
      $0.cachePolicy = .timeToLive(.seconds(60))
    }
  }

  private func makeRequest(_ method: HTTPMethod = .get, _ headers: HTTPHeaders = [:]) throws -> HTTPRequest {
    var request = HTTPRequest(
      method: method, url: try require(URL(string: "https://api.example.com/a")), headers: headers)
    request.cachePolicy = .http
    return request
  }

  /// Sends requests, and returns how much work each of them has scheduled.
  private func work(of requests: [HTTPRequest], over cache: ResponseCache) async -> [Int] {
    let transport = CachingTransport(stub, cache: cache, scheduler: scheduler)
    var counts: [Int] = []
    for request in requests {
      let before = scheduler.count
      let recorder = SignalRecorder(transport.send(request))
      await recorder.waitForEnd()
      expect(recorder.isCompleted)
      counts.append(scheduler.count - before)
    }
    return counts
  }

  @Test(arguments: [(0, 500_000, [1, 2, 2, 2]), (10_000_000, 3_000, [1, 1, 0, 0])])
  func aFileIsCopiedAndReadOffTheThreadOfTheTransport(_ memory: Int, _ size: Int, _ expected: [Int]) async throws {
    let offline = NetworkError(.connectionLost)
    stub.on(
      .get, "/a", .data(Data(count: size), headers: checked), .status(304, headers: checked), .status(503),
      .failure(offline))
    let cache = try ResponseCache(folder: folder, memoryByteCount: memory)
    // One for each look-up that reads a file, one for its new head or its delivery.
    try await expectEqual(work(of: Array(repeating: makeRequest(), count: 4), over: cache), expected)
  }

  @Test(arguments: [HTTPMethod.get, .head]) func aResponseWithoutABodyUpdatesTheFileBeforeItsEnd(
    _ method: HTTPMethod
  ) async throws {
    let first = Data(count: 500_000)
    var newer = checked
    newer["Cache-Control"] = "max-age=60"
    stub.on(.get, "/a", .data(first, headers: checked), .status(304, headers: newer))
    stub.on(.head, "/a", .status(200, headers: newer))
    let cache = try ResponseCache(folder: folder, memoryByteCount: 0)
    // The condition of the caller: its 304 is delivered.
    let fields: HTTPHeaders = method == .get ? ["If-None-Match": "\"1\"", "Cache-Control": "no-cache"] : [:]
    let requests = [try makeRequest(), try makeRequest(method, fields), try makeRequest()]
    await expectEqual(work(of: requests, over: cache), [1, 2, 1])
    // The third one was fresh.
    expectEqual(stub.requests.count, 2)
  }

  @Test func aFileIsReadWhereItsResponseIsDecoded() async throws {
    stub.on(.get, "/a", .text("one"))
    let client = makeClient(try ResponseCache(folder: folder, memoryByteCount: 0), scheduler)
    let isThere = Guarded<[Bool]>([])
    for _ in 0..<2 {
      let signal = client.enqueue(request: Request(.get, "/a")) { [scheduler] _ in
        isThere.withLock { $0.append(scheduler.isRunning) }
      }
      let before = scheduler.count
      let recorder = SignalRecorder(signal)
      await recorder.waitForEnd()
      expect(recorder.isCompleted)
      if case .cache = recorder.values.first?.source { expectEqual(scheduler.count - before, 1) }
    }
    expectEqual(isThere.withLock { $0 }, [true, true])
    expectEqual(stub.requests.count, 1)
  }

  @Test func aShortResponseFromMemoryIsReadInTheTaskOfAnAsyncFunction() async throws {
    let long = Data("[\"\(String(repeating: "a", count: 20_000))\"]".utf8)
    stub.on(.get, "/short", .data(Data("1".utf8)))
    stub.on(.get, "/long", .data(long))
    func tasks(_ client: NetworkClient) async throws -> [String] {
      var tasks: [String] = []
      for path in ["/short", "/short", "/long", "/long"] as [RequestPath] {
        try await Located.$task.withValue("T1") {
          tasks.append(try await client.send(Request(.get, path), as: Located.self).value.task)
        }
      }
      return tasks
    }
    try await expectEqual(tasks(makeClient(ResponseCache())), ["none", "T1", "none", "none"])
    // A scheduler that the app has chosen is used.
    let queue = DispatchScheduler.serial("test")
    try await expectEqual(tasks(makeClient(ResponseCache(), queue)), ["none", "none", "none", "none"])
  }

  /// A client whose refresh the test ends, and what its closure records.
  private func makeRefreshing(
    _ refreshed: CurrentValue<Bool>, _ begin: @escaping @Sendable (NetworkClient) -> Void
  ) -> NetworkClient {
    NetworkClient(baseURL: URL(string: "https://api.example.com")) {
      $0.transport = stub
      $0.cachePolicy = .timeToLive(.seconds(60))
      $0.recoveries = [
        Recovery(scheduler: VirtualScheduler()) { client in
          begin(client)
          return refreshed.signal.filter { $0 }.take(1).setFailureType(to: NetworkError.self)
        }
      ]
    }
  }

  /// A later attempt starts wherever its refresh has ended, such as on the main thread.
  @Test func onlyTheFirstAttemptIsReadWhereItStarts() async throws {
    let (refreshed, isRefreshing) = (CurrentValue(false), CurrentValue(false))
    stub.on(.get, "/a", .status(401), .data(Data("1".utf8)))
    let client = makeRefreshing(refreshed) { _ in isRefreshing.value = true }
    let task = Task { try await client.send("/a", as: Located.self) }
    await expect(SignalRecorder(isRefreshing.signal).wait { $0.last?.value == true })
    // Another request stores a response, which answers the second attempt.
    _ = try await client.send("/a")
    Located.$task.withValue("refresh") { refreshed.value = true }
    let response = try await task.value
    expect(response.source != .network)
    expectEqual(response.value.task, "none")
    expectEqual(stub.requests.count, 2)
  }

  /// A refresh may subscribe to its requests on any thread, too.
  @Test func theRequestsOfARefreshAreNotReadWhereTheyStart() async throws {
    let refreshed = CurrentValue(false)
    let answers = CurrentValue<[String]>([])
    stub.on(.get, "/key", .data(Data("1".utf8)))
    stub.on(.get, "/a", .status(401), .data(Data("1".utf8)))
    let client = makeRefreshing(refreshed) { client in
      Located.$task.withValue("refresh") {
        let request = Request(.get, "/key", cache: .timeToLive(.seconds(60)))  // no policy of the client applies
        let key = client.enqueue(request: request, resultType: Located.self)
        _ = key.subscribe { event in
          guard case .value(let response) = event else { return }
          expect(response.source != .network)
          answers.modify { $0.append(response.value.task) }
        }
      }
    }
    _ = try await client.send("/key")
    let task = Task { try await client.send("/a", as: Located.self) }
    await expect(SignalRecorder(answers.signal).wait { $0.last?.value?.isEmpty == false })
    expectEqual(answers.value, ["none"])
    refreshed.value = true
    let response = try await task.value
    expectEqual(response.source, .network)
  }
}
