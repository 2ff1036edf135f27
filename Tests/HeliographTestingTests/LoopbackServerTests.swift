import Foundation
import Heliograph
import HeliographTesting
import Signals
import TestSupport
import Testing

/// Routes, messages and the log, as a well-behaved client meets them.
struct LoopbackServerTests {
  let server: LoopbackServer
  let client: RawClient

  init() throws {
    server = try LoopbackServer()
    server.route("GET", "/hello") { _ in .text("hello") }
    server.route("*", "/echo") { .data($0.body, contentType: $0.header("content-type") ?? "none") }
    client = try RawClient(port: server.port)
  }

  @Test("P10") func servesSeveralRequestsOnOneConnection() async throws {
    for _ in 0..<3 { try await expectEqual(client.get("/hello").text, "hello") }
    let log = server.log
    expectEqual(log.acceptedCount, 1)
    expectEqual(log.openConnectionCount, 1)
    expectEqual(log.connections[0].requestCount, 3)
    expectEqual(log.requests.map(\.index), [0, 1, 2])
    expectEqual(log.requests(to: "/hello").count, 3)
    expectEqual(log.connections[0].receivedByteCount, 3 * "GET /hello HTTP/1.1\r\nHost: test\r\n\r\n".utf8.count)
  }

  @Test func countsTheBytesOfAResponseBeforeTheClientHasThem() async throws {
    let response = try await client.get("/hello")
    expectEqual(server.log.connections[0].sentByteCount, response.head.utf8.count + response.body.count)
  }

  @Test func answersPipelinedRequestsInOrder() async throws {
    server.route("GET", "/slow") { _ in .text("slow").delayed(by: .milliseconds(20)) }
    let requests = ["/slow", "/hello", "/missing"].map { "GET \($0) HTTP/1.1\r\nHost: t\r\n\r\n" }
    try client.send(requests.joined())
    try await expectEqual(client.response().text, "slow")
    try await expectEqual(client.response().text, "hello")
    try await expectEqual(client.response().status, 404)
    expectEqual(server.log.requests.map(\.path), ["/slow", "/hello", "/missing"])
  }

  @Test func answersAnUnknownPathBy404InJSON() async throws {
    let response = try await client.get("/a\"b")
    expectEqual(response.status, 404)
    expectEqual(response.header("Content-Type"), "application/json")
    var object = try JSONDecoder().decode([String: String].self, from: response.body)
    expect(object.removeValue(forKey: "reason")?.isEmpty == false)
    expectEqual(object, ["error": "no route", "method": "GET", "target": "/a\"b"])
  }

  @Test func letsLaterRoutesWin() async throws {
    server.route("*", "/*") { .text("first \($0.method)") }
    server.route("*", "/*") { .text("any \($0.method)") }
    try await expectEqual(client.get("/helium", method: "DELETE").text, "any DELETE")
    server.route("GET", "/hello") { _ in .text("exact") }
    try await expectEqual(client.get("/hello").text, "exact")
  }

  @Test func answersHeadByTheGetRouteWithoutItsBody() async throws {
    let response = try await client.get("/hello", method: "HEAD")
    expectEqual(response.status, 200)
    expectEqual(response.header("Content-Length"), "5")
    try await expectEqual(client.get("/hello").text, "hello")
    server.route("HEAD", "/hello") { _ in .status(405) }
    server.route("GET", "/hello") { _ in .text("new") }
    try await expectEqual(client.get("/hello", method: "HEAD").status, 405)
  }

  @Test func dropsTheChunksOfAHeadResponse() async throws {
    server.route("GET", "/chunks") { _ in .chunked([Data("a".utf8)]) }
    try await expectEqual(client.get("/chunks", method: "HEAD").header("Transfer-Encoding"), "chunked")
    try await expectEqual(client.get("/hello").text, "hello")
  }

