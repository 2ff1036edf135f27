import Foundation
import Heliograph
import HeliographTesting
import Testing

/// Exchanges are recorded from a real server and replayed without it.
@Suite struct CassetteTests {
  private let file = FileManager.default.temporaryDirectory.appendingPathComponent("cassette-\(UUID().uuidString).json")

  private func client(_ base: URL, recording: Bool) throws -> NetworkClient {
    let transport = try CassetteTransport(file: file, recording: recording ? URLSessionTransport() : nil)
    return NetworkClient(.init(baseURL: base, transport: transport))
  }

  private let login = Request(.post, "/login?token=hunter2", body: .json(["password": "hunter2", "user": "ada"]))

  @Test("P10") func whatWasRecordedIsReplayedWithoutANetwork() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let server = try LoopbackServer()
    server.route("POST", "/login") { _ in
      .json(#"{"token":"hunter2","name":"Ada"}"#).header("Set-Cookie", "s=hunter2").header("X-Page", "1")
    }
    let count = Guarded(0)
    server.route("GET", "/count") { _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      return .text(String(number))
    }
    server.route("GET", "/bytes") { _ in .data(Data([0xFF, 0, 1])) }
    let base = server.baseURL
    let recording = try client(base, recording: true)
    #expect(try await recording.value(of: login, as: JSON.self)["token"].string == "hunter2")
    for expected in ["1", "2"] { #expect(try await recording.value(of: "/count", as: String.self) == expected) }
    #expect(try await recording.value(of: "/bytes", as: Data.self) == Data([0xFF, 0, 1]))
    let received = server.log.requests.count
    server.stop()

    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(!text.contains("hunter2") && text.contains("Ada"))
    let replaying = try client(base, recording: false)
    let response = try await replaying.send(login, as: JSON.self)
    #expect(response.value["name"].string == "Ada" && response.headers["X-Page"] == "1")
    for expected in ["1", "2", "2"] { #expect(try await replaying.value(of: "/count", as: String.self) == expected) }
    #expect(try await replaying.value(of: "/bytes", as: Data.self) == Data([0xFF, 0, 1]))
    let other = SignalRecorder(replaying.enqueue(request: "/other"))
    await other.waitForEnd()
    #expect(other.failure?.code == .unexpectedRequest)
    #expect(server.log.requests.count == received)
  }

  @Test func aCassetteThatIsMissingOrMalformedIsAnError() throws {
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(throws: NetworkError.self) { try CassetteTransport(file: file) }
    try Data("{".utf8).write(to: file)
    #expect(throws: NetworkError.self) { try CassetteTransport(file: file, recording: URLSessionTransport()) }
  }
}
