import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// The total timeout over real sockets.
struct TotalTimeoutFlowTests {
  /// What a request waits for when its total timeout passes.
  enum Wait: String, CaseIterable, Sendable {
    case connect, head, body, redirects, retries, middleware, refresh, queue, transportQueue

    /// What the reason says over libcurl, and over `URLSession`, which does not tell how far an exchange has come.
    func reason(_ kind: TransportKind) -> String {
      switch self {
      case .connect: kind == .curl ? "connecting" : "waiting for the response"
      case .head, .redirects: kind == .curl ? "waiting for the head of the response" : "waiting for the response"
      case .body: "receiving the response"
      case .retries: ""
      case .middleware: "in middleware"
      case .refresh: "waiting for a token refresh"
      case .queue, .transportQueue: "waiting in the queue"
      }
    }

    /// The total timeout; for retries it leaves the second of two attempts time to end late.
    var total: Duration { self == .retries ? .seconds(4) : .seconds(1) }
  }

  /// One way through all of them.
  private struct Round: Sendable {
    let wait: Wait
    let recorder: SignalRecorder<Response<Data>, NetworkError>
    let time: Duration

    /// Whether it ended in time, while it waited for what it should.
    func isRight(_ kind: TransportKind) -> Bool {
      guard let error = recorder.failure, time <= wait.total * 1.2 else { return false }
      if wait == .retries { return true }
      let isServers = error.attribution.party == .server
      if wait == .body, error.response?.value.starts(with: Data("drop".utf8)) != true { return false }
      return error.reason.hasSuffix(wait.reason(kind)) && isServers == (wait == .head && kind == .curl)
    }
  }

  private let server: LoopbackServer
  private let full = FullListener()

  init() throws {
    server = try LoopbackServer()
    server.route("GET", "/head") { _ in .never }
    server.route("GET", "/body") { _ in
      .chunked(Array(repeating: Data("drop".utf8), count: 500), every: .milliseconds(20))
    }
    server.route("GET", "/redirects") { _ in .redirect(to: "/redirects").delayed(by: .milliseconds(300)) }
    server.route("GET", "/retries") { _ in .status(503) }
    server.route("GET", "/refresh") { _ in .status(401) }
    for path in ["/middleware", "/queue", "/transportQueue"] { server.route("GET", path) { _ in .text("a") } }
  }

  /// Whether the platform can show it: elsewhere a full queue refuses, and only libcurl has a queue of ours.
  private func isThere(_ wait: Wait, _ kind: TransportKind) -> Bool {
    switch wait {
    case .connect: full != nil
    case .transportQueue: kind == .curl
    default: true
    }
  }

  private func client(_ wait: Wait, _ kind: TransportKind) throws -> NetworkClient {
    var configuration = NetworkClient.Configuration(
      baseURL: server.baseURL, services: [],
      transport: wait == .transportQueue
        ? try CurlTransport(TransportSettings(concurrencyLimit: 1)) : try kind.transport())
    switch wait {
    case .middleware: configuration.middleware = [Hanging()]
    case .refresh: configuration.recoveries = [Recovery { Signal<Void, NetworkError>.never }]
    case .retries: configuration.retry = Retry(limit: 9, backoff: .constant(.milliseconds(2_500)))
    case .queue: configuration.concurrencyLimit = 1
    default: break
    }
    return NetworkClient(configuration)
  }

  private func run(_ wait: Wait, _ kind: TransportKind) async throws -> Round {
    let client = try client(wait, kind)
    var blocker: Disposable?
    if wait == .queue || wait == .transportQueue {
      blocker = client.exchange(request: "/head").subscribe { _ in }
    }
    let path = wait == .connect ? "http://127.0.0.1:\(full?.port ?? 1)/" : "/\(wait)"
    let start = ContinuousClock.now
    let end = Guarded(start)
    // Judged, so that statuses are failures.
    let recorder = SignalRecorder(
      client.enqueue(request: Request(.get, RequestPath(path), options: .with { $0.totalTimeout = wait.total })) {
        $0.value
      }
      .on(failure: { _ in end.withLock { $0 = .now } }))
    // Long, because this task may have to wait for others.
    await recorder.waitForEnd()
    blocker?.dispose()
    return Round(wait: wait, recorder: recorder, time: end.withLock { $0 } - start)
  }

  /// All at once; on a busy machine some may come too late or not as far as they should, but not in each of several rounds.
  @Test(arguments: TransportKind.present) func endsEverythingItCoversInTime(_ kind: TransportKind) async throws {
    var missing = Wait.allCases.filter { isThere($0, kind) }
    for _ in 0..<25 where !missing.isEmpty {
      let rounds = try await withThrowingTaskGroup(of: Round.self) { group in
        for wait in missing { group.addTask { try await run(wait, kind) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      for round in rounds {
        let error = try require(round.recorder.failure)
        if round.wait == .retries {
          expectEqual(error.code, .status(503))
          expectEqual(error.metrics?.earlierAttempts.map(\.code), [503])
        } else {
          expectEqual(error.code, .timedOut)
          expect(error.reason.hasPrefix("the total timeout of 1.0 seconds has passed while "))
          expect(round.time >= round.wait.total)
        }
        expect(round.recorder.violations.isEmpty)
      }
      missing = rounds.filter { !$0.isRight(kind) }.map(\.wait)
    }
    expectEqual(missing, [])
  }

  /// A redirect chain that uses up half of the time leaves the other half.
  @Test(arguments: TransportKind.present) func whatIsLeftAfterARedirectIsRight(_ kind: TransportKind) async throws {
    server.route("GET", "/first") { _ in .redirect(to: "/second").delayed(by: .milliseconds(300)) }
    server.route("GET", "/second") { _ in .text("here") }
    let client = try client(.head, kind)
    let request = Request(.get, "/first", options: .with { $0.totalTimeout = .seconds(60) })
    let recorder = SignalRecorder(client.exchange(request: request))
    await recorder.waitForEnd()
    expectEqual(recorder.values.map(\.value), [Data("here".utf8)])
  }

  /// The clock of a client, with a real exchange in flight.
  @Test(arguments: TransportKind.present) func theClientsClockEndsARealExchange(_ kind: TransportKind) async throws {
    let clock = VirtualScheduler()
    var configuration = NetworkClient.Configuration(baseURL: server.baseURL, transport: try kind.transport())
    configuration.scheduler = clock
    configuration.totalTimeout = .seconds(3600)
    let request = Request(.get, "/head", options: .with { $0.idleTimeout = .seconds(3600) })
    let recorder = SignalRecorder(NetworkClient(configuration).exchange(request: request))
    await expect(server.wait { $0.requests.count == 1 })
    clock.advance(by: .seconds(3599))
    expect(!recorder.hasEnded)
    clock.advance(by: .seconds(1))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .timedOut)
    expect(recorder.failure?.metrics != nil)
    await expect(server.wait { $0.openConnectionCount == 0 })
  }
}
