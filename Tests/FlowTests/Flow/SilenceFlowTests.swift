import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// The other side falls silent in each state of an exchange; what passes without sockets is in `TotalTimeoutFlowTests`.
struct SilenceFlowTests {
  /// What an exchange is doing when nothing comes any more.
  enum State: String, CaseIterable, Sendable {
    case connecting, handshake, sending, awaitingHead, receiving, followingRedirect
    /// Our own source has no more of the body; only the total timeout counts.
    case sendingPaused
    /// Our own consumer takes no more of the body; only the total timeout counts.
    case receivingPaused
  }

  private static let limit = Duration.seconds(1)
  private let server: LoopbackServer
  /// Takes one connection and then reads that alone: later ones are made, and nobody reads what comes.
  private let deaf: WireServer
  private let full = FullListener()

  init() throws {
    server = try LoopbackServer()
    deaf = try WireServer()
    server.route("GET", "/head") { _ in .never }
    server.route("GET", "/hop") { _ in .redirect(to: "/head") }
    server.route("GET", "/body") { _ in .script([.text("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .hold]) }
    server.route("GET", "/large") { _ in .data(Data(count: 50_000_000)) }
    server.route("GET", "/broken") { _ in
      .script([.text("HTTP/1.1 302 Found\r\nLocation: /end\r\nContent-Length: 10\r\n\r\nabc"), .hold])
    }
    server.route("GET", "/end") { _ in .text("here") }
  }

  /// Whether the platform can show it: elsewhere a full queue refuses, and `URLSession` on Linux does not pause.
  private func isThere(_ state: State, _ kind: TransportKind) -> Bool {
    switch state {
    case .connecting: full != nil
    case .receivingPaused: kind == .curl
    default: true
    }
  }

  /// Whether the state ends late with this libcurl, as `CurlQuirks` says.
  private func isLate(_ state: State, _ kind: TransportKind) -> Bool {
    state == .sending && kind == .curl && Libcurl.isAtLeast("8.18")
  }

  private func request(_ state: State) throws -> HTTPRequest {
    func url(_ text: String) throws -> URL { try require(URL(string: text)) }
    var request = HTTPRequest(url: server.url("/head"), idleTimeout: Self.limit)
    switch state {
    case .connecting: request.url = try url("http://127.0.0.1:\(full?.port ?? 1)/")
    case .handshake: request.url = try url("https://127.0.0.1:\(deaf.port)/")
    case .sending:
      request = HTTPRequest(
        method: .post, url: try url("http://127.0.0.1:\(deaf.port)/"), body: .data(Data(count: 50_000_000)),
        idleTimeout: Self.limit)
    case .awaitingHead: break
    case .receiving: request.url = server.url("/body")
    case .followingRedirect: request.url = server.url("/hop")
    case .sendingPaused:
      request = HTTPRequest(
        method: .post, url: server.url("/head"), body: .stream(BodyStream { { .never } }), idleTimeout: .seconds(3600),
        totalTimeout: Self.limit)
    case .receivingPaused:
      request = HTTPRequest(url: server.url("/large"), idleTimeout: .seconds(3600), totalTimeout: Self.limit)
    }
    return request
  }

  /// How long it takes until one exchange fails.
  private func time(of state: State, _ transport: any Transport) async throws -> Duration {
    let start = ContinuousClock.now
    let end = Guarded(start)
    let failed = PublishSubject<Void, Never>()
    let failure = SignalRecorder(failed.signal)
    let exchange = transport.send(try request(state))
      .on(failure: { _ in
        end.withLock { $0 = .now }
        failed.complete()
      })
    let recorder = SignalRecorder(state == .receivingPaused ? exchange.observe(on: VirtualScheduler()) : exchange)
    if state == .receivingPaused {
      // The failure waits behind the body, at a consumer that never comes.
      await expect(failure.waitForEnd())
      recorder.dispose()
    } else {
      await recorder.waitForEnd()
      expectEqual(recorder.failure?.code, .timedOut, "\(state): \(recorder.events.suffix(1))")
    }
    expect(recorder.violations.isEmpty)
    return end.withLock { $0 } - start
  }

  /// All at once; on a busy machine some may come too late, but not in each of several rounds.
  @Test("S4-12", arguments: TransportKind.present) func everyStateEndsInTime(_ kind: TransportKind) async throws {
    let transport = RedirectingTransport(try kind.transport())
    // The connection that the deaf server reads.
    let first = FileHandle(fileDescriptor: try LoopbackSocket.make(), closeOnDealloc: true)
    defer { withExtendedLifetime(first) {} }
    expect(LoopbackSocket.connect(first.fileDescriptor, to: deaf.port))
    var missing = State.allCases.filter { isThere($0, kind) }
    for _ in 0..<100 where !missing.isEmpty {
      let times = try await withThrowingTaskGroup(of: (State, Duration).self) { group in
        for state in missing { group.addTask { (state, try await time(of: state, transport)) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      expect(times.allSatisfy { $0.1 >= Self.limit }, "\(times)")
      missing = times.filter { $0.1 > Self.limit * 1.5 && !isLate($0.0, kind) }.map(\.0)
    }
    expect(missing.isEmpty)
  }

  /// Beyond a quarter of a second it is not waited for.
  @Test func theBodyOfARedirectIsNotWaitedFor() async throws {
    guard CurlTransport.isAvailable else { return }
    let request = HTTPRequest(url: server.url("/broken"), idleTimeout: .seconds(3600))
    let recorder = SignalRecorder(RedirectingTransport(try TransportKind.curl.transport()).send(request))
    await recorder.waitForEnd()
    expectEqual(recorder.values.body, Data("here".utf8))
  }
}
