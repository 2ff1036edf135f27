import Foundation
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

@testable import Heliograph

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// When the idle timeout of a session's exchange passes.
struct SessionExchangeTests {
  private let request: HTTPRequest
  private let exchange: SessionExchange

  init() throws {
    request = HTTPRequest(url: try require(URL(string: "https://api.example.com/film")), idleTimeout: .seconds(60))
    let transport = HandTransport()
    _ = transport.send(request).subscribe { _ in }
    // Never resumed.
    let task = URLSession.shared.dataTask(with: request.url)
    exchange = SessionExchange(transport.exchange(0), task, request)
  }

  @Test func theIdleTimeoutIsPausedWhileTheSourceOfTheBodyIsAwaitedAndThenStartsAgain() {
    var exchange = exchange
    expect(exchange.expiry != nil)
    exchange.awaitSource(true)
    expectNil(exchange.expiry)
    // A report of bytes that were sent before does not start it.
    exchange.record()
    expectNil(exchange.expiry)
    let resumedAt = SuspendingClock.now
    exchange.awaitSource(false)
    expect((exchange.expiry ?? resumedAt) >= resumedAt + request.idleTimeout)
  }

  /// A cancellation of a suspended task may be reported only after it is resumed.
  @Test func thePausedTaskOfAnEndedExchangeIsResumed() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/") { _ in .never }
    for isPaused in [false, true] {
      let (end, ends) = AsyncStream<Void>.makeStream()
      let task = URLSession.shared.dataTask(with: server.baseURL) { _, _, _ in ends.finish() }
      var exchange = SessionExchange(exchange.observer, task, request)
      if isPaused { exchange.backlog = PausedBacklog() }
      expect(exchange.isPaused == isPaused && (exchange.expiry == nil) == isPaused)
      exchange.end()
      expectEqual(task.state, isPaused ? .running : .suspended)
      task.cancel()
      // Foundation on Linux traps if a task fails while it is being cancelled, so the server stops afterwards.
      if isPaused { for await _ in end {} }
    }
  }

  /// The session may report a body that ends early as a success.
  @Test(arguments: [
    (200, ["Content-Length": "5"], HTTPMethod.get, 4, true), (200, ["Content-Length": "5"], .get, 5, false),
    (206, ["Content-Length": "5"], .get, 0, true), (200, ["Content-Length": "5"], .head, 0, false),
    (304, ["Content-Length": "5"], .get, 0, false), (302, ["Content-Length": "5"], .get, 0, false),
    (200, [:], .get, 4, false),
    (200, ["Content-Length": "5", "Content-Encoding": "gzip"], .get, 4, false),
    (200, ["Content-Length": "5", "Content-Encoding": "identity"], .get, 4, true),
    (200, ["Content-Length": "5", "Transfer-Encoding": "chunked"], .get, 4, false),
  ])
  func aBodyShorterThanItsLengthIsTruncated(
    _ status: Int, _ fields: [String: String], _ method: HTTPMethod, _ count: Int, _ isTruncated: Bool
  ) throws {
    let request = HTTPRequest(method: method, url: request.url)
    var exchange = SessionExchange(exchange.observer, exchange.task, request)
    exchange.record(receivedByteCount: count, isHead: true)
    let response = HTTPURLResponse(
      url: request.url, statusCode: status, httpVersion: "HTTP/2", headerFields: fields)
    let reason = isTruncated ? "response body truncated: \(count) of 5 bytes received" : nil
    expectEqual(exchange.truncation(of: response), reason)
  }

  /// The length of a file counts as it was at the start.
  @Test("S1-10") func aBodyIsSentWhenAllOfItsBytesAre() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data("body".utf8).write(to: file)
    let stream = BodyStream { { .never } }
    let bodies: [HTTPBody] = [.empty, .data(Data("body".utf8)), .file(file), .stream(stream)]
    let exchanges = bodies.map { body in
      var request = request
      request.body = body
      return SessionExchange(exchange.observer, exchange.task, request)
    }
    try FileManager.default.removeItem(at: file)
    expectEqual(exchanges.map(\.metrics.hasSentAll), [nil, false, false, nil])
  }
}
