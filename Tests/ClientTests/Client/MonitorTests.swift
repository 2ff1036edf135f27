import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// What monitors are told, over a stub and in virtual time.
struct MonitorTests {
  private let clock = VirtualScheduler()
  private let stub: StubTransport
  private let log = MonitorLog()

  init() { stub = StubTransport(scheduler: clock) }

  private func client(_ adjust: (inout NetworkClient.Configuration) -> Void = { _ in }) -> NetworkClient {
    var configuration = NetworkClient.Configuration(
      baseURL: URL(string: "https://a.example"), services: [], transport: stub)
    configuration.scheduler = clock
    configuration.processing = .immediate
    configuration.monitors = [log]
    adjust(&configuration)
    return NetworkClient(configuration)
  }

  private func recorder(_ client: NetworkClient, _ request: Request = Request(.get, "/a"))
    -> SignalRecorder<Response<Int>, NetworkError>
  {
    SignalRecorder(client.enqueue(request: request, resultType: Int.self))
  }

  @Test("S1-26") func aSuccessIsToldFromStartToEnd() throws {
    stub.on(.get, "/a", .json("17").delayed(by: .seconds(3)))
    let recorder = recorder(client())
    expectEqual(log.names, ["started", "sent 1"])
    clock.advance(by: .seconds(3))
    expect(recorder.isCompleted)
    expectEqual(
      log.names,
      [
        "started", "sent 1", "responded 1 200", "received 1 2", "delivered 1 200", "attempt 1 succeeded",
        "succeeded after 1",
      ])
    expectEqual(Set(log.events.map(\.id)).count, 1)
    let report = try require(log.requests.first)
    expectEqual(report.duration, .seconds(3))
    expectEqual(report.bodyByteCount, 2)
    expect(report.wasSent)
    expectEqual(report.response?.statusCode, 200)
    expectEqual(report.request?.url.path, "/a")
    if case .started(let id, let request)? = log.events.first { expect(id == report.id && request?.path == "/a") }
  }

  @Test("S1-26") func everyAttemptIsTold() throws {
    stub.on(.get, "/a", .status(503).delayed(by: .seconds(1)), .status(401), .json("1").delayed(by: .seconds(4)))
    let recorder = recorder(
      client { configuration in
        configuration.retry = Retry(limit: 1, backoff: .constant(.seconds(2)))
        configuration.recoveries = [Recovery { Signal<Void, NetworkError>.empty }]
      })
    clock.run()
    expect(recorder.isCompleted)
    expectEqual(
      log.names,
      [
        "started", "sent 1", "responded 1 503", "received 1 0", "attempt 1 failed", "sent 2", "responded 2 401",
        "received 2 0", "attempt 2 failed", "sent 3", "responded 3 200", "received 3 1", "delivered 3 200",
        "attempt 3 succeeded", "succeeded after 3",
      ])
    expectEqual(log.attempts.map { $0.error?.code }, [.status(503), .status(401), nil])
    expectEqual(log.attempts.map(\.duration), [.seconds(1), .zero, .seconds(4)])
    expectEqual(log.requests.map(\.duration), [.seconds(7)])
    expectEqual(log.requests.map { $0.metrics?.earlierAttempts.map(\.code) }, [[503, 401]])
    expectEqual(log.attempts.map { $0.metrics?.earlierAttempts.count ?? 0 }, [0, 0, 0])
    expectEqual(Set(log.events.map(\.id)).count, 1)
  }

