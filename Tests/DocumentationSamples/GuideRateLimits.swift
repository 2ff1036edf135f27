import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

// sample: questions-rate-limit
/// Sends a few requests at once, and none until the `Retry-After` of a 429 has passed, for a minute at most.
struct RateLimit: Middleware {
  private let lane: Lane
  private let clock: any SignalScheduler
  private let end = CurrentValue(Duration.zero)

  init(concurrencyLimit: Int, clock: any SignalScheduler = .global) {
    lane = Lane(.limit(concurrencyLimit))
    self.clock = clock
  }

  func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
    if request.priority == .high { return recording(next(request)) }  // such as a token refresh
    return lane.enqueue(pause().flatMap { recording(next(request)) }, priority: request.priority)
  }

  private func pause() -> Signal<Void, NetworkError> {
    Signal.deferred { [clock, end] in
      let rest = end.value - clock.now
      if rest <= .zero { return .just(()) }
      let wait = Signal<Void, NetworkError>.timer(after: rest, on: clock)
      return wait.flatMap { pause() }
    }
  }

  private func recording(_ events: Signal<TransportEvent, NetworkError>) -> Signal<TransportEvent, NetworkError> {
    events.on(value: { event in
      guard case .head(let head) = event, head.statusCode == 429 else { return }
      let pause = Duration.seconds(Int(head.headers["Retry-After"] ?? "") ?? 1)
      end.modify { $0 = max($0, clock.now + min(pause, .seconds(60))) }
    })
  }
}
// end sample

/// The samples about rate limits, of the articles QuestionsAndAnswers and Authentication.
struct RateLimitSamples {
  /// Answers ten requests in each second, and others with a 429.
  private static func limit(_ stub: StubTransport, on clock: TestClock) {
    let counts = CurrentValue<[Int: Int]>([:])
    stub.on(.get, "/items/*") { _ in
      let second = Int(clock.now / .seconds(1))
      counts.modify { $0[second, default: 0] += 1 }
      let isAllowed = (counts.value[second] ?? 0) <= 10
      let answer = isAllowed ? StubAnswer.json("{}") : .status(429, headers: ["Retry-After": "1"])
      return answer.delayed(by: .milliseconds(20))
    }
  }

  @Test func aHundredRequestsPassALimitOfTenASecond() async {
    for isPausing in [true, false] {
      let kit = TestKit {
        if isPausing { $0.middleware = [RateLimit(concurrencyLimit: 2, clock: $0.scheduler)] }
        $0.retry = Retry()
      }
      Self.limit(kit.stub, on: kit.clock)
      let recorders = (1...100).map {
        SignalRecorder(kit.client.enqueue(request: "/items/\($0)", resultType: NoContent.self))
      }
      await kit.clock.advance(by: .seconds(120))
      if isPausing {
        expectEqual(recorders.count { $0.isCompleted }, 100)
        expect(kit.stub.requests.count < 130, "\(kit.stub.requests.count)")
      } else {
        expect(recorders.count { $0.isCompleted } < 50, "\(recorders.count { $0.isCompleted })")
      }
    }
  }

  @Test func aWaitingRequestSendsTheTokenOfAfterTheWait() async {
    let token = CurrentValue<String?>("old")
    let kit = TestKit {
      $0.middleware = [RateLimit(concurrencyLimit: 2, clock: $0.scheduler), .bearer { token.value }]
    }
    kit.stub.on(.get, "/a", .status(429, headers: ["Retry-After": "5"]))
    kit.stub.on(.get, "/b", .json("{}"))
    let first = SignalRecorder(kit.client.enqueue(request: "/a", resultType: NoContent.self))
    await kit.clock.advance()
    let second = SignalRecorder(kit.client.enqueue(request: "/b", resultType: NoContent.self))
    await kit.clock.advance(by: .seconds(4))
    expectEqual(kit.stub.requests.count, 1)
    token.value = "new"
    await kit.clock.advance(by: .seconds(1))
    expectEqual([first.failure?.code, second.failure?.code], [.status(429), nil])
    expectEqual(kit.stub.requests.map { $0.headers["Authorization"] }, ["Bearer old", "Bearer new"])
  }

