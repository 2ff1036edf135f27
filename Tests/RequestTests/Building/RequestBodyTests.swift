import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// The kinds of bodies that a request may state.
struct RequestBodyTests {
  let server: LoopbackServer
  let client: NetworkClient

  init() throws {
    server = try LoopbackServer()
    server.route("POST", "/echo") { .data($0.body) }
    client = NetworkClient(.init(baseURL: server.baseURL))
  }

  private func send(_ body: RequestBody, headers: HTTPHeaders = [:]) async throws -> LoopbackRequest {
    try await send(Request(.post, "/echo", headers: headers, body: body), over: client)
  }

  private func send(_ request: Request, over client: NetworkClient) async throws -> LoopbackRequest {
    let recorder = SignalRecorder(client.exchange(request: request))
    await recorder.waitForEnd()
    expect(recorder.isCompleted, "\(recorder.events)")
    return try require(server.log.requests.last)
  }

  @Test(arguments: ["a/b\u{1}", "a/b\r\nX: y", "a/b\0", "a\u{7F}/b"]) func aPartsTypeHasNoControlCharacters(
    _ type: String
  ) async throws {
    let parts: Multipart = [.data("a", Data([1]), contentType: type)]
    let failure = try await client.failure(of: Request(.post, "/echo", body: .multipart(parts)), as: NoContent.self)
    expectEqual(failure.code, .invalidHeader)
  }

