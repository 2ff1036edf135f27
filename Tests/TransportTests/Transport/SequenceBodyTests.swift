import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import Synchronization
import TestSupport
import Testing

/// Bodies that are asynchronous sequences.
struct SequenceBodyTests {
  /// Counts what a sequence is asked for, and whether it lives.
  final class Watch: Sendable {
    let pulled = Atomic<Int>(0)
    let alive = Atomic<Int>(0)
  }

  /// Pieces that are made when they are asked for.
  struct Pieces: AsyncSequence, Sendable {
    let count: Int
    let byteCount: Int
    var failure: Broken?
    let watch = Watch()

    final class Life: Sendable {
      let watch: Watch
      init(_ watch: Watch) {
        self.watch = watch
        watch.alive.add(1, ordering: .relaxed)
      }
      deinit { watch.alive.subtract(1, ordering: .relaxed) }
    }

    struct Iterator: AsyncIteratorProtocol {
      let pieces: Pieces
      let life: Life
      var index = 0

      mutating func next() async throws -> Data? {
        await Task.yield()
        try Task.checkCancellation()
        if index == pieces.count {
          if let failure = pieces.failure { throw failure }
          return nil
        }
        index += 1
        pieces.watch.pulled.add(1, ordering: .relaxed)
        return Data(repeating: UInt8(truncatingIfNeeded: index), count: pieces.byteCount)
      }
    }

    func makeAsyncIterator() -> Iterator { Iterator(pieces: self, life: Life(watch)) }
  }

  struct Broken: Error {}

  let server: LoopbackServer

  init() throws {
    server = try LoopbackServer()
    server.route("*", "/echo") { .data($0.body) }
  }

  private func request(_ pieces: Pieces, _ path: String = "/echo") -> HTTPRequest {
    HTTPRequest(
      method: .put, url: server.url(path), body: .stream(BodyStream(readingOnce: pieces)), isIdempotent: true)
  }

  private func hasEnded(_ watch: Watch) async -> Bool {
    await until { watch.alive.load(ordering: .relaxed) == 0 }
    return watch.alive.load(ordering: .relaxed) == 0
  }

  @Test(arguments: TransportKind.present) func allPiecesArriveInTheirOrder(_ kind: TransportKind) async throws {
    let pieces = Pieces(count: 1000, byteCount: 100)
    let recorder = SignalRecorder(try kind.transport().send(request(pieces)))
    await recorder.waitForEnd()
    let expected = (1...1000).reduce(into: Data()) { $0 += Data(repeating: UInt8(truncatingIfNeeded: $1), count: 100) }
    expectEqual(recorder.values.body, expected)
    await expect(hasEnded(pieces.watch))
  }

  /// The server reads nothing, so what fits into the buffers of both sides is all that is asked for.
  @Test(arguments: TransportKind.streaming) func itIsReadAsFastAsTheServerReads(_ kind: TransportKind) async throws {
    let clients = Guarded<[Int32]>([])
    let slow = try LoopbackAcceptor { client in clients.withLock { $0.append(client) } }
    defer { for client in clients.withLock({ $0 }) { close(client) } }
    let pieces = Pieces(count: 1_000_000, byteCount: 65_536)
    let url = try require(URL(string: "http://127.0.0.1:\(slow.port)/"))
    let transport = try kind.transport()
    let recorder = SignalRecorder(
      transport.send(HTTPRequest(method: .put, url: url, body: .stream(BodyStream(readingOnce: pieces)))))
    var (last, stillSince) = (0, ContinuousClock.now)
    let end = ContinuousClock.now + .seconds(10)
    while ContinuousClock.now - stillSince < .milliseconds(300) || (last == 0 && ContinuousClock.now < end) {
      await Task.yield()
      let pulled = pieces.watch.pulled.load(ordering: .relaxed)
      if pulled != last { (last, stillSince) = (pulled, .now) }
    }
    expect(last > 0)
    expect(last < 500)
    // The task that reads them ends with the exchange, although it waits for nothing but a request.
    recorder.dispose()
    await expect(hasEnded(pieces.watch))
  }

