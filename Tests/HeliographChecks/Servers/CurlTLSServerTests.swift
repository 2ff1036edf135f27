import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// nginx as a server that does all by the book.
@Suite(.enabled(if: CurlTransport.isAvailable && NginxServer.isAvailable)) struct CurlTLSServerTests {
  let nginx: NginxServer
  let upstream: LoopbackServer
  private let text = Data(String(repeating: "the quick brown fox ", count: 10_000).utf8)

  /// The ways to it: HTTP/2, HTTP/1.1 over TLS, and in the clear.
  enum Way: String, CaseIterable, Sendable {
    case http2, secure, clear

    static var present: [Way] { allCases.filter { $0 != .http2 || CurlTransport.supportsHTTP2 } }
  }

  init() async throws {
    upstream = try LoopbackServer()
    nginx = try await NginxServer(upstream: upstream)
    try nginx.serve("fox", text)
  }

  private func client(_ way: Way) throws -> NetworkClient {
    var configuration = NetworkClient.Configuration(
      baseURL: try nginx.url(way == .clear ? \.plain : \.secure, ""),
      transport: try CurlTransport(try secureSettings { $0.allowsHTTP2 = way == .http2 }))
    configuration.redirectLimit = 0
    return NetworkClient(configuration)
  }

  private func response(_ way: Way, _ request: Request) async throws -> Response<Data> {
    let recorder = SignalRecorder(try client(way).exchange(request: request))
    await recorder.waitForEnd()
    return try require(recorder.values.first, "\(recorder.events)")
  }

  @Test(arguments: Way.present) func aCompressedBodyIsDecoded(_ way: Way) async throws {
    let response = try await response(way, Request(.get, "/text/fox"))
    expectEqual(response.headers["Content-Encoding"], "gzip")
    expectEqual(response.value, text)
    let metrics = try require(response.metrics)
    expect(metrics.receivedByteCount < text.count / 10)
    // Who asks for codings gets the body as it comes.
    let raw = try await self.response(way, Request(.get, "/text/fox", headers: ["Accept-Encoding": "gzip"]))
    expectEqual(raw.headers["Content-Encoding"], "gzip")
    expect(raw.value.starts(with: [0x1F, 0x8B]))
    expect(raw.value.count < text.count / 10)
    let plain = try await self.response(way, Request(.get, "/text/fox", headers: ["Accept-Encoding": "identity"]))
    expectNil(plain.headers["Content-Encoding"])
    expectEqual(plain.value, text)
  }

  /// Each is decoded in turns with the others, and none of it is lost.
  @Test(arguments: Way.present) func bombsAtOnceAreDecodedWhole(_ way: Way) async throws {
    let member = try Compressed.bomb()
    let bomb = Data((0..<15).flatMap { _ in member })
    upstream.route("GET", "/bomb") { _ in .data(bomb).header("Content-Encoding", "gzip") }
    let transport = try CurlTransport(try secureSettings { $0.allowsHTTP2 = way == .http2 })
    let request = HTTPRequest(url: try nginx.url(way == .clear ? \.open : \.secure, "/upstream/bomb"))
    let recorders = (0..<4).map { _ in
      SignalRecorder(transport.send(request).map { if case .body(let piece) = $0 { piece.count } else { 0 } })
    }
    for recorder in recorders {
      await recorder.waitForEnd()
      expect(recorder.isCompleted, "\(String(describing: recorder.failure))")
      expectEqual(recorder.values.reduce(0, +), 45_000_000)
      expect(recorder.violations.isEmpty)
    }
  }

  @Test(arguments: Way.present) func chunksBecomeOneBody(_ way: Way) async throws {
    upstream.route("GET", "/chunks") { _ in .chunked((0..<50).map { Data("\($0) ".utf8) }, every: .milliseconds(1)) }
    let response = try await response(way, Request(.get, "/upstream/chunks"))
    expectEqual(response.headers["Transfer-Encoding"], (way == .http2 ? nil : "chunked"))
    expectNil(response.headers["Content-Length"])
    expectEqual(response.value, Data((0..<50).map { "\($0) " }.joined().utf8))
  }

  @Test(arguments: Way.present) func aPartIsAPart(_ way: Way) async throws {
    let part = try await response(way, Request(.get, "/files/fox", headers: ["Range": "bytes=4-8"]))
    expectEqual(part.statusCode, 206)
    expectEqual(part.headers["Content-Range"], "bytes 4-8/\(text.count)")
    expectEqual(part.value, Data("quick".utf8))
    let beyond = try await response(way, Request(.get, "/files/fox", headers: ["Range": "bytes=\(text.count)-"]))
    expectEqual(beyond.statusCode, 416)
  }

  @Test(arguments: Way.present) func whatHasNotChangedHasNoBody(_ way: Way) async throws {
    let first = try await response(way, Request(.get, "/files/fox"))
    let tag = try require(first.headers["ETag"])
    let client = try client(way)
    for _ in 0..<2 {
      let recorder = SignalRecorder(
        client.exchange(request: Request(.get, "/files/fox", headers: ["If-None-Match": tag])))
      await recorder.waitForEnd()
      let response = try require(recorder.values.first, "\(recorder.events)")
      expectEqual(response.statusCode, 304)
      expect(response.value.isEmpty)
    }
  }

  @Test(arguments: Way.present) func aHeadHasNoBody(_ way: Way) async throws {
    let client = try client(way)
    for index in 0..<2 {
      let recorder = SignalRecorder(client.exchange(request: Request(.head, "/files/fox")))
      await recorder.waitForEnd()
      let response = try require(recorder.values.first, "\(recorder.events)")
      expectEqual(response.statusCode, 200)
      expectEqual(response.headers["Content-Length"], "\(text.count)")
      expect(response.value.isEmpty)
      expectEqual(response.metrics?.isConnectionReused, (index > 0))
    }
    // A compressed one, of which not even the length is told.
    let recorder = SignalRecorder(client.exchange(request: Request(.head, "/text/fox")))
    await recorder.waitForEnd()
    expectEqual(recorder.values.first?.headers["Content-Encoding"], "gzip")
    expectEqual(recorder.values.first?.value.isEmpty, true)
    expect(recorder.isCompleted)
  }

  @Test(arguments: Way.present, [true, false]) func tooLargeAnUploadIsAnswered(
    _ way: Way, _ isStream: Bool
  ) async throws {
    let large = CurlTLSStreamsTests.large
    let stream = BodyStream {
      BodyStream.pieces(of: stride(from: 0, to: large.count, by: 100_000).map { large[$0..<($0 + 100_000)] })
    }
    let transport = try CurlTransport(try secureSettings { $0.allowsHTTP2 = way == .http2 })
    for _ in 0..<3 {
      let recorder = SignalRecorder(
        transport.send(
          HTTPRequest(
            method: .put, url: try nginx.url(way == .clear ? \.plain : \.secure, "/upload"),
            body: isStream ? .stream(stream) : .data(large))))
      await recorder.waitForEnd()
      expectEqual(recorder.values.head?.statusCode, 413, "\(recorder.events)")
      expect(recorder.isCompleted, "\(recorder.events)")
    }
    // The transport works on.
    let after = SignalRecorder(transport.send(HTTPRequest(url: try nginx.url(way == .clear ? \.plain : \.secure))))
    await after.waitForEnd()
    expect(after.isCompleted)
  }

  @Test func aServerThatClosesEveryConnectionAfterThreeLosesNothingInTheClear() async throws {
    let client = try client(.clear)
    let recorder = SignalRecorder(
      Signal.from((0..<200).map { _ in client.exchange(request: "/") }).flatMap(.merge(maxConcurrent: 16)) { $0 })
    await recorder.waitForEnd()
    expectNil(recorder.failure, "\(String(describing: recorder.failure))")
    expectEqual(recorder.values.count, 200)
    expect(Set(recorder.values.map { $0.headers["X-Connection"] }).count >= 67)
  }

  @Test(arguments: Way.present) func aServerThatStopsInTheMiddleIsAnError(_ way: Way) async throws {
    upstream.route("GET", "/cut") { _ in .data(Data(count: 100_000)).cut(afterByteCount: 50_000) }
    upstream.route("GET", "/cut-chunks") { _ in
      .chunked(Array(repeating: Data(count: 1000), count: 100)).resetting(afterByteCount: 50_000)
    }
    for path in ["/upstream/cut", "/upstream/cut-chunks"] {
      let recorder = SignalRecorder(try client(way).exchange(request: Request(.get, RequestPath(path))))
      await recorder.waitForEnd()
      expectEqual(recorder.failure?.code, .connectionLost, "\(recorder.events)")
      expectEqual(recorder.failure?.response?.statusCode, 200)
      expect((recorder.failure?.response?.value.count ?? 0) < 100_000)
    }
  }
}
