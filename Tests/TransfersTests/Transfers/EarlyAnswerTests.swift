import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Final answers that come while the body is being sent.
@Suite(.serialized) struct EarlyAnswerTests {
  typealias Kind = TransportKind

  struct Answer: Decodable, Sendable { let path: String }

  /// More than the buffers of two sockets hold.
  private static let byteCount = 64 << 20

  private func request(_ server: EarlyServer, _ path: String, isStream: Bool) throws -> Request {
    let url = try require(server.url).appendingPathComponent(path)
    let piece = Data(count: 65_536)
    let stream = BodyStream(byteCount: Self.byteCount) { { .just(piece) } }
    let body: RequestBody =
      isStream ? .stream(stream, contentType: "a/b") : .data(Data(count: Self.byteCount), contentType: "a/b")
    return Request(.post, RequestPath(url.absoluteString), body: body)
  }

  private static let refusal =
    "HTTP/1.1 413 Content Too Large\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n{\"error\":\"big\"}"

  @Test("S4-4", arguments: Kind.present, [true, false])
  func aRefusalIsTheResultThoughTheBodyIsNotWhole(_ kind: Kind, _ reads: Bool) async throws {
    // `URLSession` writes a stream to a file before it sends it, which takes time and shows no more than data do.
    for isStream in kind == .curl ? [true, false] : [false] {
      let server = try EarlyServer(Self.refusal, reads: reads)
      let client = NetworkClient(.init(transport: try kind.transport()))
      let recorder = SignalRecorder(
        client.upload(request: try request(server, "films", isStream: isStream), resultType: Answer.self))
      await expect(recorder.waitForEnd())
      expectEqual(recorder.failure?.domain, .server, "\(recorder.events)")
      expectEqual(recorder.failure?.statusCode, 413, "\(recorder.events)")
      expectEqual(recorder.failure?.response?.value, Data(#"{"error":"big"}"#.utf8))
      let last = recorder.progress(.sending).last
      expect(last.map { ($0.fractionCompleted ?? 1) < 1 } ?? true, "\(String(describing: last))")
    }
  }

  private static let success =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{\"path\":\"a\"}"

  /// Returns the paths in the answers to a chunked upload, and to a request after it.
  private func pathsAfterUpload(_ kind: Kind, to url: URL?) async throws -> [String?] {
    let client = NetworkClient(.init(baseURL: url, transport: try kind.transport()))
    let stream = BodyStream { BodyStream.pieces(of: Array(repeating: Data(count: 65_536), count: 4)) }
    let upload = Request(.post, "/films", body: .stream(stream, contentType: "a/b"))
    var paths: [String?] = []
    for request in [upload, "/next"] {
      let recorder = SignalRecorder(client.enqueue(request: request, resultType: Answer.self))
      await recorder.waitForEnd()
      paths.append(recorder.values.first?.value.path)
    }
    return paths
  }

  /// The whole body is sent, because the server may answer before it has read it, and its connection is then clean.
  @Test("S4-4", arguments: Kind.streaming)
  func anEarlySuccessLeavesAConnectionForTheNextRequest(_ kind: Kind) async throws {
    let log = CurrentValue<[String]>([])
    let server = try LoopbackAcceptor { client in
      let connection = FileHandle(fileDescriptor: client, closeOnDealloc: true)
      while let head = LoopbackSocket.readHead(connection.fileDescriptor) {
        let method = String(decoding: head.prefix { $0 != 0x20 }, as: UTF8.self)
        LoopbackSocket.write(Data(Self.success.utf8), to: client)
        // The last chunk ends with an empty line, as a head does.
        let byteCount = method == "POST" ? LoopbackSocket.readHead(client)?.count ?? 0 : 0
        log.modify { $0.append("\(client) \(method) \(byteCount > 262_144)") }
      }
    }
    let url = URL(string: "http://127.0.0.1:\(server.port)")
    await expectEqual(try pathsAfterUpload(kind, to: url), ["a", "a"])
    await until { log.value.count == 2 }
    let words = log.value.map { $0.split(separator: " ") }
    expectEqual(words.map { $0.dropFirst().joined(separator: " ") }, ["POST true", "GET false"])
    expectEqual(Set(words.map { $0[0] }).count, 1)
  }

  @Test("S4-4", arguments: Kind.streaming)
  func anEarlySuccessCountsThoughTheServerThenCloses(_ kind: Kind) async throws {
    let server = try EarlyServer(Self.success, reads: true, then: .close)
    await expectEqual(try pathsAfterUpload(kind, to: server.url), ["a", "a"])
  }

  /// The server neither reads on nor closes: the response is whole, and the time is over.
  @Test("S4-4", .enabled(if: CurlTransport.isAvailable), arguments: [true, false])
  func aWholeResponseCountsWhenTheTimeIsOver(_ isIdle: Bool) async throws {
    let server = try EarlyServer(Self.success, reads: false)
    var configuration = NetworkClient.Configuration(transport: try CurlTransport())
    let clock = VirtualScheduler()
    configuration.scheduler = clock
    var request = try request(server, "films", isStream: false)
    request.options.idleTimeout = isIdle ? .seconds(2) : .seconds(3_600)
    if !isIdle { request.options.totalTimeout = .seconds(1) }
    let recorder = SignalRecorder(NetworkClient(configuration).upload(request: request, resultType: Answer.self))
    if !isIdle {
      // The whole body of the response.
      await recorder.wait { $0.contains { $0.isTerminal || $0.value?.progress?.direction == .receiving } }
      expect(!recorder.hasEnded, "\(recorder.events)")
      clock.advance(by: .seconds(1))
    }
    await expect(recorder.waitForEnd())
    let finished = try require(recorder.values.last?.finished, "\(recorder.events)")
    expectEqual(finished.value.path, "a")
    expect(!recorder.progress(.receiving).isEmpty)
    if isIdle { expect(try require(finished.metrics).endedAt >= .seconds(2)) }
  }

  @Test("S4-4", arguments: Kind.present, [301, 303])
  func aRedirectIsFollowedThoughTheBodyIsNotWhole(_ kind: Kind, _ status: Int) async throws {
    let target = try LoopbackServer()
    target.route("GET", "/after") { .json(#"{"path":"\#($0.path)"}"#) }
    for reads in [true, false] {
      let answer =
        "HTTP/1.1 \(status) Moved\r\nLocation: \(target.baseURL.absoluteString)/after\r\nContent-Length: 0\r\n\r\n"
      let server = try EarlyServer(answer, reads: reads)
      let client = NetworkClient(.init(transport: try kind.transport()))
      let recorder = SignalRecorder(
        client.upload(request: try request(server, "films", isStream: false), resultType: Answer.self))
      await expect(recorder.waitForEnd())
      // A `POST` becomes a `GET` without the body.
      expectEqual(recorder.values.last?.finished?.value.path, "/after", "\(reads): \(recorder.events)")
      expectEqual(recorder.values.last?.finished?.metrics?.redirectCount, 1)
    }
    expectEqual(target.log.requests.map(\.method), ["GET", "GET"])
    expect(target.log.requests.allSatisfy { $0.body.isEmpty })
  }
}