  @Test(arguments: [204, 304]) func writesNeitherLengthNorBodyWhereTheStatusForbidsThem(status: Int) async throws {
    server.route("GET", "/nothing") { _ in .text("dropped", status: status) }
    let response = try await client.get("/nothing")
    expectEqual(response.status, status)
    expectNil(response.header("Content-Length"))
    try await expectEqual(client.get("/hello").text, "hello")
  }

  @Test func writesALengthOfZeroForAStatusAlone() async throws {
    server.route("GET", "/made") { _ in .status(201).header("X-A", "1").header("X-A", "2") }
    let response = try await client.get("/made")
    expectEqual(response.head, "HTTP/1.1 201 Created\r\nX-A: 1\r\nX-A: 2\r\nContent-Length: 0\r\n\r\n")
  }

  @Test func redirects() async throws {
    server.route("GET", "/old") { _ in .redirect(to: "/new", status: 308) }
    let response = try await client.get("/old")
    expectEqual(response.status, 308)
    expectEqual(response.header("Location"), "/new")
  }

  @Test func letsAGivenLengthLie() async throws {
    server.route("GET", "/lie") { _ in .text("abc").header("content-length", "9").closing() }
    try client.send("GET /lie HTTP/1.1\r\nHost: t\r\n\r\n")
    let all = String(decoding: try await client.bytesToEnd(), as: UTF8.self)
    expect(all.contains("content-length: 9\r\n"))
    expect(!all.contains("Content-Length"))
    expect(all.hasSuffix("\r\n\r\nabc"))
  }

  @Test func piecesWithALengthHaveNoChunks() async throws {
    server.route("GET", "/pieces") { _ in .chunked(["abc", "def"]).header("Content-Length", "6") }
    for _ in 1...2 {
      try client.send("GET /pieces HTTP/1.1\r\nHost: t\r\n\r\n")
      try await expectEqual(client.response().text, "abcdef")
    }
  }

  @Test func readsBodiesByLengthAndByChunks() async throws {
    try client.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Type: text/x\r\nContent-Length: 3\r\n\r\nabc")
    try await expectEqual(client.response().header("Content-Type"), "text/x")
    try client.send("PUT /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n")
    for piece in ["3;name=value\r\n", "abc\r", "\n0A\r\ndefghij", "klm\r\n0\r\nTrailer: x\r\n", "\r\n"] {
      try client.send(piece)
    }
    try await expectEqual(client.response().text, "abcdefghijklm")
    expectEqual(server.log.requests.map(\.bodyText), ["abc", "abcdefghijklm"])
  }

  @Test func sendsChunks() async throws {
    let chunks = ["one", "", "two", "three"].map { Data($0.utf8) }
    server.route("GET", "/chunks") { _ in .chunked(chunks) }
    server.route("GET", "/slow-chunks") { _ in .chunked(chunks, every: .milliseconds(5)) }
    try await expectEqual(client.get("/chunks").text, "onetwothree")
    let start = ContinuousClock.now
    try await expectEqual(client.get("/slow-chunks").text, "onetwothree")
    expect(ContinuousClock.now - start >= .milliseconds(10))
  }

