import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// Bodies that a stub compares and records, and the bodies of its answers.
struct StubBodiesTests {
  private let kit = TestKit()

  private func file(_ name: String, _ text: String) throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bodies-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let url = folder.appendingPathComponent(name)
    try Data(text.utf8).write(to: url)
    return url
  }

  @Test func aMultipartFormWithAFileIsComparedAndRecorded() async throws {
    let photo = try file("lamp.txt", "the photo")
    defer { try? FileManager.default.removeItem(at: photo.deletingLastPathComponent()) }
    kit.stub.on(.post, "/photos", body: { $0.isEmpty }, .status(400))
    kit.stub.on(.post, "/photos", body: { String(decoding: $0, as: UTF8.self).contains("Lamp") }, .status(201))
    let form = Request(.post, "/photos", body: .multipart([.text("title", "Lamp"), .file("photo", photo)]))
    try await expectEqual(kit.client.send(form, as: NoContent.self).statusCode, 201)
    let sent = try require(kit.stub.requests(to: "/photos").last)
    let text = String(decoding: sent.bodyData, as: UTF8.self)
    expect(text.contains("the photo") && text.contains("filename=\"lamp.txt\""), "\(text)")
    expectEqual(sent.body.byteCount, sent.bodyData.count)
    expectEqual(kit.stub.activeCount, 0)
  }

  private func upload(_ stream: BodyStream) -> Request {
    Request(.put, "/film", body: .stream(stream, contentType: "text/plain"))
  }

  @Test func aStreamIsReadBeforeTheAnswer() async throws {
    let pieces = (0..<300).map { Data("line \($0)\n".utf8) }
    kit.stub.on(.put, "/film") { .text("\($0.bodyData.count)") }
    let whole = pieces.reduce(Data(), +)
    let known = BodyStream(byteCount: whole.count) { BodyStream.pieces(of: pieces) }
    let unknown = BodyStream { BodyStream.pieces(of: pieces) }
    for stream in [known, unknown] {
      try await expectEqual(kit.client.value(of: upload(stream), as: String.self), "\(whole.count)")
      expectEqual(kit.stub.requests.last?.bodyData, whole)
    }
  }

  @Test func aStreamThatComesLaterIsAwaited() async throws {
    let (sequence, continuation) = AsyncStream.makeStream(of: Data.self)
    kit.stub.on(.put, "/film") { .text(String(decoding: $0.bodyData, as: UTF8.self)) }
    let recorder = SignalRecorder(
      kit.client.enqueue(request: upload(BodyStream(readingOnce: sequence)), resultType: String.self))
    continuation.yield(Data("one ".utf8))
    expectEqual(kit.stub.activeCount, 1)
    expect(recorder.events.isEmpty)
    continuation.yield(Data("two".utf8))
    continuation.finish()
    await recorder.waitForEnd()
    expectEqual(recorder.values.map(\.value), ["one two"])
    expectEqual(kit.stub.activeCount, 0)
  }

  @Test(arguments: [false, true]) func aStreamedRequestCountsWhenItIsAnswered(fails: Bool) async throws {
    let pieces = PublishSubject<Data, any Error>()
    kit.stub.on(.put, "/film", .never)
    let handle = kit.client.exchange(request: upload(BodyStream { { pieces.signal } })).subscribe { _ in }
    await until { kit.stub.activeCount == 1 }
    pieces.send(Data("one".utf8))
    await expectEqual(kit.stub.requested(1, within: .milliseconds(20)), false)
    if fails { pieces.fail(CancellationError()) } else { pieces.complete() }
    await expect(kit.stub.requested(1))
    expectEqual(kit.stub.activeCount, fails ? 0 : 1)
    handle.dispose()
  }

  @Test func aStreamedRequestCountsOnceIfItIsCancelled() async throws {
    let pieces = PublishSubject<Data, any Error>()
    kit.stub.on(.put, "/film", .status(204))
    let handle = kit.client.exchange(request: upload(BodyStream { { pieces.signal } })).subscribe { _ in }
    await until { kit.stub.activeCount == 1 }
    handle.dispose()
    await expect(kit.stub.requested(1))
    expectEqual(kit.stub.cancelledCount, 1)
    // Cancelled by the answer itself.
    _ = try await kit.client.exchange(request: upload(BodyStream { { .empty } })).first()
    await expectEqual(kit.stub.requested(3, within: .milliseconds(20)), false)
    await expect(kit.stub.requested(2))
  }

  @Test(arguments: [2, 9]) func aStreamOfAnotherLengthFailsAsOverTheNetwork(byteCount: Int) async throws {
    kit.stub.on(.put, "/film", .status(204))
    let stream = BodyStream(byteCount: byteCount) { BodyStream.pieces(of: [Data("12".utf8), Data("34".utf8)]) }
    let recorder = SignalRecorder(kit.client.exchange(request: upload(stream)))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .invalidBody)
    expectEqual(recorder.failure?.domain, .client)
  }

  @Test func aStreamWithoutAnEndIsReadToALimit() async throws {
    let piece = Data(count: 8 << 20)
    kit.stub.on(.put, "/film") { .text("\($0.bodyData.count)") }
    let endless = BodyStream { { .just(piece) } }
    try await expectEqual(kit.client.value(of: upload(endless), as: String.self), "\(64 << 20)")
  }

  @Test func dataAndFilesAreFixtures() async throws {
    struct User: Codable, Equatable, Sendable { let name: String }
    let fixture = try file("user.json", #"{"name": "Ada"}"#)
    let server = try LoopbackServer()
    defer { try? FileManager.default.removeItem(at: fixture.deletingLastPathComponent()) }
    let data = try Data(contentsOf: fixture)
    let missing = fixture.appendingPathExtension("missing")
    kit.stub.on(.get, "/data", .json(data))
    kit.stub.on(.get, "/file", .file(fixture))
    kit.stub.on(.get, "/missing", .file(missing))
    server.route("GET", "/data") { _ in .json(data) }
    server.route("GET", "/file") { _ in .file(fixture) }
    server.route("GET", "/missing") { _ in .file(missing) }
    for client in [kit.client, NetworkClient(baseURL: server.baseURL)] {
      for path in ["/data", "/file"] {
        let response = try await client.send(Request(.get, RequestPath(path)), as: User.self)
        expectEqual(response.value, User(name: "Ada"))
        expectEqual(response.headers["Content-Type"], "application/json")
      }
      let failed = SignalRecorder(client.enqueue(request: "/missing", resultType: User.self))
      await failed.waitForEnd()
      expect([.invalidBody, .status(500)].contains(failed.failure?.code), "\(String(describing: failed.failure))")
    }
  }

  @Test func aNumberThatIsNoStatusFailsAsOverTheNetwork() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/99") { _ in .status(99) }
    kit.stub.on(.get, "/99", .status(99))
    for client in [kit.client, NetworkClient(baseURL: server.baseURL)] {
      let recorder = SignalRecorder(client.enqueue(request: "/99", resultType: NoContent.self))
      await recorder.waitForEnd()
      expectEqual(recorder.failure?.domain, .network)
      expectEqual(recorder.failure?.code, .invalidResponse)
    }
  }

  @Test func aContentTypeIsReplaced() async throws {
    let server = try LoopbackServer()
    let type = "application/problem+json"
    server.route("GET", "/a") { _ in .json("{}").header("Content-Type", type).header("Link", "1").header("Link", "2") }
    kit.stub.on(.get, "/a", .json("{}").header("content-type", type).header("Link", "1").header("Link", "2"))
    for client in [kit.client, NetworkClient(baseURL: server.baseURL)] {
      let headers = try await client.send("/a", as: JSON.self).headers
      expectEqual(headers.values(for: "Content-Type"), [type])
      expectEqual(headers.values(for: "Link").joined(separator: ", "), "1, 2")
    }
  }
}
