import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Bodies of every kind, over each transport there is.
struct TransportBodyTests {
  typealias Kind = TransportKind

  let server: LoopbackServer

  init() throws {
    server = try LoopbackServer()
    server.route("*", "/echo") { .data($0.body) }
    server.route("*", "/moved") { _ in .redirect(to: "/echo", status: 307) }
  }

  private func outcome(
    _ kind: Kind, _ body: HTTPBody, _ method: HTTPMethod = .post, _ path: String = "/echo"
  ) async throws -> SignalRecorder<TransportEvent, NetworkError> {
    let request = HTTPRequest(method: method, url: server.url(path), body: body)
    let recorder = SignalRecorder(RedirectingTransport(try kind.transport()).send(request))
    await recorder.waitForEnd()
    return recorder
  }

  private static func bytes(_ count: Int) -> Data { numberedBytes(count) }

  @Test("S1-5 S0-43 S1-13 S4-6", arguments: Kind.present, [0, 1, 65_536, 65_537, 3_000_000])
  func dataArrivesAsItIs(_ kind: Kind, _ count: Int) async throws {
    let body = Self.bytes(count)
    let recorder = try await outcome(kind, .data(body))
    expect(recorder.isCompleted)
    expectEqual(recorder.values.body, body)
    let request = server.log.requests.last
    expectEqual(request?.header("Content-Length"), "\(count)")
    // A session would declare a body without a type as a form.
    let type = kind == .urlSession && count > 0 ? "application/octet-stream" : nil
    expectEqual(request?.header("Content-Type"), type)
  }

  @Test("S1-5", arguments: Kind.present) func aFileArrivesAsItIs(_ kind: Kind) async throws {
    let body = Self.bytes(300_000)
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try body.write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    try await expectEqual(outcome(kind, .file(url)).values.body, body)
    let link = url.appendingPathExtension("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
    defer { try? FileManager.default.removeItem(at: link) }
    expectEqual(HTTPBody.file(link).byteCount, body.count)
    try await expectEqual(outcome(kind, .file(link)).values.body, body)
    try FileManager.default.removeItem(at: url)
    let missing = try await outcome(kind, .file(url))
    expectEqual(missing.failure?.code, .invalidBody)
  }

  private static func file(_ content: Data) throws -> URL {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try content.write(to: url)
    return url
  }

  /// `URLSession` on Linux is given those of up to 1 MiB in memory.
  @Test("S1-5", arguments: Kind.present, [1, 1 << 20, (1 << 20) + 1])
  func aFileOfAnySizeArrivesAsItIs(_ kind: Kind, _ count: Int) async throws {
    let body = Self.bytes(count)
    let url = try Self.file(body)
    defer { try? FileManager.default.removeItem(at: url) }
    let recorder = try await outcome(kind, .file(url))
    expect(recorder.isCompleted)
    expectEqual(recorder.values.body, body)
  }

  @Test("S1-5", arguments: Kind.present) func anEmptyFileIsAnEmptyBody(_ kind: Kind) async throws {
    let url = try Self.file(Data())
    defer { try? FileManager.default.removeItem(at: url) }
    let recorder = try await outcome(kind, .file(url))
    expect(recorder.isCompleted, "\(recorder.events)")
    let request = try require(server.log.requests.last)
    expectEqual(request.method, "POST")
    expect(request.body.isEmpty)
    expectNil(request.header("Transfer-Encoding"))
    let length = request.header("Content-Length")
    expect(length == nil || length == "0")
  }

  #if canImport(FoundationNetworking)
  /// Foundation would refuse the file, whatever its size.
  @Test(arguments: Kind.present) func aGetWithAnEmptyFileHasNoBody(_ kind: Kind) async throws {
    let url = try Self.file(Data())
    defer { try? FileManager.default.removeItem(at: url) }
    let recorder = try await outcome(kind, .file(url), .get)
    expect(recorder.isCompleted, "\(recorder.events)")
    let request = try require(server.log.requests.last)
    expectEqual(request.method, "GET")
    expect(request.body.isEmpty)
    if kind == .urlSession { expectNil(request.header("Content-Length")) }
  }
  #endif

  @Test("S1-5", arguments: Kind.present, [true, false])
  func aStreamArrivesAsItIsAndAgainAfterARedirect(_ kind: Kind, _ isLengthKnown: Bool) async throws {
    let body = Self.bytes(250_000)
    let stream = BodyStream(byteCount: isLengthKnown ? body.count : nil) {
      let pieces = BodyStream.pieces(of: stride(from: 0, to: body.count, by: 1000).map { body[$0..<($0 + 1000)] })
      // Each piece comes from another thread.
      return { pieces().subscribe(on: .global) }
    }
    try await expectEqual(outcome(kind, .stream(stream)).values.body, body)
    try await expectEqual(outcome(kind, .stream(stream), .put, "/moved").values.body, body)
  }

  @Test(arguments: Kind.present, [5, 15]) func aStreamOfAnotherLengthThanSaidIsAnError(
    _ kind: Kind, _ said: Int
  ) async throws {
    let stream = BodyStream(byteCount: said) { BodyStream.pieces(of: [Data("ten ".utf8), Data("bytes.".utf8)]) }
    let recorder = try await outcome(kind, .stream(stream))
    expectEqual(recorder.failure?.code, .invalidBody)
  }

  @Test(arguments: Kind.present) func aStreamThatFailsIsAnErrorThatSaysWhy(_ kind: Kind) async throws {
    struct Broken: Error {}
    let recorder = try await outcome(kind, .stream(BodyStream { { .fail(Broken()) } }))
    expectEqual(recorder.failure?.code, .invalidBody)
    expect(recorder.failure?.underlying is Broken)
  }

  @Test("S1-12 P12", arguments: Kind.present) func metricsTellWhatItCost(_ kind: Kind) async throws {
    let recorder = try await outcome(kind, .data(Self.bytes(5000)))
    guard case .metrics(let metrics)? = recorder.values.last else {
      Issue.record("no metrics came")
      return
    }
    expect(metrics.sentByteCount >= 5000)
    expect(metrics.receivedByteCount >= 5000)
    let instants = [
      metrics.startedAt, metrics.resolvedAt, metrics.connectedAt, metrics.sentAt, metrics.firstByteAt, metrics.endedAt,
    ].compactMap { $0 }
    expectEqual(instants, instants.sorted())
    switch kind {
    case .curl: expectEqual(instants.count, 6)
    case .urlSession:
      #if canImport(FoundationNetworking)
      expectEqual(instants.count, 3)
      #else
      // An IP address may have no look-up.
      expect(instants.count >= 5)
      #endif
    }
    if kind == .curl { expectEqual(metrics.protocolVersion, "HTTP/1.1") }
  }

  @Test("S1-12 P6", arguments: Kind.present) func aRefusedConnectionHasSentNothing(_ kind: Kind) async throws {
    let url = try require(URL(string: "http://127.0.0.1:\(LoopbackSocket.closedPort())/"))
    let request = HTTPRequest(method: .post, url: url, body: .data(Self.bytes(1_000_000)))
    let recorder = SignalRecorder(try kind.transport().send(request))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.domain, .network)
    expectEqual(recorder.failure?.metrics?.sentByteCount, 0)
  }

