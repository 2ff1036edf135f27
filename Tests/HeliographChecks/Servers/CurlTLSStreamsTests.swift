import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// HTTP/2: many exchanges on one connection, and none in another's way.
@Suite(.enabled(if: CurlTransport.supportsHTTP2 && NginxServer.isAvailable)) struct CurlTLSStreamsTests {
  let nginx: NginxServer
  let upstream: LoopbackServer

  init() async throws {
    upstream = try LoopbackServer()
    upstream.route("GET", "/never") { _ in .never }
    upstream.route("GET", "/slow") { _ in
      .chunked(Array(repeating: Data(repeating: 0x61, count: 1000), count: 20), every: .milliseconds(10))
    }
    nginx = try await NginxServer(upstream: upstream)
  }

  static let large = Data((0..<5_000_000).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 11) })

  private func connections(_ responses: [Response<Data>]) -> Set<String> {
    Set(responses.map { $0.headers["X-Connection"] ?? "" })
  }

  @Test("S1-36 S1-34") func fiftyRequestsAtOnceShareOneConnection() async throws {
    let client = try secureClient()
    for _ in 0..<2 {
      let recorder = SignalRecorder(
        Signal.merge(
          (0..<50).map { _ in client.exchange(request: Request(.get, RequestPath(nginx.address(\.secure)))) }))
      await recorder.waitForEnd()
      expect(recorder.isCompleted)
      expectEqual(recorder.values.count, 50)
      expectEqual(connections(recorder.values).count, 1)
      expect(recorder.values.allSatisfy { $0.metrics?.protocolVersion == "HTTP/2" })
      expect(recorder.values.allSatisfy { $0.headers["X-Protocol"] == "HTTP/2.0" })
    }
    let recorder = SignalRecorder(client.exchange(request: Request(.get, RequestPath(nginx.address(\.secure)))))
    await recorder.waitForEnd()
    expectEqual(recorder.values.first?.metrics?.isConnectionReused, true)
  }

  @Test func withoutHTTP2ItIsHTTP11() async throws {
    let recorder = try await record(nginx.address(\.secure)) { $0.allowsHTTP2 = false }
    expectEqual(recorder.values.first?.metrics?.protocolVersion, "HTTP/1.1")
    expectEqual(recorder.values.first?.headers["X-Protocol"], "HTTP/1.1")
    let clear = try await record(nginx.address(\.plain))
    expectEqual(clear.values.first?.metrics?.protocolVersion, "HTTP/1.1")
  }

  @Test func aServerWithoutHTTP2IsSpokenToInHTTP11() async throws {
    let client = try secureClient { $0.trust.authorities = try Certificates.file("other.pem") }
    let recorder = SignalRecorder(
      Signal.merge((0..<10).map { _ in client.exchange(request: Request(.get, RequestPath(nginx.address(\.foreign)))) })
    )
    await recorder.waitForEnd()
    expectEqual(recorder.values.count, 10)
    expect(recorder.values.allSatisfy { $0.metrics?.protocolVersion == "HTTP/1.1" })
  }

  @Test func cancellingOneStreamLeavesTheOthersAlone() async throws {
    let client = try secureClient()
    let stuck = (0..<2).map { _ in
      SignalRecorder(
        client.exchange(
          request: Request(
            .get, RequestPath(nginx.address(\.secure, "/upstream/never")), idleTimeout: .seconds(3_600))))
    }
    let others = (0..<6).map { _ in
      SignalRecorder(client.exchange(request: Request(.get, RequestPath(nginx.address(\.secure, "/upstream/slow")))))
    }
    await expect(upstream.wait { $0.requests.count == 8 })
    stuck[0].dispose()
    // The server hears of it, and of that one only.
    await expect(upstream.wait { $0.connections.contains { $0.closedAt != nil } })
    for recorder in others { await recorder.waitForEnd() }
    let responses = others.compactMap { $0.values.first }
    expectEqual(responses.count, 6)
    expect(responses.allSatisfy { $0.value == Data(repeating: 0x61, count: 20_000) })
    expectEqual(connections(responses).count, 1)
    expect(stuck.allSatisfy { $0.events.isEmpty })
    let last = SignalRecorder(client.exchange(request: Request(.get, RequestPath(nginx.address(\.secure)))))
    await last.waitForEnd()
    expectEqual(connections(last.values), connections(responses))
  }

  /// The same for an upload whose source fails.
  @Test func theOnlyStreamWhoseSourceFailsIsNotLeftToTheServer() async throws {
    struct Broken: Error {}
    upstream.route("*", "/never") { _ in .never }
    let isBroken = CurrentValue(false)
    let body = BodyStream {
      let count = Guarded(0)
      return {
        let number = count.withLock { count in
          count += 1
          return count
        }
        if number < 3 { return .just(Data(count: 1000)) }
        return Signal { observer in
          isBroken.signal.subscribe { if case .value(true) = $0 { observer.fail(Broken()) } }
        }
      }
    }
    let url = try nginx.url(\.secure, "/passed/never")
    let transport = try CurlTransport(try secureSettings())
    let recorder = SignalRecorder(
      transport.send(HTTPRequest(method: .post, url: url, body: .stream(body), idleTimeout: .seconds(3_600))))
    await expect(upstream.wait { $0.openConnectionCount == 1 })
    isBroken.value = true
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .invalidBody)
    await expect(upstream.wait { $0.openConnectionCount == 0 })
  }

  /// The server has to hear of it though nothing else is sent on the connection.
  @Test(arguments: [true, false]) func theOnlyStreamThatEndsUnfinishedIsNotLeftToTheServer(
    _ isDisposed: Bool
  ) async throws {
    let transport = try CurlTransport(try secureSettings())
    let request = HTTPRequest(
      url: try nginx.url(\.secure, "/upstream/never"), idleTimeout: isDisposed ? .seconds(3_600) : .seconds(1))
    await expectInARound {
      let recorder = SignalRecorder(transport.send(request))
      if isDisposed {
        await upstream.wait { $0.requests.count == 1 }
        recorder.dispose()
      } else {
        await recorder.waitForEnd()
      }
      await expect(upstream.wait { $0.openConnectionCount == 0 })
      // On a busy machine the time may be over before the request has come.
      return !upstream.log.requests.isEmpty
    }
  }

  @Test func cancellingInTheMiddleOfABodyLeavesTheOthersAlone() async throws {
    try nginx.serve("large", Self.large)
    let transport = try CurlTransport(try secureSettings())
    let request = HTTPRequest(url: try nginx.url(\.secure, "/files/large"))
    let recorders = (0..<6).map { _ in SignalRecorder(transport.send(request)) }
    for index in [0, 3] {
      await recorders[index].wait { $0.count > 2 }
      recorders[index].dispose()
    }
    for index in [1, 2, 4, 5] {
      await recorders[index].waitForEnd()
      expect(recorders[index].isCompleted, "\(String(describing: recorders[index].failure))")
      expectEqual(recorders[index].values.body, Self.large)
    }
    expect(!recorders[0].hasEnded || recorders[0].isCompleted)
  }

  enum Sending: String, CaseIterable, Sendable { case data, file, stream, streamOfKnownLength }

  @Test(arguments: Sending.allCases) func fiveMegabytesGoThereAndBack(_ sending: Sending) async throws {
    let file = nginx.folder.appendingPathComponent("source")
    let pieces = stride(from: 0, to: Self.large.count, by: 100_000).map { Self.large[$0..<($0 + 100_000)] }
    let open: @Sendable () -> BodyStream.Next = { BodyStream.pieces(of: pieces) }
    let body: HTTPBody
    switch sending {
    case .data: body = .data(Self.large)
    case .file:
      try Self.large.write(to: file)
      body = .file(file)
    case .stream: body = .stream(BodyStream(open: open))
    case .streamOfKnownLength: body = .stream(BodyStream(byteCount: Self.large.count, open: open))
    }
    let transport = try CurlTransport(try secureSettings())
    let path = "/files/\(sending)"
    let sent = SignalRecorder(
      transport.send(HTTPRequest(method: .put, url: try nginx.url(\.secure, path), body: body)))
    await sent.waitForEnd()
    expectEqual(sent.values.head?.statusCode, 201, "\(sent.events)")
    let stored = try Data(contentsOf: nginx.folder.appendingPathComponent(path))
    expectEqual(stored, Self.large)
    let fetched = SignalRecorder(transport.send(HTTPRequest(url: try nginx.url(\.secure, path))))
    await fetched.waitForEnd()
    expectEqual(fetched.values.body, Self.large)
    expectEqual(fetched.values.metrics?.protocolVersion, "HTTP/2")
  }

  @Test func manyUploadsShareOneConnection() async throws {
    let client = try secureClient()
    let body = Self.large.prefix(300_000)
    let all = (0..<20).map { index in
      client.enqueue(
        request: Request(
          .put, RequestPath(nginx.address(\.secure, "/files/\(index)")), body: .data(body, contentType: "a/b")))
    }
    let recorder = SignalRecorder(Signal.merge(all))
    await recorder.waitForEnd()
    expectEqual(recorder.values.count, 20, "\(String(describing: recorder.failure))")
    expect(recorder.values.allSatisfy { $0.statusCode == 201 })
    expectEqual(connections(recorder.values).count, 1)
    for index in 0..<20 {
      let stored = try Data(contentsOf: nginx.folder.appendingPathComponent("files/\(index)"))
      expectEqual(stored, body)
    }
  }

  /// It says that it closes while exchanges it will not answer are on their way: those must go elsewhere.
  @Test(arguments: [HTTPMethod.get, .put, .post], [true, false])
  func aServerThatClosesEveryConnectionAfterThreeLosesNothing(_ method: HTTPMethod, _ isHTTP2: Bool) async throws {
    upstream.route("*", "/echo/**") { request in .data(request.body).header("X-Path", request.path) }
    let transport = try CurlTransport(try secureSettings { $0.allowsHTTP2 = isHTTP2 })
    let all = try (0..<200).map { index in
      transport.send(
        HTTPRequest(
          method: method, url: try nginx.url(\.brief, "/upstream/echo/\(index)"),
          body: method == .get ? .empty : .data(Data("\(index)".utf8)), isIdempotent: true))
    }
    let recorder = SignalRecorder(Signal.from(all).flatMap(.merge(maxConcurrent: 50)) { $0 })
    await recorder.waitForEnd()
    expect(recorder.isCompleted, "\(String(describing: recorder.failure))")
    let heads = recorder.values.compactMap { if case .head(let head) = $0 { head } else { nil } }
    expectEqual(Set(heads.map { $0.headers["X-Path"] }).count, 200)
    expect(Set(heads.map { $0.headers["X-Connection"] }).count >= 67)
    if method != .get {
      let bodies = recorder.values.compactMap { if case .body(let body) = $0 { body } else { nil } }
      expectEqual(Set(bodies).count, 200)
    }
  }

  /// What a server has not processed is sent again, whatever it is, and nothing else is.
  @Test func aServerThatClosesEveryConnectionProcessesEachPostOnce() async throws {
    // It refuses streams before the first response.
    upstream.route("*", "/echo/**") { request in .data(request.body).delayed(by: .milliseconds(5)) }
    let transport = try CurlTransport(try secureSettings())
    let count = 1000
    let all = try (0..<count).map { index in
      transport.send(
        HTTPRequest(
          method: .post, url: try nginx.url(\.few, "/upstream/echo/\(index)"), body: .data(Data("\(index)".utf8))))
    }
    let recorder = SignalRecorder(Signal.from(all).flatMap(.merge(maxConcurrent: 64)) { $0 })
    await recorder.waitForEnd()
    expect(recorder.isCompleted, "\(String(describing: recorder.failure))")
    let bodies = recorder.values.compactMap { if case .body(let body) = $0 { body } else { nil } }
    expectEqual(Set(bodies).count, count)
    let paths = upstream.log.requests.map(\.path)
    expectEqual(paths.count, count)
    expectEqual(Set(paths).count, count)
  }
}