  /// A habit from `URLSession`; without the boundary no server could read the body.
  @Test func aMultipartTypeOfYourOwnGetsTheBoundary() async throws {
    let parts: Multipart = [.text("a", "1")]
    for type in ["multipart/form-data", "Multipart/Form-Data; charset=utf-8"] {
      let sent = try await send(.multipart(parts), headers: ["Content-Type": type])
      let boundary = try require(sent.bodyText.split(separator: "\r\n").first?.dropFirst(2))
      expectEqual(sent.header("Content-Type"), "\(type); boundary=\(boundary)")
    }
    let same = "multipart/mixed; x=\"; boundary=z\"; boundary=\"own\""
    let sent = try await send(.multipart(Multipart(parts.parts, boundary: "own")), headers: ["Content-Type": same])
    expectEqual(sent.header("Content-Type"), same)
    let other = Request(
      .post, "/echo", headers: ["Content-Type": "multipart/form-data; boundary=other"], body: .multipart(parts))
    let failure = try await client.failure(of: other, as: NoContent.self)
    expectEqual(failure.code, .invalidHeader)
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
      expectEqual(request.bodyText, text)
      expectEqual(request.header("Content-Type"), type)
      expectEqual(request.header("Content-Length"), "\(text.utf8.count)")
    }
    let own = try await send(.json(["a": 1]), headers: ["Content-Type": "application/vnd.x+json"])
    expectEqual(own.header("Content-Type"), "application/vnd.x+json")
  }

  /// Where a content type may be stated for many requests.
  enum Level: CaseIterable, Sendable { case client, service, common }

  private struct Press: Service {
    let id: ServiceID = "press"
    let url: URL
    var headers: HTTPHeaders = [:]
    var common: [CommonParameters] = []

    func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? { ServiceAddresses(url) }
  }

  /// A client with a service whose requests have a content type by default.
  private func makeClient(stating type: String, on level: Level) -> NetworkClient {
    let headers: HTTPHeaders = ["Content-Type": type]
    var press = Press(url: server.baseURL)
    var configuration = NetworkClient.Configuration()
    switch level {
    case .client: configuration.headers = headers
    case .service: press.headers = headers
    case .common: press.common = [CommonParameters("all", headers: headers)]
    }
    configuration.services = ServiceRegistry([press])
    return NetworkClient(configuration)
  }

  @Test("S1-5", arguments: Level.allCases) func aDefaultContentTypeDoesNotReplaceThatOfTheBody(_ level: Level)
    async throws
  {
    let client = makeClient(stating: "application/json", on: level)
    func sent(_ body: RequestBody, _ headers: HTTPHeaders = [:]) async throws -> LoopbackRequest {
      try await send(Request(.post, "/echo", service: "press", headers: headers, body: body), over: client)
    }
    // The boundary has arrived: the parts can be found.
    let upload = RequestBody.multipart([.text("title", "Lamp")])
    let multipart = try await sent(upload)
    let type = try require(multipart.header("Content-Type"))
    let parts = try require(MultipartReader.parts(of: multipart.body, contentType: type))
    expectEqual(parts.map(\.content), [Data("Lamp".utf8)])
    let form = try await sent(.form(["a": "b"]))
    expectEqual(form.header("Content-Type"), "application/x-www-form-urlencoded")
    let parameters = Request(.post, "/echo", service: "press", parameters: ["a": "b"])
    let placed = try await send(parameters, over: client)
    expectEqual(placed.header("Content-Type"), "application/x-www-form-urlencoded")
    expectEqual(placed.bodyText, "a=b")
    let png = try await sent(.data(Data("bytes".utf8), contentType: "image/png"))
    expectEqual(png.header("Content-Type"), "image/png")
    // What the request itself states is no default.
    for body in [upload, .form(["a": "b"]), .data(Data("bytes".utf8), contentType: "image/png")] {
      let own = try await sent(body, ["Content-Type": "text/x-own"])
      expectEqual(own.header("Content-Type"), "text/x-own")
    }
  }

  @Test("S1-5", arguments: Level.allCases) func aDefaultTypeOfJSONIsKeptForJSON(_ level: Level) async throws {
    let requests = [
      Request(.post, "/echo", service: "press", body: .json(["a": 1])),
      Request(.post, "/echo", service: "press", parameters: ["a": 1], options: .with { $0.placement = .json }),
    ]
    let precise = makeClient(stating: "application/vnd.api+json", on: level)
    let other = makeClient(stating: "text/plain", on: level)
    for request in requests {
      let kept = try await send(request, over: precise)
      expectEqual(kept.header("Content-Type"), "application/vnd.api+json")
      expectEqual(kept.bodyText, #"{"a":1}"#)
      let replaced = try await send(request, over: other)
      expectEqual(replaced.header("Content-Type"), "application/json")
    }
  }

  @Test("S0-20 S4-4") func aMultipartBodyNamesItsFile() async throws {
    let part = Multipart.Part.data("photo", Data("bytes".utf8), fileName: "lamp.png", contentType: "image/png")
    let request = try await send(.multipart([.text("title", "Lamp"), part]))
    expectEqual(request.header("Content-Type")?.hasPrefix("multipart/form-data; boundary="), true)
    expect(request.bodyText.contains(#"name="photo"; filename="lamp.png""#))
    expect(request.bodyText.contains("Content-Type: image/png\r\n\r\nbytes\r\n"))
  }

  @Test("S0-20") func aFileIsSentUnderTheNameAndTypeThatAreStated() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("upload-\(UUID().uuidString).bin")
    try Data("bytes".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let part = Multipart.Part.file("photo", file, fileName: "lamp.png", contentType: "image/x-own")
    let request = try await send(.multipart([part]))
    expect(request.bodyText.contains(#"name="photo"; filename="lamp.png""#))
    expect(request.bodyText.contains("Content-Type: image/x-own\r\n\r\nbytes\r\n"))
    expect(!request.bodyText.contains(file.lastPathComponent))
  }

  @Test("S0-20") func aMissingFileIsAnErrorBeforeAnythingIsSent() async {
    let missing = URL(fileURLWithPath: "/nowhere/at/all")
    for body in [RequestBody.multipart([.file("a", missing)]), .file(missing, contentType: "a/b")] {
      let recorder = SignalRecorder(client.exchange(request: Request(.post, "/echo", body: body)))
      await recorder.waitForEnd()
      expectEqual(recorder.failure?.code, .invalidBody, "\(recorder.events)")
    }
    expectEqual(server.log.acceptedCount, 0)
  }
}