  @Test func aTokenRefreshPassesALaneThatIsFull() async {
    let token = CurrentValue<String?>("old")
    let kit = TestKit {
      $0.middleware = [RateLimit(concurrencyLimit: 1, clock: $0.scheduler), .bearer { token.value }]
      $0.recoveries = [
        Recovery { client in
          client.enqueue(request: Request(.post, "/token"), resultType: NoContent.self).on(value: { _ in
            token.value = "new"
          })
        }
      ]
    }
    kit.stub.on(.get, "/a", headers: ["Authorization": "Bearer new"], .json("{}"))
    kit.stub.on(.get, "/a", .status(401))
    kit.stub.on(.get, "/slow", .never)
    kit.stub.on(.post, "/token", .json("{}"))
    let first = SignalRecorder(kit.client.enqueue(request: "/a", resultType: NoContent.self))
    await kit.clock.advance()
    expect(first.isCompleted)
    let slow = SignalRecorder(kit.client.enqueue(request: "/slow", resultType: NoContent.self))
    let refresh = Request(.post, "/token", options: .with { $0.priority = .high })
    let high = SignalRecorder(kit.client.enqueue(request: refresh, resultType: NoContent.self))
    await kit.clock.advance()
    expect(high.isCompleted && !slow.isCompleted)
  }

  @Test func aPauseBecomesLongerWhileRequestsWait() async {
    let kit = TestKit { $0.middleware = [RateLimit(concurrencyLimit: 2, clock: $0.scheduler)] }
    kit.stub.on(.get, "/a", .status(429, headers: ["Retry-After": "5"]))
    kit.stub.on(.get, "/high", .status(429, headers: ["Retry-After": "3600"]))
    kit.stub.on(.get, "/b", .json("{}"))
    func start(_ path: String, _ priority: RequestPriority = .normal) -> SignalRecorder<
      Response<NoContent>, NetworkError
    > {
      let request = Request(.get, RequestPath(path), options: .with { $0.priority = priority })
      return SignalRecorder(kit.client.enqueue(request: request, resultType: NoContent.self))
    }
    let first = start("/a")
    await kit.clock.advance()
    let second = start("/b")
    await kit.clock.advance(by: .seconds(1))
    let high = start("/high", .high)
    await kit.clock.advance(by: .seconds(59))
    expectEqual(kit.stub.requests.map { $0.url.path }, ["/a", "/high"])
    await kit.clock.advance(by: .seconds(1))
    expect(second.isCompleted)
    withExtendedLifetime((first, high)) {}
  }

  @Test func aWaitingRequestOfHigherPriorityStartsFirst() async {
    let kit = TestKit { $0.middleware = [RateLimit(concurrencyLimit: 1, clock: $0.scheduler)] }
    kit.stub.on(.get, "/a", StubAnswer.json("{}").delayed(by: .seconds(1)))
    kit.stub.on(.get, "/*", .json("{}"))
    let priorities: [(String, RequestPriority)] = [("/a", .normal), ("/low", .low), ("/normal", .normal)]
    let recorders = priorities.map { path, priority in
      let request = Request(.get, RequestPath(path), options: .with { $0.priority = priority })
      return SignalRecorder(kit.client.enqueue(request: request, resultType: NoContent.self))
    }
    await kit.clock.advance(by: .seconds(1))
    expect(recorders.allSatisfy(\.isCompleted))
    expectEqual(kit.stub.requests.map { $0.url.path }, ["/a", "/normal", "/low"])
  }

