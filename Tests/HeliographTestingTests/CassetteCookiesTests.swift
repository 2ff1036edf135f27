import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A session in cookies is replayed like one with a token: the values are placeholders.
struct CassetteCookiesTests {
  private let file = FileManager.default.temporaryDirectory.appendingPathComponent("cookies-\(UUID().uuidString).json")
  private let stub = StubTransport()

  private func client(
    recording: Bool, _ cookies: HTTPCookieStorage? = URLSessionConfiguration.ephemeral.httpCookieStorage
  ) throws -> NetworkClient {
    let transport = try CassetteTransport(file: file, recording: recording ? stub : nil)
    return NetworkClient(baseURL: URL(string: "https://api.example.com")) {
      $0.transport = transport
      $0.cookies = cookies
    }
  }

  /// Returns the `Set-Cookie` fields of a response that was recorded with others.
  private func recorded(_ fields: String...) async throws -> [String] {
    var headers = HTTPHeaders()
    for field in fields { headers.add(field, for: "Set-Cookie") }
    stub.on(.get, "/set", .status(200, headers: headers))
    _ = try await client(recording: true).send("/set")
    return try await client(recording: false).send("/set").headers.values(for: "Set-Cookie")
  }

  @Test func theNameAndTheAttributesOfACookieAreRecorded() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let values = try await recorded(
      "s=hunter2; Path=/a; Domain=example.com; HttpOnly; SameSite=Lax; secure; note=hunter2", "empty=; Path=/",
      "other=hunter3;Max-Age=3600;path=/", "same = hunter2", "last=hunter4; Expires=Tue, 01 Jan 2999 00:00:00 GMT",
      #"json={"pin":"hunter5"}; Path=/"#, "hunter6", "p=hunter7; Path=/?token=hunter8")
    expectEqual(
      values,
      [
        "s=redacted-1; Path=/a; Domain=example.com; HttpOnly; SameSite=Lax; secure", "empty=; Path=/",
        "other=redacted-1-2;path=/", "same=redacted-1", "last=redacted-1-3", "json=redacted-1-4; Path=/",
        "redacted-1-5", "p=redacted-1-6; Path=/?token=redacted-1-7",
      ])
    try expect(!String(contentsOf: file, encoding: .utf8).contains("hunter"))
  }

  /// `Max-Age` takes precedence.
  @Test func aDeletedCookieIsDeletedInAReplay() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let past = "Expires=Thu, 01 Jan 1970 00:00:00 GMT"
    let values = try await recorded(
      "a=x; \(past)", "b=; Max-Age=0; Path=/", "c=; max-age=-1", "d=; Max-Age=60; \(past)")
    expectEqual(values, ["a=redacted-1; Max-Age=0", "b=; Path=/; Max-Age=0", "c=; Max-Age=0", "d="])
  }

  /// As URLSession joins them if the second name is no token.
  @Test func aJoinedCookieIsNotInTheFile() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let values = try await recorded("a=x; Path=/, express:sess=hunter2; HttpOnly")
    expectEqual(values, ["a=redacted-1; HttpOnly"])
    try expect(!String(contentsOf: file, encoding: .utf8).contains("hunter"))
  }

  @Test func aReplayStoresTheCookies() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    stub.on(.post, "/login", .status(204, headers: ["Set-Cookie": "s=hunter2; Path=/; Max-Age=60"]))
    stub.on(.get, "/user") { $0.headers["Cookie"] == "s=hunter2" ? .text("ada") : .status(401) }
    stub.on(.post, "/logout", .status(204, headers: ["Set-Cookie": "s=; Path=/; Max-Age=0"]))
    for isRecording in [true, false] {
      let cookies = try require(URLSessionConfiguration.ephemeral.httpCookieStorage)
      let client = try client(recording: isRecording, cookies)
      _ = try await client.send(Request(.post, "/login"))
      expectEqual(cookies.cookies?.map(\.value), [isRecording ? "hunter2" : "redacted-1"])
      try await expectEqual(client.value(of: "/user", as: String.self), "ada")
      _ = try await client.send(Request(.post, "/logout"))
      expectEqual(cookies.cookies?.count, 0)
    }
  }

  /// Without the session, its rejection would be recorded.
  @Test func aCookieOfAReplayIsNotSent() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    stub.on(.post, "/login", .status(204, headers: ["Set-Cookie": "s=hunter2; Path=/"]))
    stub.on(.get, "/user", .status(401))
    _ = try await client(recording: true).send(Request(.post, "/login"))
    let extending = try client(recording: true)
    _ = try await extending.send(Request(.post, "/login"))
    let recorder = SignalRecorder(extending.exchange(request: "/user"))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .unexpectedRequest)
    try expect("\(require(recorder.failure))".contains("a placeholder of a replayed response"))
    expectEqual(stub.requests.map(\.url.path), ["/login"])
  }

  /// It has no name of the cookie, and the client stores none.
  @Test func aFileOfAnEarlierVersionIsReplayed() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    _ = try await recorded("s=hunter2; Path=/")
    let text = try String(contentsOf: file, encoding: .utf8).replacing("s=redacted-1; Path=/", with: "redacted-1")
    try text.write(to: file, atomically: true, encoding: .utf8)
    try await expectEqual(client(recording: false).send("/set").headers["Set-Cookie"], "redacted-1")
  }
}
