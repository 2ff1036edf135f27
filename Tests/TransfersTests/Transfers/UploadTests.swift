import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Uploads of each kind of body through a client, over a real socket.
struct UploadTests {
  typealias Kind = TransportKind

  struct Count: Decodable, Sendable { let count: Int }

  let server: LoopbackServer
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("uploads-\(UUID().uuidString)")

  init() throws {
    server = try LoopbackServer()
    server.route("*", "/count") { .json("{\"count\":\($0.body.count)}") }
  }

  private func client(_ kind: Kind, _ configure: (inout NetworkClient.Configuration) -> Void = { _ in }) throws
    -> NetworkClient
  {
    var configuration = NetworkClient.Configuration(baseURL: server.baseURL, transport: try kind.transport())
    configure(&configuration)
    return NetworkClient(configuration)
  }

  private static let content = Data((0..<700_001).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ ($0 >> 8)) })

  /// Bodies by name, with what arrives if that is known, and whether the length is known before it is sent.
  private func bodies() throws -> [(name: String, body: RequestBody, bytes: Data?, hasLength: Bool)] {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let content = UploadTests.content
    let file = folder.appendingPathComponent("film.mov")
    try content.write(to: file)
    let pieces = stride(from: 0, to: content.count, by: 10_007).map {
      Data(content[$0..<min($0 + 10_007, content.count)])
    }
    let known = BodyStream(byteCount: content.count) { BodyStream.pieces(of: pieces) }
    let unknown = BodyStream { BodyStream.pieces(of: pieces) }
    let text = String(repeating: "a b&", count: 50_000)
    let form = String(repeating: "a+b%26", count: 50_000)
    return [
      ("data", .data(content, contentType: "a/b"), content, true),
      ("file", .file(file, contentType: "a/b"), content, true),
      ("stream", .stream(known, contentType: "a/b"), content, true),
      ("stream without a length", .stream(unknown, contentType: "a/b"), content, false),
      ("form", .form(["text": text]), Data("text=\(form)".utf8), true),
      ("JSON", .json(["text": text]), Data(#"{"text":"\#(text)"}"#.utf8), true),
      ("multipart", .multipart([.text("a", "b"), .file("film", file), .stream("s", known)]), nil, true),
      ("multipart without a length", .multipart([.file("film", file), .stream("s", unknown)]), nil, false),
    ]
  }

  @Test("S1-5", arguments: Kind.present, [Duration.zero, .milliseconds(1), .milliseconds(100)])
  func eachKindArrivesAndItsProgressEndsAtTheTotal(_ kind: Kind, _ interval: Duration) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let client = try client(kind)
    for (name, body, bytes, hasLength) in try bodies() {
      let request = Request(.post, "/count", body: body, options: .with { $0.progressInterval = interval })
      let recorder = SignalRecorder(client.upload(request: request, resultType: Count.self))
      await recorder.waitForEnd()
      expect(recorder.isCompleted, "\(name): \(recorder.events)")
      expect(recorder.violations.isEmpty, "\(name): \(recorder.events)")
      let arrived = try require(server.log.requests.last)
      if let bytes { expectEqual(arrived.body, bytes, "\(name)") }
      expectEqual(recorder.values.last?.finished?.value.count, arrived.body.count, "\(name)")
      // `URLSession` on Linux has a length of each stream: it is written to a file before.
      let isLengthSent = hasLength || !Kind.streaming.contains(kind)
      expectEqual(arrived.header("Content-Length"), (isLengthSent ? "\(arrived.body.count)" : nil), "\(name)")
      let sent = recorder.progress(.sending)
      expect(zip(sent, sent.dropFirst()).allSatisfy { $0.byteCount <= $1.byteCount && $0 != $1 }, "\(name): \(sent)")
      expectEqual(sent.last?.byteCount, arrived.body.count, "\(name): \(sent)")
      expectEqual(sent.last?.fractionCompleted, 1, "\(name): \(sent)")
      for one in sent.dropLast() {
        expectEqual(one.totalByteCount, (hasLength ? arrived.body.count : nil), "\(name): \(one)")
        expect(one.fractionCompleted.map { (0...1).contains($0) } ?? !hasLength, "\(name): \(one)")
        expect(one.bytesPerSecond.map { $0.isFinite && $0 >= 0 } ?? true, "\(name): \(one)")
      }
      server.forgetRequests()
    }
  }

  /// No server may take the part for the whole.
  @Test("S4-4", arguments: Kind.present, [99_999, 100_001, 50_000, 1, 5_000_000])
  func aStreamOfAnotherLengthNeverArrivesAsAWhole(_ kind: Kind, _ declared: Int) async throws {
    let pieces = Array(repeating: Data(repeating: 7, count: 10_000), count: 10)
    let stream = BodyStream(byteCount: declared) { BodyStream.pieces(of: pieces) }
    let client = try client(kind)
    let bodies: [RequestBody] = [
      .stream(stream, contentType: "a/b"), .multipart([.stream("s", stream), .text("after", "b")]),
    ]
    for (index, body) in bodies.enumerated() {
      let recorder = SignalRecorder(
        client.upload(request: Request(.post, "/count", body: body), resultType: Count.self))
      await recorder.waitForEnd()
      expectEqual(recorder.failure?.code, .invalidBody, "\(recorder.events)")
      expect(recorder.progress(.sending).allSatisfy { ($0.fractionCompleted ?? 0) < 1 }, "\(index): \(recorder.events)")
    }
    // The server sees the end of a connection, and not of a request.
    await expect(server.wait { $0.openConnectionCount == 0 })
    expect(server.log.requests.isEmpty)
  }

  @Test("S4-5", arguments: Kind.present) func ofTwentyUploadsNoMoreThanFiveAreSentAtOnce(_ kind: Kind) async throws {
    let running = RunningCount()
    let transport = CountingTransport(next: try kind.transport(), count: running)
    server.route("*", "/slow") { .json("{\"count\":\($0.body.count)}").delayed(by: .milliseconds(100)) }
    let client = NetworkClient(baseURL: server.baseURL) {
      $0.transport = transport
      $0.concurrencyLimit = 5
    }
    let body = RequestBody.data(Data(count: 200_000), contentType: "a/b")
    let recorders = (0..<20).map { _ in
      SignalRecorder(client.upload(request: Request(.post, "/slow", body: body), resultType: Count.self))
    }
    for recorder in recorders {
      await recorder.waitForEnd()
      expectEqual(recorder.values.last?.finished?.value.count, 200_000, "\(recorder.events)")
      expectEqual(recorder.progress(.sending).last?.fractionCompleted, 1)
    }
    expectEqual(running.started, 20)
    expectEqual(running.peak, 5)
    expectEqual(running.value, 0)
  }

  @Test func disposingAnUploadClosesTheConnectionInTheMiddle() async throws {
    for kind in Kind.present {
      let server = try LoopbackServer()
      let client = NetworkClient(baseURL: server.baseURL) { if let own = try? kind.transport() { $0.transport = own } }
      let first = Guarded(0)
      let stream = BodyStream(byteCount: 1_000_000) {
        {
          let number = first.withLock { number in
            number += 1
            return number
          }
          return number == 1 ? .just(Data(count: 100_000)) : .never
        }
      }
      let request = Request(.post, "/count", body: .stream(stream, contentType: "a/b"))
      let recorder = SignalRecorder(client.upload(request: request, resultType: Count.self))
      if kind == .curl { await expect(server.wait { ($0.connections.first?.receivedByteCount ?? 0) > 50_000 }) }
      recorder.dispose()
      await expect(server.wait { $0.openConnectionCount == 0 })
      expect(server.log.requests.isEmpty)
      expect(!recorder.hasEnded)
    }
  }
}
