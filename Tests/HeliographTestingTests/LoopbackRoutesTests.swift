import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// Asynchronous routes, responses that break in their body, and the reason of a 404.
struct LoopbackRoutesTests {
  let server: LoopbackServer
  let client: RawClient

  init() throws {
    server = try LoopbackServer()
    client = try RawClient(port: server.port)
  }

  @Test func anAsynchronousRouteLetsTheServerGoOn() async throws {
    let (sequence, continuation) = AsyncStream.makeStream(of: String.self)
    server.route("GET", "/later") { _ in
      var texts = sequence.makeAsyncIterator()
      return .text(await texts.next() ?? "none")
    }
    server.route("GET", "/now") { _ in .text("now") }
    try client.send("GET /later HTTP/1.1\r\nHost: t\r\n\r\nGET /now HTTP/1.1\r\nHost: t\r\n\r\n")
    await expect(server.wait { $0.requests.count == 1 })
    try await expectEqual(RawClient(port: server.port).get("/now").text, "now")
    continuation.yield("later")
    try await expectEqual(client.response().text, "later")
    // Pipelined behind it.
    try await expectEqual(client.response().text, "now")
  }

  @Test func theTaskOfARouteEndsWithItsConnection() async throws {
    let cancelled = CurrentValue(0)
    server.route("GET", "/later") { _ in
      await withTaskCancellationHandler {
        for await count in cancelled.signal.values where count > 0 { break }
      } onCancel: {
        cancelled.modify { $0 += 1 }
      }
      return .text("too late")
    }
    try client.send("GET /later HTTP/1.1\r\nHost: t\r\n\r\n")
    await expect(server.wait { $0.requests.count == 1 })
    client.close()
    await until { cancelled.value == 1 }
    await expect(server.wait { $0.openConnectionCount == 0 })
  }

  private struct Broken: Error {}

  /// A helper of a test that throws, such as `decode`, needs no `try?`.
  @Test func anErrorOfARouteIsA500WithItsText() async throws {
    server.route("GET", "/broken") { _ in throw Broken() }
    server.route("GET", "/late") { _ in
      await Task.yield()
      throw Broken()
    }
    server.route("POST", "/count") { .text("\(try $0.decode(as: [Int].self).count)") }
    for path in ["/broken", "/late"] {
      let response = try await client.get(path)
      expectEqual(response.status, 500)
      expectEqual(response.text, "the route threw Broken()")
    }
    try await expectEqual(client.get("/count", method: "POST").status, 500)
  }

  @Test func aHEADRequestPrefersASpecificRoute() async throws {
    func status(_ path: String) async throws -> Int { try await client.get(path, method: "HEAD").status }
    server.route("GET", "/a") { _ in .status(201) }
    server.route("*", "*") { _ in .status(202) }
    try await expectEqual(status("/a"), 201)
    try await expectEqual(status("/b"), 202)
    server.route("HEAD", "/a") { _ in .status(203) }
    server.route("GET", "/a") { _ in .status(205) }
    try await expectEqual(status("/a"), 203)
  }

  @Test func aBodyIsCutAfterItsHead() async throws {
    server.route("GET", "/cut") { _ in .json(#"{"name": "Ada"}"#).cut(afterBodyByteCount: 6) }
    server.route("GET", "/reset") { _ in .json(#"{"name": "Ada"}"#).resetting(afterBodyByteCount: 0) }
    server.route("GET", "/large") { _ in .data(Data(count: 100_000)).cut(afterBodyByteCount: 40_000) }
    server.route("GET", "/chunks") { _ in .chunked(["one", "two"]).cut(afterBodyByteCount: 3) }
    for (path, count) in [("/cut", 6), ("/reset", 0), ("/large", 40_000), ("/chunks", 3)] {
      let raw = try RawClient(port: server.port)
      try raw.send("GET \(path) HTTP/1.1\r\nHost: t\r\n\r\n")
      let bytes = try await path == "/reset" ? raw.bytesToReset() : raw.bytesToEnd()
      let end = try require(bytes.range(of: Data("\r\n\r\n".utf8))).upperBound
      expectEqual(bytes.count - end, count, "\(path)")
      let recorder = SignalRecorder(
        NetworkClient(baseURL: server.baseURL).enqueue(request: Request(.get, RequestPath(path))))
      await recorder.waitForEnd()
      expectEqual(recorder.failure?.domain, .network, "\(path)")
    }
  }

  @Test func anUnknownPathNamesTheNearestRoute() async throws {
    try await expect(client.get("/users").text.contains("the server has no routes"))
    server.route("get", "/users") { _ in .text("never") }
    try await expect(client.get("/users").text.contains("the method is GET, not get"))
    server.route("GET", "/users/*") { _ in .text("user") }
    let response = try await client.get("/users/7/photos")
    expectEqual(response.status, 404)
    expect(response.text.contains("the path is /users/7/photos, not /users/*"), "\(response.text)")
  }

  @Test func aReceivedRequestIsDecoded() async throws {
    server.route("POST", "/users") { request in
      (try? request.decode(as: [String: String].self)).map { .json($0) } ?? .status(400)
    }
    let client = NetworkClient(baseURL: server.baseURL)
    let request = Request(.post, "/users", body: .json(["name": "Ada"]))
    try await expectEqual(client.value(of: request, as: [String: String].self), ["name": "Ada"])
  }
}
