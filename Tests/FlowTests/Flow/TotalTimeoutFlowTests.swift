import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// The total timeout on the clock of the test, over real sockets.
struct TotalTimeoutFlowTests {
  /// What a request waits for when its total timeout passes.
  enum Wait: String, CaseIterable, Sendable {
    case connect, head, body, redirects, middleware, refresh, queue, transportQueue

    /// What the reason says over libcurl, and over `URLSession`, which does not tell how far an exchange has come.
    func reason(_ kind: TransportKind) -> String {
      switch self {
      case .connect: kind == .curl ? "connecting" : "waiting for the response"
      case .head, .redirects: kind == .curl ? "waiting for the head of the response" : "waiting for the response"
      case .body: "receiving the response"
      case .middleware: "in middleware"
      case .refresh: "waiting for a token refresh"
      case .queue, .transportQueue: "waiting in the queue"
      }
    }

    /// The total timeout.
    ///
    /// The server is at fault if the real time of the exchange is more than half of it: for the head always, otherwise never.
    var total: Duration { self == .head ? .microseconds(1) : .seconds(3600) }
  }

  /// Middleware that tells when a piece of a body has arrived.
  private struct Arrivals: Middleware {
    let hasBody: CurrentValue<Bool>

    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      next(request).on(value: { if case .body = $0 { hasBody.value = true } })
    }
  }

  private let server: LoopbackServer
  private let full = FullListener()
  private let clock = VirtualScheduler()
  private let hasBody = CurrentValue(false)
  private let isRefreshing = CurrentValue(false)

  init() throws {
    server = try LoopbackServer()
    server.route("GET", "/head") { _ in .never }
    server.route("GET", "/body") { _ in .chunked(["drop", "never"], every: .seconds(3600)) }
    server.route("GET", "/redirects") { _ in .redirect(to: "/head") }
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

  private func client(_ wait: Wait?, _ kind: TransportKind) throws -> NetworkClient {
    var configuration = NetworkClient.Configuration(
      baseURL: server.baseURL, services: [],
      transport: wait == .transportQueue
        ? try CurlTransport(TransportSettings(concurrencyLimit: 1)) : try kind.transport())
    configuration.scheduler = clock
    configuration.idleTimeout = .seconds(86_400)
    switch wait {
    case .body: configuration.middleware = [Arrivals(hasBody: hasBody)]
    case .middleware: configuration.middleware = [Hanging()]
    case .refresh:
      configuration.recoveries = [
        Recovery(scheduler: VirtualScheduler()) {
          Signal<Void, NetworkError> { [isRefreshing] _ in
            isRefreshing.value = true
            return nil
          }
        }
      ]
    case .queue: configuration.concurrencyLimit = 1
    default: break
    }
    return NetworkClient(configuration)
  }

  /// Waits until a request waits for what it should.
  private func arrival(at wait: Wait, connectingBefore: Int) async {
    switch wait {
    case .connect: await until { (full?.connectingCount ?? 0) > connectingBefore }
    case .head, .redirects: await server.wait { !$0.requests(to: "/head").isEmpty }
    case .body: await until { hasBody.value }
    case .refresh: await until { isRefreshing.value }
    case .middleware, .queue, .transportQueue: break
    }
  }

  @Test(arguments: TransportKind.present, Wait.allCases)
  func endsEverythingItCovers(_ kind: TransportKind, _ wait: Wait) async throws {
    guard isThere(wait, kind) else { return }
    let client = try client(wait, kind)
    var blocker: Disposable?
    if wait == .queue || wait == .transportQueue {
      blocker = client.exchange(request: "/head").subscribe { _ in }
    }
    defer { blocker?.dispose() }
    let path = wait == .connect ? "http://127.0.0.1:\(full?.port ?? 1)/" : "/\(wait)"
    let request = Request(.get, RequestPath(path), options: .with { $0.totalTimeout = wait.total })
    let connectingCount = full?.connectingCount ?? 0
    let recorder = SignalRecorder(client.enqueue(request: request) { $0.value })
    await arrival(at: wait, connectingBefore: connectingCount)
    clock.advance(by: wait.total - .nanoseconds(1))
    expect(!recorder.hasEnded)
    clock.advance(by: .nanoseconds(1))
    await recorder.waitForEnd()
    let error = try require(recorder.failure)
    expectEqual(error.code, .timedOut)
    expectEqual(error.reason, "total timeout of \(wait.total) exceeded while \(wait.reason(kind))")
    expectEqual(error.attribution.party == .server, wait == .head && kind == .curl)
    if wait == .body { expectEqual(error.response?.value.prefix(4), Data("drop".utf8)) }
    expect(recorder.violations.isEmpty)
  }

  /// A stream without a length, whose source takes longer than half of the total timeout.
  @Test("S1-10", .enabled(if: CurlTransport.isAvailable), arguments: [true, false])
  func theTimeForABodyIsNotTheServers(_ hasEnd: Bool) async throws {
    // The time is over as soon as the server has the whole body.
    server.route("POST", "/silent") { [clock] _ in
      clock.advance(by: .seconds(2))
      return .never
    }
    let hasPiece = CurrentValue(false)
    let stream = BodyStream {
      let count = CurrentValue(0)
      return {
        count.value += 1
        if count.value == 1 { return .just(Data("piece".utf8)).delay(.milliseconds(1_200), on: .global) }
        hasPiece.value = true
        return hasEnd ? .empty : .never
      }
    }
    let request = Request(
      .post, "/silent", body: .stream(stream, contentType: "a/b"), idleTimeout: .seconds(3600),
      totalTimeout: .seconds(2))
    let client = try client(nil, .curl)
    try await expectInARound {
      hasPiece.value = false
      let recorder = SignalRecorder(client.enqueue(request: request) { $0.value })
      if !hasEnd {
        await until { hasPiece.value }
        clock.advance(by: .seconds(2))
      }
      await recorder.waitForEnd()
      let error = try require(recorder.failure)
      let activity = hasEnd ? "waiting for the head of the response" : "sending the request"
      expectEqual(error.reason, "total timeout of 2.0 seconds exceeded while \(activity)")
      expectEqual(error.attribution.evidence?.phase, hasEnd ? .awaitingResponse : .sending)
      // A server that takes another second for the end of the body is at fault.
      return error.attribution.party == .undetermined
    }
  }

  /// The second of two attempts ends in time; a third would begin too late.
  @Test(arguments: TransportKind.present) func endsRetries(_ kind: TransportKind) async throws {
    let client = try client(nil, kind)
    let request = Request(
      .get, "/retries", totalTimeout: .seconds(4), retry: Retry(limit: 9, backoff: .constant(.milliseconds(2_500))))
    let recorder = SignalRecorder(client.enqueue(request: request) { $0.value })
    // The end of the time, and the retry.
    await until { clock.pendingCount == 2 }
    clock.advance(by: .milliseconds(2_500))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .status(503))
    expectEqual(recorder.failure?.metrics?.earlierAttempts.map(\.code), [503])
    expectEqual(server.log.requests.count, 2)
  }

  /// A redirect chain that uses up half of the time leaves the other half.
  @Test(arguments: TransportKind.present) func whatIsLeftAfterARedirectIsRight(_ kind: TransportKind) async throws {
    server.route("GET", "/first") { _ in .redirect(to: "/second") }
    server.route("GET", "/second") { _ in .text("here") }
    let client = try client(nil, kind)
    let request = Request(.get, "/first", options: .with { $0.totalTimeout = .seconds(60) })
    let recorder = SignalRecorder(client.exchange(request: request))
    await recorder.waitForEnd()
    expectEqual(recorder.values.map(\.value), [Data("here".utf8)])
  }

  /// The clock of a client, with a real exchange in flight.
  @Test(arguments: TransportKind.present) func theClientsClockEndsARealExchange(_ kind: TransportKind) async throws {
    let request = Request(.get, "/head", idleTimeout: .seconds(3600), totalTimeout: .seconds(3600))
    let recorder = SignalRecorder(try client(nil, kind).exchange(request: request))
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
