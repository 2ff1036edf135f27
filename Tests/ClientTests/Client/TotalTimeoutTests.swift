import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// The total timeout in virtual time, for everything that is done for a request.
struct TotalTimeoutTests {
  /// What a request waits for when its total timeout passes.
  enum Wait: String, CaseIterable {
    case middleware, ownMiddleware, queue, head, body, redirects, refresh, reading

    /// What the reason says; a coalesced exchange goes on for the others, so that the client ends the request.
    func reason(isCoalesced: Bool) -> String {
      switch self {
      case .head where isCoalesced, .body where isCoalesced, .redirects where isCoalesced: "waiting for the response"
      case .middleware, .ownMiddleware: "in middleware"
      case .queue: "waiting in the queue"
      case .head, .redirects: "waiting for the head of the response"
      case .body: "receiving the response"
      case .refresh: "waiting for a token refresh"
      case .reading: "reading the response"
      }
    }

    /// Who may be blamed: the server only if most of the time was spent waiting for its head.
    func party(isCoalesced: Bool) -> Attribution.Party {
      switch self {
      case .middleware, .ownMiddleware, .queue: .client
      case .head: isCoalesced ? .undetermined : .server
      case .body, .redirects, .refresh, .reading: .undetermined
      }
    }
  }

  /// Keeps every failure to itself.
  struct Swallowing: Middleware {
    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      next(request).catch { _ in .never }
    }
  }

  private let clock = VirtualScheduler()
  private let stub: StubTransport
  private let url = URL(string: "https://a.example")

  init() { stub = StubTransport(scheduler: clock) }

  private func client(_ adjust: (inout NetworkClient.Configuration) -> Void = { _ in }) -> NetworkClient {
    var configuration = NetworkClient.Configuration(baseURL: url, services: [], transport: stub)
    configuration.scheduler = clock
    configuration.processing = .immediate
    configuration.totalTimeout = .seconds(10)
    adjust(&configuration)
    return NetworkClient(configuration)
  }

  @Test func aRequestThatIsOnlyBuiltShowsItsTotalTimeout() throws {
    expectEqual(try client().httpRequest(for: "/a").totalTimeout, .seconds(10))
    expectEqual(try client().httpRequest(for: Request(.get, "/a", totalTimeout: .seconds(1))).totalTimeout, .seconds(1))
    expectNil(try client { $0.totalTimeout = nil }.httpRequest(for: "/a").totalTimeout)
  }

  /// A signer may ask the user first.
  @Test(arguments: [Retry.never, Retry(limit: 1)]) func coversTheBuildingOfTheRequest(_ retry: Retry) {
    struct Slow: RequestFilter {
      let clock: VirtualScheduler

      func filter(_ draft: inout RequestDraft) { clock.advance(by: .seconds(11)) }
    }
    let client = client {
      $0.filters = [Slow(clock: clock)]
      $0.retry = retry
    }
    let recorder = recorder(client)
    clock.run()
    expectEqual(recorder.failure?.code, .timedOut)
    expect(stub.requests.isEmpty)
  }

  @Test func namesTheBuildingOfARetry() {
    struct Slow: RequestFilter {
      let clock: VirtualScheduler
      let count: CurrentValue<Int>

      func filter(_ draft: inout RequestDraft) {
        count.value += 1
        if count.value == 2 { clock.advance(by: .seconds(20)) }
      }
    }
    stub.on(.get, "/a", .status(503))
    let count = CurrentValue(0)
    let recorder = recorder(
      client {
        $0.filters = [Slow(clock: clock, count: count)]
        $0.retry = Retry(limit: 1, backoff: .constant(.seconds(1)))
      })
    clock.run()
    expectEqual(recorder.failure?.reason, "total timeout of 10.0 seconds exceeded while preparing the request")
    expectEqual(recorder.failure?.attribution.party, .client)
    expectEqual(recorder.failure?.metrics?.earlierAttempts.map(\.code), [503])
    expectEqual(stub.requests.count, 1)
  }

  /// Blocks the thread that builds or sends the second request, and perhaps later ones, for a time.
  private struct Slow: RequestFilter, Middleware {
    let clock: VirtualScheduler
    let time: Duration
    var blocksLater = false
    let count = CurrentValue(0)

    func block() {
      count.value += 1
      if count.value == 2 || blocksLater && count.value > 2 { clock.advance(by: time) }
    }

    func filter(_ draft: inout RequestDraft) { block() }

    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      block()
      return next(request)
    }
  }

  /// Also while the filter or the middleware still blocks the subscription, much longer than a stage has to end it.
  @Test(arguments: [Duration.milliseconds(10_500), .seconds(60)], [(false, 0), (true, 0), (false, 1), (true, 1)])
  func aStoredResponseReplacesARequestThatTakesTooLong(_ time: Duration, _ place: (isSent: Bool, retryLimit: Int)) {
    stub.on(.get, "/a", .json("1"))
    let slow = Slow(clock: clock, time: time)
    let client = client {
      if place.isSent { $0.middleware = [slow] } else { $0.filters = [slow] }
      $0.retry = Retry(limit: place.retryLimit)
    }
    let request = Request(.get, "/a", cache: .networkThenCache)
    let first = recorder(client, request)
    clock.run()
    expect(first.isCompleted)
    let second = recorder(client, request)
    clock.run()
    expectEqual(second.values.map(\.value), [1])
    expectEqual(second.values.first?.metrics?.earlierAttempts.map(\.code), [NetworkError.Code.timedOut.number])
    expectEqual(stub.requests.count, 1)
  }

  @Test func aFilterThatBlocksTheStoredResponseTooDoesNotDelayTheEnd() {
    stub.on(.get, "/a", .json("1"))
    let slow = Slow(clock: clock, time: .seconds(60), blocksLater: true)
    let client = client { $0.filters = [slow] }
    let request = Request(.get, "/a", cache: .networkThenCache)
    _ = recorder(client, request)
    clock.run()
    let startedAt = clock.now
    let end = CurrentValue<Duration?>(nil)
    let second = SignalRecorder(
      client.enqueue(request: request, resultType: Int.self).on(failure: { _ in end.value = clock.now }))
    clock.run()
    expectEqual(second.failure?.code, .timedOut)
    expectEqual(end.value.map { $0 - startedAt }, .seconds(11))
  }

  private func recorder(_ client: NetworkClient, _ request: Request = Request(.get, "/a"))
    -> SignalRecorder<Response<Int>, NetworkError>
  {
    SignalRecorder(client.enqueue(request: request, resultType: Int.self))
  }

  @Test("P10", arguments: Wait.allCases, [false, true])
  func endsEverythingItCovers(_ wait: Wait, _ isCoalesced: Bool) throws {
    stub.on(.get, "/a", .json("1").delayed(by: .seconds(3)))
    stub.on(.get, "/blocker", .never)
    switch wait {
    case .head: stub.on(.get, "/a", .never)
    case .body: stub.on(.get, "/a", StubAnswer([.head(status: 200), .body(Data("1".utf8)), .never]))
    case .redirects: stub.on(.get, "/a", .status(302, headers: ["Location": "/a"]).delayed(by: .seconds(3)))
    case .refresh: stub.on(.get, "/a", .status(401).delayed(by: .seconds(3)))
    case .middleware, .ownMiddleware, .queue, .reading: break
    }
    let client = client { configuration in
      if wait == .middleware { configuration.middleware = [Hanging()] }
      if wait == .queue { configuration.concurrencyLimit = 1 }
      if wait == .refresh { configuration.recoveries = [Recovery { Signal<Void, NetworkError>.never }] }
      if wait == .reading { configuration.processing = VirtualScheduler() }
    }
    let patient = Request(.get, "/blocker", options: .with { $0.totalTimeout = .seconds(100) })
    let blocker = wait == .queue ? recorder(client, patient) : nil
    clock.advance(by: .seconds(1))
    var request = Request(.get, "/a", options: .with { $0.isCoalesced = isCoalesced })
    if wait == .ownMiddleware { request.options.middleware = [Hanging()] }
    let recorder = recorder(client, request)
    clock.advance(by: .milliseconds(9999))
    expect(!recorder.hasEnded)
    clock.advance(by: .milliseconds(1))
    let error = try require(recorder.failure)
    expectEqual(error.code, .timedOut)
    let activity = wait.reason(isCoalesced: isCoalesced)
    expectEqual(error.reason, "total timeout of \(Duration.seconds(10)) exceeded while \(activity)")
    expectEqual(error.attribution.party, wait.party(isCoalesced: isCoalesced))
    expectEqual(error.request?.url.path, "/a")
    expectEqual(error.response?.value, (wait == .body ? Data("1".utf8) : nil))
    blocker?.dispose()
    expectEqual(stub.activeCount, 0)
    expectEqual(clock.pendingCount, 0, "nothing is left to do")
  }

  /// What waits for us is no evidence against a host, nor against the way to the others.
  @Test func waitingIsNoEvidence() {
    stub.on(.get, "/lost", .failure(NetworkError(.cannotConnect)))
    let client = client()
    let hanging = RequestOptions.with { $0.middleware = [Hanging()] }
    let waiting = ["/a", "https://c.example/a"].map { path in
      recorder(client, Request(.get, RequestPath(path), options: hanging))
    }
    clock.advance(by: .seconds(10))
    expectEqual(waiting.map { $0.failure?.attribution.party }, [.client, .client])
    let second = recorder(client, Request(.get, "https://b.example/lost"))
    expectEqual(second.failure?.attribution.party, .undetermined)
    expectEqual(second.failure?.attribution.evidence?.otherHosts, .unknown)
  }

  /// A tenth later than it should: nothing tells that a failure was swallowed.
  @Test func endsWhatSwallowsItsFailure() throws {
    stub.on(.get, "/blocker", .never)
    let client = client { configuration in
      configuration.concurrencyLimit = 1
      configuration.middleware = [Swallowing()]
    }
    let blocker = recorder(client, Request(.get, "/blocker", options: .with { $0.totalTimeout = .seconds(100) }))
    let recorder = recorder(client)
    clock.advance(by: .seconds(10))
    expect(!recorder.hasEnded)
    clock.advance(by: .seconds(1))
    expectEqual(recorder.failure?.code, .timedOut)
    expect(!blocker.hasEnded)
  }

  @Test func coversEveryRetryWithItsDelay() {
    stub.on(.get, "/a", .status(503).delayed(by: .seconds(1)))
    let recorder = recorder(client { $0.retry = Retry(limit: 100, backoff: .constant(.seconds(1))) })
    // Attempts at 0, 2, 4, 6 and 8; the next could begin at 10 only.
    clock.advance(by: .milliseconds(8999))
    expect(!recorder.hasEnded)
    expectEqual(stub.requests.count, 5)
    clock.advance(by: .milliseconds(1))
    expectEqual(recorder.failure?.code, .status(503))
    expectEqual(stub.requests.count, 5)
    expectEqual(clock.pendingCount, 0)
  }

  @Test func endsAnAttemptThatIsARetry() {
    stub.on(.get, "/a", .status(503).delayed(by: .seconds(1)), .never)
    let recorder = recorder(client { $0.retry = Retry(limit: 100, backoff: .constant(.seconds(1))) })
    clock.advance(by: .seconds(10))
    expectEqual(recorder.failure?.code, .timedOut)
    expectEqual(recorder.failure?.metrics?.earlierAttempts.map(\.code), [503])
    expectEqual(recorder.failure?.attribution.party, .server)
    expectEqual(stub.requests.map(\.totalTimeout), [.seconds(10), .seconds(8)])
  }

  @Test func eachHopHasWhatIsLeft() {
    stub.on(.get, "/a", .status(302, headers: ["Location": "/b"]).delayed(by: .seconds(3)))
    stub.on(.get, "/b", .status(302, headers: ["Location": "/c"]).delayed(by: .seconds(4)))
    stub.on(.get, "/c", .json("5"))
    let recorder = recorder(client())
    clock.advance(by: .seconds(9))
    expectEqual(recorder.values.map(\.value), [5])
    expectEqual(stub.requests.map(\.totalTimeout), [.seconds(10), .seconds(7), .seconds(3)])
  }

  @Test func theRequestComesBeforeTheServiceAndThatBeforeTheClient() {
    struct Slow: Service {
      let id: ServiceID = "slow"
      let totalTimeout: Duration? = .seconds(5)
      func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
        URL(string: "https://b.example").map { ServiceAddresses($0) }
      }
    }
    stub.on(.get, "/a", .never)
    let client = client { $0.builder.services = ServiceRegistry([Slow()]) }
    let recorders = [
      recorder(client, Request(.get, "/a", service: "slow", options: .with { $0.totalTimeout = .seconds(2) })),
      recorder(client, Request(.get, "/a", service: "slow")),
      recorder(client),
    ]
    for (index, recorder) in zip([2, 5, 10], recorders) {
      expect(!recorder.hasEnded)
      clock.advance(by: .seconds(index) - clock.now)
      expectEqual(recorder.failure?.code, .timedOut)
    }
  }

  /// Used without a client; each on the system's clock.
  @Test(arguments: ["redirects", "limit"]) func aTransportUsedDirectlyKeepsToItToo(
    _ name: String
  ) async throws {
    stub.on(.get, "/a", .never)
    let transport: any Transport =
      name == "redirects" ? RedirectingTransport(stub) : LimitingTransport(stub, concurrencyLimit: 1)
    let request = HTTPRequest(url: try require(url).appending(path: "a"), totalTimeout: .milliseconds(50))
    let signal = transport.send(request)
    // Each subscription has a time of its own.
    for _ in 0..<2 {
      let recorder = SignalRecorder(signal)
      await recorder.waitForEnd()
      expectEqual(recorder.failure?.code, .timedOut)
      expectEqual(recorder.failure?.request?.url, request.url)
      expectEqual(recorder.failure?.reason.hasPrefix("total timeout of 0.05 seconds exceeded while "), true)
    }
    expectEqual(stub.activeCount, 0)
  }

  @Test func withoutOneNothingIsTimed() {
    stub.on(.get, "/a", .never)
    let recorder = recorder(client { $0.totalTimeout = nil })
    expectEqual(clock.pendingCount, 1, "the stub's idle timeout")
    expectEqual(stub.requests.map(\.totalTimeout), [nil])
    expect(!recorder.hasEnded)
  }

  @Test func whatEndsInTimeOrIsDisposedLeavesNoTimer() {
    stub.on(.get, "/a", .json("1"), .never)
    let client = client()
    expectEqual(recorder(client).values.map(\.value), [1])
    expectEqual(clock.pendingCount, 0)
    let second = recorder(client)
    expectEqual(clock.pendingCount, 2, "the total timeout, and the stub's idle timeout")
    second.dispose()
    expectEqual(clock.pendingCount, 0)
    expect(second.events.isEmpty)
  }

  @Test(arguments: [Duration.zero, .seconds(-1)]) func noTimeAtAllEndsItAtOnce(_ duration: Duration) {
    stub.on(.get, "/a", .never)
    let recorder = recorder(client { $0.totalTimeout = duration })
    clock.advance()
    expectEqual(recorder.failure?.code, .timedOut)
  }

  @Test func aLongOneDoesNoHarm() {
    stub.on(.get, "/a", .json("1"))
    expectEqual(recorder(client { $0.totalTimeout = .seconds(Int64.max) }).values.map(\.value), [1])
  }
}