  @Test func theRequestIsToldAsItIsSent() throws {
    struct Marking: Middleware {
      func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
        // A request of its own, not a changed copy.
        next(
          HTTPRequest(
            url: request.url, headers: ["X-Trace": "\(request.id).\(request.attempt)", "Authorization": "s3cret"]))
      }
    }
    stub.on(.get, "/a", .status(503), .json("1"))
    let recorder = recorder(
      client { configuration in
        configuration.middleware = [Marking()]
        configuration.retry = Retry(limit: 1, backoff: .none)
        configuration.totalTimeout = .seconds(60)
      }, Request(.get, "/a?token=s3cret"))
    clock.run()
    expect(recorder.isCompleted)
    let id = try require(log.startedIDs.first)
    expectEqual(log.sent.map { $0.headers["X-Trace"] }, ["\(id).1", "\(id).2"])
    expectEqual(stub.requests.map { $0.headers["X-Trace"] }, ["\(id).1", "\(id).2"])
    expectEqual(log.sent.map(\.id), [id, id])
    expectEqual(log.sent.map(\.attempt), [1, 2])
    expectEqual(log.attempts.map { $0.request?.headers["X-Trace"] }, ["\(id).1", "\(id).2"])
    expect(log.sent.allSatisfy { !"\($0)".contains("s3cret") && !"\($0.headers)".contains("s3cret") })
  }

  @Test func whatIsRefusedWasNotSent() throws {
    let client = client { configuration in
      configuration.reachability = ManualReachability(.unreachable)
      configuration.retry = Retry(limit: 3)
    }
    expectEqual(recorder(client).failure?.code, .unreachable)
    expectEqual(log.names, ["started", "attempt 1 failed", "failed after 1"])
    expectEqual(log.attempts.map(\.wasSent), [false])
    expectEqual(log.requests.map(\.wasSent), [false])
    expectEqual(log.requests.first?.request?.url.path, "/a")
  }

  @Test func whatCannotBeBuiltHasNoAttempt() {
    expectEqual(recorder(client(), Request(.get, "/a", service: "nobody")).failure?.code, .unknownService)
    expectEqual(recorder(client(), Request("BAD METHOD", "/a")).failure?.code, .invalidMethod)
    expectEqual(log.names, ["started", "failed after 0", "started", "failed after 0"])
    expect(log.requests.allSatisfy { !$0.wasSent })
  }

  @Test func aRequestThatCannotBeDescribedIsToldToo() {
    struct Broken: RequestConvertible {
      func asRequest() throws(NetworkError) -> Request { throw NetworkError(.invalidParameters) }
    }
    let recorder = SignalRecorder(client().exchange(request: Broken()))
    expectEqual(recorder.failure?.code, .invalidParameters)
    expectEqual(log.names, ["started", "failed after 0"])
  }

  @Test func aMiddlewareThatFailsSendsNothing() {
    struct Failing: Middleware {
      func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
        .fail(NetworkError(.invalidCredentials))
      }
    }
    _ = recorder(client { $0.middleware = [Failing()] })
    expectEqual(log.names, ["started", "attempt 1 failed", "failed after 1"])
    expectEqual(log.attempts.map(\.wasSent), [false])
  }

  @Test("S1-26") func aDisposalIsACancellation() throws {
    stub.on(.get, "/a", .never)
    let recorder = recorder(client())
    clock.advance(by: .seconds(2))
    recorder.dispose()
    expectEqual(log.names, ["started", "sent 1", "attempt 1 cancelled", "cancelled after 1"])
    expectEqual(log.requests.first?.duration, .seconds(2))
    expectEqual(log.requests.first?.wasSent, true)
    recorder.dispose()
    expectEqual(log.requests.count, 1)
  }

  @Test func aChangedAccountCancelsTheAttempt() {
    stub.on(.get, "/a", .never)
    let account = CurrentValue<String?>("ada")
    let recorder = recorder(client { $0.account = account })
    account.value = "bob"
    expectEqual(recorder.failure?.code, .contextChanged)
    expectEqual(log.names, ["started", "sent 1", "attempt 1 cancelled", "failed after 1"])
  }

  /// As of a transport that passes interim responses on.
  @Test func everyHeadIsReported() {
    struct Interim: Transport {
      func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
        let heads = [103, 200].map { TransportEvent.head(HTTPResponse(statusCode: $0, url: request.url)) }
        return .from(heads + [.body(Data("1".utf8))])
      }
    }
    _ = recorder(client { $0.transport = Interim() })
    expectEqual(log.names.prefix(4), ["started", "sent 1", "responded 1 103", "responded 1 200"])
  }

  @Test func aDisposalBetweenTwoAttemptsIsToo() {
    stub.on(.get, "/a", .status(503))
    let recorder = recorder(client { $0.retry = Retry(limit: 1, backoff: .constant(.seconds(9))) })
    recorder.dispose()
    expectEqual(
      log.names, ["started", "sent 1", "responded 1 503", "received 1 0", "attempt 1 failed", "cancelled after 1"])
  }

  /// As `first()` and `value()` do.
  @Test func whoTakesTheValueAndLeavesHasNotCancelled() {
    stub.on(.get, "/a", .json("1"))
    let recorder = SignalRecorder(client().enqueue(request: "/a", resultType: Int.self).take(1))
    expectEqual(recorder.values.count, 1)
    expectEqual(log.names.suffix(2), ["attempt 1 succeeded", "succeeded after 1"])
  }

  @Test("S2-21") func eachElementOfAnArrayIsDelivered() {
    stub.on(.get, "/a", .json("[1,2,3]"))
    let lines = Log<String>()
    let recorder = recorder(client { $0.monitors.append(ConsoleMonitor { lines.add($0) }) })
    expectEqual(recorder.values.count, 3)
    expectEqual(log.names.filter { $0 == "delivered 1 200" }.count, 3)
    expectEqual(lines.entries.filter { $0.hasPrefix("https://a.example/a => 200 ") }.count, 3)
  }

  @Test func theTotalTimeoutEndsTheAttemptBeforeTheRequest() {
    stub.on(.get, "/a", .json("1"))
    let recorder = recorder(
      client { configuration in
        configuration.processing = VirtualScheduler()
        configuration.totalTimeout = .seconds(5)
      })
    clock.run()
    expectEqual(recorder.failure?.code, .timedOut)
    expectEqual(
      log.names, ["started", "sent 1", "responded 1 200", "received 1 1", "attempt 1 failed", "failed after 1"])
    expectEqual(log.requests.first?.response?.statusCode, 200)
  }

  @Test func theErrorIsInTheAppsWords() {
    stub.on(.get, "/a", .status(503))
    _ = recorder(client { $0.messages[.status(503)] = "Gone fishing." })
    expectEqual(log.requests.first?.error?.message, "Gone fishing.")
    expectEqual(log.attempts.first?.error?.message, NetworkError(.status(503)).message)
  }

  /// The end of the attempt and that of the request wait for the event that the monitor is observing.
  @Test func aMonitorMayDisposeTheRequest() {
    struct Disposing: Monitor {
      let log = Log<String>()
      let handle = CurrentValue<Disposable?>(nil)

      func observe(_ event: MonitorEvent) {
        log.add("begin \(event.name)")
        if case .responded = event { handle.value?.dispose() }
        log.add("end \(event.name)")
      }
    }
    let monitor = Disposing()
    stub.on(.get, "/a", .json("1").delayed(by: .seconds(1)))
    let client = client { $0.monitors = [monitor] }
    monitor.handle.value = client.enqueue(request: "/a", resultType: Int.self).subscribe { _ in }
    clock.run()
    let names = ["started", "sent 1", "responded 1 200", "attempt 1 cancelled", "cancelled after 1"]
    expectEqual(monitor.log.entries, names.flatMap { ["begin \($0)", "end \($0)"] })
  }

  /// Nobody ends it: its source was freed.
  @Test func aSourceThatIsDroppedEndsItToo() {
    struct Dropping: Middleware {
      func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
        Signal { _ in nil }
      }
    }
    do {
      let client = client { $0.middleware = [Dropping()] }
      client.exchange(request: "/a").subscribe { _ in }
    }
    expectEqual(log.names.last, "cancelled after 1")
    expectEqual(log.requests.count, 1)
  }

  @Test func idsAreUniqueAndCopiesKeepThem() throws {
    let url = try require(URL(string: "https://a.example/"))
    let first = HTTPRequest(url: url)
    var copy = first
    copy.headers["X-A"] = "1"
    expectEqual(copy.id, first.id)
    expectEqual(copy.attempt, 1)
    expect(HTTPRequest(url: url).id != first.id)
    expectEqual(HTTPRequest(url: url), first, "what a request says does not depend on its id")
    stub.on(.get, "/a", .json("1"))
    let client = client()
    for _ in 0..<50 { _ = recorder(client) }
    expectEqual(Set(log.startedIDs).count, 50)
    expectEqual(log.startedIDs, log.requests.map(\.id))
  }

  /// Threads that answer and threads that dispose, at the same time.
  @Test("S1-26", arguments: [false, true]) func oneEndForEachStartThoughThreadsDisposeMeanwhile(
    _ isRetried: Bool
  ) async throws {
    let transport = ThreadedTransport()
    let client = client { configuration in
      configuration.transport = transport
      configuration.scheduler = .global
      configuration.processing = .global
      configuration.totalTimeout = .seconds(60)
      if isRetried {
        configuration.retry = Retry(limit: 2, backoff: .none, statuses: [200]) { _, _ in .retry(after: .zero) }
      }
      configuration.retryBudget = nil
      if isRetried { configuration.stages.baseValidators = [Refusing()] }
    }
    let count = 400
    let handles = Guarded<[Disposable]>([])
    await together(4) { thread in
      for index in 0..<(count / 4) {
        let handle = client.enqueue(request: "/a", resultType: Int.self).subscribe { _ in }
        if (index + thread).isMultiple(of: 2) { handle.dispose() } else { handles.withLock { $0.append(handle) } }
      }
    }
    await together(4) { thread in
      for (index, handle) in handles.withLock({ $0 }).enumerated() where index % 4 == thread { handle.dispose() }
    }
    handles.withLock { $0 = [] }
    // A disposal that finds another thread telling leaves the end to it.
    await expect(SignalRecorder(log.endedCount.signal).wait { $0.last?.value == count })
    expectEqual(log.startedIDs.count, count)
    expectEqual(log.requests.count, count)
    expectEqual(Set(log.requests.map(\.id)), Set(log.startedIDs))
    expectEqual(Set(log.startedIDs).count, count)
    for (_, events) in Dictionary(grouping: log.events, by: \.id) {
      let names = events.map(\.name)
      expectEqual(names.first, "started")
      expectEqual(events.last.map { if case .ended = $0 { true } else { false } }, true)
      let sentCount = names.filter { $0.hasPrefix("sent") }.count
      let attempts = events.compactMap { if case .attemptEnded(let report) = $0 { report } else { nil } }
      expectEqual(attempts.filter(\.wasSent).count, sentCount, "\(names)")
    }
  }

  /// Finds every response bad.
  private struct Refusing: Validator {
    func validate(_ response: Response<Data>) throws(NetworkError) { throw NetworkError(.status(200)) }
  }

  /// Answers on the system's concurrent queue.
  private struct ThreadedTransport: Transport {
    func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
      Signal { observer in
        let scheduler: any SignalScheduler = .global
        scheduler.schedule {
          observer.send(.head(HTTPResponse(statusCode: 200, headers: [:], url: request.url)))
          observer.send(.body(Data("1".utf8)))
          observer.complete()
        }
        return nil
      }
    }
  }
}
