import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Bodies of several parts over real sockets, read by somebody else.
struct MultipartUploadTests {
  let server: LoopbackServer

  init() throws {
    server = try LoopbackServer()
    server.route("POST", "/up") { _ in .text("ok") }
    server.route("POST", "/moved") { _ in .redirect(to: "/up", status: 307) }
  }

  private func upload(
    _ kind: TransportKind, _ multipart: Multipart, to path: String = "/up"
  ) async throws -> SignalRecorder<TransportEvent, NetworkError> {
    let (body, contentType) = try multipart.body()
    let headers: HTTPHeaders = ["Content-Type": contentType]
    let request = HTTPRequest(method: .post, url: server.url(path), headers: headers, body: body)
    let recorder = SignalRecorder(RedirectingTransport(try kind.transport()).send(request))
    await recorder.waitForEnd()
    return recorder
  }

  private func withFile(_ content: Data, _ run: (URL) async throws -> Void) async throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("upload-\(UUID().uuidString)-é.txt")
    try content.write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    try await run(url)
  }

  @Test("S1-5 S0-20", arguments: TransportKind.present, [nil, 150_000]) func aServerReadsEachPart(
    _ kind: TransportKind, _ streamByteCount: Int?
  ) async throws {
    let large = numberedBytes(5_000_000)
    let filed = Data(large.prefix(200_001))
    let pieces = [Data(large.prefix(100_000)), Data(), Data(large[100_000..<150_000])]
    try await withFile(filed) { url in
      let multipart: Multipart = [
        .text("tïtle\"", "Lämp 🙂"), .data("large", large, fileName: "日本.bin"), .file("file", url),
        .stream("none", BodyStream { { .empty } }),
        .stream("stream", BodyStream(byteCount: streamByteCount) { BodyStream.pieces(of: pieces) }, fileName: "s.json"),
        .text("last", ""),
      ]
      let recorder = try await upload(kind, multipart, to: "/moved")
      expect(recorder.isCompleted, "\(recorder.events)")
      expectEqual(server.log.requests.map(\.path), ["/moved", "/up"])
      for request in server.log.requests {
        let type = try require(request.header("Content-Type"))
        let parts = try require(MultipartReader.parts(of: request.body, contentType: type))
        expectEqual(
          parts.map(\.content), [Data("Lämp 🙂".utf8), large, filed, Data(), Data(large.prefix(150_000)), Data()])
        expectEqual(
          parts.map(\.disposition),
          [
            "form-data; name=\"tïtle%22\"", "form-data; name=\"large\"; filename=\"日本.bin\"",
            "form-data; name=\"file\"; filename=\"\(url.lastPathComponent)\"", "form-data; name=\"none\"",
            "form-data; name=\"stream\"; filename=\"s.json\"", "form-data; name=\"last\"",
          ])
        expectEqual(
          parts.map(\.type),
          [
            nil, "application/octet-stream", "text/plain", "application/octet-stream", "application/json", nil,
          ])
      }
    }
  }

  @Test(arguments: TransportKind.present) func aFileThatChangesItsLengthIsAnError(_ kind: TransportKind) async throws {
    for change in [Data(), Data(count: 99_999), Data(count: 100_001), Data(count: 300_000)] {
      try await withFile(Data(count: 100_000)) { url in
        let (body, contentType) = try ([.file("a", url)] as Multipart).body()
        try change.write(to: url)
        let headers: HTTPHeaders = ["Content-Type": contentType]
        let request = HTTPRequest(method: .post, url: server.url("/up"), headers: headers, body: body)
        let recorder = SignalRecorder(try kind.transport().send(request))
        await recorder.waitForEnd()
        expectEqual(recorder.failure?.code, .invalidBody)
      }
    }
    expect(server.log.requests.isEmpty)
  }

  @Test(arguments: TransportKind.present, [2, 4]) func aStreamOfAnotherLengthThanItSaidIsAnError(
    _ kind: TransportKind, _ byteCount: Int
  ) async throws {
    let stream = BodyStream(byteCount: byteCount) { BodyStream.pieces(of: [Data("abc".utf8)]) }
    let recorder = try await upload(kind, [.stream("a", stream), .stream("b", BodyStream { { .empty } })])
    expectEqual(recorder.failure?.code, .invalidBody)
    expect(server.log.requests.isEmpty)
  }
}