  @Test(arguments: Kind.present) func anEmptyReplyHasNoFirstByte(_ kind: Kind) async throws {
    server.route("GET", "/empty") { _ in .text("hello").cut(afterByteCount: 0) }
    let recorder = SignalRecorder(try kind.transport().send(HTTPRequest(url: server.url("/empty"))))
    await recorder.waitForEnd()
    let metrics = try require(recorder.failure?.metrics)
    expectNil(metrics.firstByteAt)
    expectEqual(metrics.receivedByteCount, 0)
    if kind == .curl { expect(metrics.sentAt != nil) }
  }

  @Test(arguments: Kind.present) func aBodyShorterThanItsLengthIsALostConnection(_ kind: Kind) async throws {
    server.route("GET", "/cut") { _ in .text("hello").cut(afterBodyByteCount: 2) }
    let recorder = SignalRecorder(try kind.transport().send(HTTPRequest(url: server.url("/cut"))))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .connectionLost)
  }

  @Test(arguments: Kind.present) func theTotalTimeoutHoldsThoughBytesKeepComing(_ kind: Kind) async throws {
    server.route("GET", "/drip") { _ in
      .chunked(Array(repeating: Data("drop".utf8), count: 3_000), every: .milliseconds(20))
    }
    let request = HTTPRequest(url: server.url("/drip"), totalTimeout: .milliseconds(200))
    let recorder = SignalRecorder(try kind.transport().send(request))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .timedOut)
  }

  @Test(arguments: Kind.streaming) func aConsumerThatFallsBehindPausesTheTransfer(_ kind: Kind) async throws {
    let body = Data(count: 64 << 20)
    server.route("GET", "/large") { _ in .data(body) }
    let held = Held()
    let transport = try kind.transport()
    let count = Guarded(0)
    let recorder = SignalRecorder(
      transport.send(HTTPRequest(url: server.url("/large"))).observe(on: held)
        .on(value: { event in
          if case .body(let data) = event { count.withLock { $0 += data.count } }
        })
        .filter { _ in false })
    await held.waitForWork()
    // Another exchange gets all of it meanwhile, over the same threads.
    let other = SignalRecorder(transport.send(HTTPRequest(url: server.url("/large"))))
    await other.waitForEnd()
    expectEqual(other.values.body.count, body.count)
    // What fits into the kernel's buffers and ours has come: no more, however long nobody takes it.
    expect(server.log.connections[0].sentByteCount <= 16 << 20)
    held.release()
    await expect(recorder.waitForEnd())
    expect(recorder.isCompleted)
    expectEqual(count.withLock { $0 }, body.count)
  }
}

/// A scheduler that keeps its work until it is released.
private final class Held: SignalScheduler {
  private struct State {
    var isReleased = false
    var work: [@Sendable () -> Void] = []
  }

  private let state = Guarded(State())
  private let queue: any SignalScheduler = .serial("held")

  var now: Duration { queue.now }

  func schedule(_ work: @escaping @Sendable () -> Void) {
    let isReleased = state.withLock { state in
      if !state.isReleased { state.work.append(work) }
      return state.isReleased
    }
    if isReleased { queue.schedule(work) }
  }

  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> Disposable {
    queue.schedule(after: delay, work)
  }

  func waitForWork() async {
    await until { state.withLock({ !$0.work.isEmpty }) }
  }

  func release() {
    let work = state.withLock { state in
      state.isReleased = true
      return state.work
    }
    for item in work { queue.schedule(item) }
  }
}