  @Test(arguments: TransportKind.present) func itsFailureIsThatOfTheExchange(_ kind: TransportKind) async throws {
    let pieces = Pieces(count: 3, byteCount: 10, failure: Broken())
    let recorder = SignalRecorder(try kind.transport().send(request(pieces)))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .invalidBody)
    expect(recorder.failure?.underlying is Broken)
    await expect(hasEnded(pieces.watch))
  }

  @Test(arguments: TransportKind.present)
  func itIsNotSentAgainAndTheFirstFailureIsTheResult(_ kind: TransportKind) async throws {
    server.route("*", "/busy") { _ in .status(503) }
    var configuration = NetworkClient.Configuration(baseURL: server.baseURL, transport: try kind.transport())
    configuration.retry = Retry(limit: 1, backoff: .none)
    let client = NetworkClient(configuration)
    let pieces = Pieces(count: 3, byteCount: 10)
    let put = Request(
      .put, "/busy", body: .stream(BodyStream(readingOnce: pieces), contentType: "a/b"),
      options: .with { $0.isIdempotent = true })
    let recorder = SignalRecorder(client.enqueue(request: put, resultType: NoContent.self))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.statusCode, 503, "\(recorder.events)")
    expectEqual(pieces.watch.pulled.load(ordering: .relaxed), 3)
    expectEqual(server.log.requests(to: "/busy").count(where: { $0.body.count == 30 }), 1)
  }

  /// A redirect drops the body, and middleware may wrap it: it was read all the same.
  private struct Wrapping: Middleware {
    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      guard case .stream(let stream) = request.body else { return next(request) }
      var request = request
      request.body = .stream(BodyStream { stream.open() })
      return next(request)
    }
  }

  @Test(arguments: TransportKind.present, ["/moved", "/busy", "/locked"])
  func aBodyThatWasReadIsNotSentAgain(_ kind: TransportKind, _ path: String) async throws {
    let status = ["/busy": 503, "/locked": 401][path]
    server.route("PUT", "/moved") { _ in .redirect(to: "/gone", status: 303) }
    server.route("GET", "/gone") { _ in .script([.close]) }
    server.route("PUT", "/busy") { _ in .status(503) }
    server.route("PUT", "/locked") { _ in .status(401) }
    var configuration = NetworkClient.Configuration(baseURL: server.baseURL, transport: try kind.transport())
    configuration.retry = Retry(limit: 1, backoff: .none)
    configuration.recoveries = [Recovery { Signal<Void, NetworkError>.empty }]
    if status != nil { configuration.middleware = [Wrapping()] }
    let put = Request(
      .put, RequestPath(path),
      body: .stream(BodyStream(readingOnce: Pieces(count: 3, byteCount: 10)), contentType: "a/b"))
    let recorder = SignalRecorder(NetworkClient(configuration).enqueue(request: put, resultType: NoContent.self))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.domain, (status == nil ? .network : .server), "\(recorder.events)")
    expectEqual(recorder.failure?.statusCode, status)
    expectEqual(server.log.requests(to: path).count, 1)
  }

  /// The first attempt finds no server at its address.
  @Test(.enabled(if: CurlTransport.isAvailable))
  func itIsSentAgainIfNothingOfItWasRead() async throws {
    let lookups = Guarded(0)
    var settings = TransportSettings()
    settings.resolve = { _, _ in
      let count = lookups.withLock { count in
        count += 1
        return count
      }
      return [count == 1 ? "127.0.0.2" : "127.0.0.1"]
    }
    var configuration = NetworkClient.Configuration(
      baseURL: URL(string: "http://films.test:\(server.port)"), transport: try CurlTransport(settings))
    configuration.retry = Retry(limit: 1, backoff: .none)
    configuration.allowsInsecureHTTP = true
    let pieces = Pieces(count: 3, byteCount: 10)
    let put = Request(.put, "/echo", body: .stream(BodyStream(readingOnce: pieces), contentType: "a/b"))
    let recorder = SignalRecorder(NetworkClient(configuration).enqueue(request: put, resultType: Data.self))
    await recorder.waitForEnd()
    expectEqual(recorder.values.first?.value.count, 30, "\(recorder.events)")
    expectEqual(lookups.withLock { $0 }, 2)
    expectEqual(pieces.watch.pulled.load(ordering: .relaxed), 3)
  }

  /// A kept connection that the server has closed is noticed before anything is read.
  @Test(.enabled(if: CurlTransport.isAvailable))
  func aClosedConnectionCostsNoReading() async throws {
    server.route("GET", "/warm") { _ in
      .script([.text("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"), .close])
    }
    let transport = try CurlTransport()
    for _ in 0..<20 {
      let warm = SignalRecorder(transport.send(HTTPRequest(url: server.url("/warm"))))
      await warm.waitForEnd()
      await expect(server.wait { $0.connections.last?.closedAt != nil })
      let recorder = SignalRecorder(transport.send(request(Pieces(count: 3, byteCount: 10))))
      await recorder.waitForEnd()
      expectEqual(recorder.values.body.count, 30, "\(recorder.events)")
    }
  }

  @Test func aPieceIsAskedForInVainOnceTheStreamIsReleased() async {
    let pieces = Pieces(count: 3, byteCount: 10)
    let piece = BodyStream(readingOnce: pieces).open()()
    let recorder = SignalRecorder(piece)
    await recorder.waitForEnd()
    expect(recorder.failure is CancellationError)
    await expect(hasEnded(pieces.watch))
  }

  @Test(arguments: TransportKind.present) func emptyPiecesAreNoEnd(_ kind: TransportKind) async throws {
    let (stream, input) = AsyncStream.makeStream(of: Data.self)
    for text in ["", "a", "", "b", ""] { input.yield(Data(text.utf8)) }
    input.finish()
    let body = HTTPBody.stream(BodyStream(readingOnce: stream))
    let recorder = SignalRecorder(
      try kind.transport().send(HTTPRequest(method: .post, url: server.url("/echo"), body: body)))
    await recorder.waitForEnd()
    expectEqual(recorder.values.body, Data("ab".utf8))
  }
}
