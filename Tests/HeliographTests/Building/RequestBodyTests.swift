import Foundation
import Heliograph
import HeliographTesting
import Testing

/// The kinds of bodies that a request may state.
@Suite struct RequestBodyTests {
  let server: LoopbackServer
  let client: NetworkClient

  init() throws {
    server = try LoopbackServer()
    server.route("POST", "/echo") { .data($0.body) }
    client = NetworkClient(.init(baseURL: server.baseURL))
  }

  private func send(_ body: RequestBody, headers: HTTPHeaders = [:]) async throws -> LoopbackRequest {
    let recorder = SignalRecorder(client.enqueue(request: Request(.post, "/echo", headers: headers, body: body)))
    await recorder.waitForEnd()
    #expect(recorder.isCompleted, "\(recorder.events)")
    return try #require(server.log.requests.last)
  }

  @Test("S1-5") func eachKindArrivesAsWhatItIs() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("body-\(UUID().uuidString).txt")
    try Data("in a file".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let stream = BodyStream(byteCount: 4) { BodyStream.pieces(of: [Data("st".utf8), Data("re".utf8)]) }
    let kinds: [(RequestBody, String, String)] = [
      (.json(["a": 1]), "application/json", #"{"a":1}"#),
      (.form(["a": "b c", "d": [1]]), "application/x-www-form-urlencoded", "a=b+c&d%5B%5D=1"),
      (.data(Data("raw".utf8), contentType: "text/plain"), "text/plain", "raw"),
      (.file(file, contentType: "text/x-file"), "text/x-file", "in a file"),
      (.stream(stream, contentType: "text/x-stream"), "text/x-stream", "stre"),
    ]
    for (body, type, text) in kinds {
      let request = try await send(body)
      #expect(request.bodyText == text)
      #expect(request.header("Content-Type") == type)
      #expect(request.header("Content-Length") == "\(text.utf8.count)")
    }
    let own = try await send(.json(["a": 1]), headers: ["Content-Type": "application/vnd.x+json"])
    #expect(own.header("Content-Type") == "application/vnd.x+json")
  }

  @Test("S0-20") func aMultipartBodyNamesItsFile() async throws {
    let part = Multipart.Part.data("photo", Data("bytes".utf8), fileName: "lamp.png", contentType: "image/png")
    let request = try await send(.multipart([.text("title", "Lamp"), part]))
    #expect(request.header("Content-Type")?.hasPrefix("multipart/form-data; boundary=") == true)
    #expect(request.bodyText.contains(#"name="photo"; filename="lamp.png""#))
    #expect(request.bodyText.contains("Content-Type: image/png\r\n\r\nbytes\r\n"))
  }

  @Test("S0-20") func aFileIsSentUnderTheNameAndTypeThatAreStated() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("upload-\(UUID().uuidString).bin")
    try Data("bytes".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let part = Multipart.Part.file("photo", file, fileName: "lamp.png", contentType: "image/x-own")
    let request = try await send(.multipart([part]))
    #expect(request.bodyText.contains(#"name="photo"; filename="lamp.png""#))
    #expect(request.bodyText.contains("Content-Type: image/x-own\r\n\r\nbytes\r\n"))
    #expect(!request.bodyText.contains(file.lastPathComponent))
  }

  @Test("S0-20") func aMissingFileIsAnErrorBeforeAnythingIsSent() async {
    let missing = URL(fileURLWithPath: "/nowhere/at/all")
    for body in [RequestBody.multipart([.file("a", missing)]), .file(missing, contentType: "a/b")] {
      let recorder = SignalRecorder(client.enqueue(request: Request(.post, "/echo", body: body)))
      await recorder.waitForEnd()
      #expect(recorder.failure?.domain == .client && recorder.failure?.code == .invalidBody, "\(recorder.events)")
    }
    #expect(server.log.acceptedCount == 0)
  }
}