  @Test func aLimitIsResetAtATime() async throws {
    // sample: questions-rate-reset
    let retry = Retry { error, _ in
      guard let headers = error.response?.headers, headers["X-RateLimit-Remaining"] == "0",
        headers["Retry-After"] == nil, let reset = headers["X-RateLimit-Reset"].flatMap({ TimeInterval($0) })
      else { return .default }
      let pause = reset - Date().timeIntervalSince1970 + 1
      return pause < 60 ? .retry(after: .seconds(max(1, pause))) : .doNotRetry  // the clock may be wrong
    }
    // end sample
    let kit = TestKit { $0.retry = retry }
    func limited(for seconds: TimeInterval) -> StubAnswer {
      let reset = "\(Int(Date().timeIntervalSince1970 + seconds))"
      return .status(403, headers: ["x-ratelimit-remaining": "0", "x-ratelimit-reset": reset])
    }
    kit.stub.on(.get, "/repos", limited(for: 30), .json("{}"))
    kit.stub.on(.get, "/past", limited(for: -30), .json("{}"))  // the clock of the device is ahead
    kit.stub.on(
      .get, "/invalid", .status(403, headers: ["x-ratelimit-remaining": "0", "x-ratelimit-reset": "-1e30"]), .json("{}")
    )
    kit.stub.on(.get, "/later", limited(for: 3_600))
    kit.stub.on(.get, "/forbidden", .status(403))
    let repos = SignalRecorder(kit.client.enqueue(request: "/repos", resultType: NoContent.self))
    await kit.clock.advance(by: .seconds(20))
    expectEqual(kit.stub.requests.count, 1)
    await kit.clock.advance(by: .seconds(12))
    expect(repos.isCompleted)
    for path in ["/past", "/invalid"] {
      let request = Request(.get, RequestPath(path))
      let recorder = SignalRecorder(kit.client.enqueue(request: request, resultType: NoContent.self))
      await kit.clock.advance(by: .milliseconds(900))
      expectEqual(kit.stub.requests.count { $0.url.path == path }, 1)
      await kit.clock.advance(by: .milliseconds(100))
      expect(recorder.isCompleted)
    }
    for path in ["/later", "/forbidden"] {
      let request = Request(.get, RequestPath(path))
      let recorder = SignalRecorder(kit.client.enqueue(request: request, resultType: NoContent.self))
      await kit.clock.advance(by: .seconds(60))
      expectEqual(recorder.failure?.code, .status(403))
    }
    expectEqual(kit.stub.requests.count, 8)
  }

  /// What the article Authentication says of a token refresh.
  @Test func aRefreshThatMeetsARateLimitIsRetried() async {
    let token = CurrentValue<String?>("old")
    let kit = TestKit {
      $0.middleware = [.bearer { token.value }]
      $0.recoveries = [
        Recovery(scheduler: $0.scheduler) { client in
          let retry = Retry(maximumRetryAfter: .seconds(20)) { error, _ in error.statusCode == 429 ? .retry() : .default
          }
          return client.enqueue(request: Request(.post, "/token", retry: retry), resultType: NoContent.self)
            .on(value: { _ in token.value = "new" })
        }
      ]
    }
    kit.stub.on(.get, "/a", headers: ["Authorization": "Bearer new"], .json("{}"))
    kit.stub.on(.get, "/a", .status(401))
    kit.stub.on(.post, "/token", .status(429, headers: ["Retry-After": "10"]), .json("{}"))
    let recorders = (1...3).map { _ in
      SignalRecorder(kit.client.enqueue(request: "/a", resultType: NoContent.self))
    }
    await kit.clock.advance(by: .seconds(10))
    expectEqual(recorders.map(\.isCompleted), [true, true, true])
  }

  @Test func aListIsContinuedAfterAFailure() async throws {
    nonisolated struct Repo: Decodable, Sendable { let id: Int }
    let kit = TestKit()
    kit.stub.on(.get, "/repos", query: ["page": "2"], .status(500), .json(#"[{"id": 2}]"#))
    kit.stub.on(.get, "/repos", .json(#"[{"id": 1}]"#, headers: ["Link": #"</repos?page=2>; rel="next""#]))
    let (client, ids) = (kit.client, CurrentValue<[Int]>([]))
    let store: (Repo) -> Void = { repo in ids.modify { $0.append(repo.id) } }
    var start = "/repos"
    func read() async throws {
      // sample: view-models-continue
      for try await page in client.pages(request: Request(.get, RequestPath(start)), of: Repo.self) {
        page.value.forEach(store)
        start = page.links.first { $0.relations.contains("next") }?.target ?? start  // where a failed list continues
      }
      // end sample
    }
    await #expect(throws: NetworkError.self) { try await read() }
    try await read()
    expectEqual(ids.value, [1, 2])
    expectEqual(kit.stub.requests.map { $0.url.query }, [nil, "page=2", "page=2"])
  }
}