  @Test func sendsChunksBareToAnOldClient() async throws {
    server.route("GET", "/chunks") { _ in .chunked([Data("one".utf8), Data("two".utf8)]) }
    try client.send("GET /chunks HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    let response = try await client.response()
    expectNil(response.header("Transfer-Encoding"))
    expectEqual(response.header("Connection"), "close")
    expectEqual(response.text, "onetwo")
  }

  @Test func takesRequestsApart() async throws {
    let head = "get-it /a%20b/%C3%A9%zz?q=1&%71=a%26b&flag&plus=a+b HTTP/1.1\r\nhost: h\r\nX-A:  1 \r\nx-a: 2\r\n\r\n"
    try client.send(head)
    _ = try await client.response()
    let request = try require(server.log.requests.first)
    expectEqual(request.method, "get-it")
    expectEqual(request.path, "/a b/\u{E9}%zz")
    expectEqual(request.query.map(\.name), ["q", "q", "flag", "plus"])
    expectEqual(request.query.map(\.value), ["1", "a&b", "", "a+b"])
    expectEqual(request.queryValue("q"), "1")
    expectNil(request.queryValue("none"))
    expectEqual(request.headers.map(\.name), ["host", "X-A", "x-a"])
    expectEqual(request.header("X-a"), "1, 2")
    expectNil(request.header("absent"))
    expect(request.body.isEmpty)
  }

  @Test func understandsTheAbsoluteFormOfATarget() async throws {
    try await expectEqual(client.get("http://elsewhere:1/hello?x=1").text, "hello")
    expectEqual(server.log.requests[0].queryValue("x"), "1")
    try await expectEqual(client.get("http://elsewhere").status, 404)
    expectEqual(server.log.requests[1].path, "/")
  }

  @Test func closesWhenTheClientAsksForIt() async throws {
    try client.send("GET /hello HTTP/1.1\r\nHost: t\r\nConnection: Close\r\n\r\n")
    try await expectEqual(client.response().header("Connection"), "close")
    try await expect(client.bytesToEnd().isEmpty)
    expectEqual(server.log.connections[0].isClosedByClient, false)
  }

  @Test func keepsAnOldClientsConnectionOnlyWhenAsked() async throws {
    try client.send("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    try await expectEqual(client.response().header("Connection"), "keep-alive")
    try client.send("GET /hello HTTP/1.0\r\n\r\n")
    try await expectEqual(client.response().text, "hello")
    try await expect(client.bytesToEnd().isEmpty)
  }

  @Test func closesAfterAResponseThatSaysSo() async throws {
    server.route("GET", "/last") { _ in .text("last").closing() }
    try await expectEqual(client.get("/last").header("Connection"), "close")
    try await expect(client.bytesToEnd().isEmpty)
  }

  @Test func continuesWhenAClientExpectsIt() async throws {
    try client.send("POST /echo HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
    try await expectEqual(client.response().status, 100)
    try client.send("ok")
    try await expectEqual(client.response().text, "ok")
  }

  @Test func logsARequestBeforeItsRouteRuns() async throws {
    let seen = Guarded<[Int]>([])
    server.route("GET", "/count") { [weak server] _ in
      let count = server?.log.requests.count ?? -1
      seen.withLock { $0.append(count) }
      return .status(204)
    }
    _ = try await client.get("/count")
    _ = try await client.get("/count")
    expectEqual(seen.withLock { $0 }, [1, 2])
  }

  @Test func forgetsRequestsAndCountsOn() async throws {
    _ = try await client.get("/hello")
    server.forgetRequests()
    expect(server.log.requests.isEmpty)
    _ = try await client.get("/hello")
    expectEqual(server.log.requests.map(\.index), [1])
    expectEqual(server.log.connections[0].requestCount, 2)
  }

  @Test func makesURLs() {
    expectEqual(server.baseURL.absoluteString, "http://127.0.0.1:\(server.port)")
    expectEqual(server.url("/a?b=c").absoluteString, "http://127.0.0.1:\(server.port)/a?b=c")
    expectEqual(server.url("a").absoluteString, "http://127.0.0.1:\(server.port)/a")
  }

  /// The server of an inspector, which a page asks for as long as it is open.
  @Test func aServerWithoutALogHasNoConnections() async throws {
    let server = try LoopbackServer(port: 0, bodyByteLimit: 0, keepsLog: false)
    let requests = Guarded<[Int]>([])
    server.route("GET", "/hello") { request in
      requests.withLock { $0.append(request.index) }
      return .text("hello")
    }
    let client = try RawClient(port: server.port)
    for _ in 1...2 { _ = try await client.get("/hello") }
    expectEqual(requests.withLock { $0 }, [0, 1])
    server.stop()
    expect(server.log.requests.isEmpty && server.log.connections.isEmpty)
  }
}
