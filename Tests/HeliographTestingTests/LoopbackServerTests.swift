import Foundation
import HeliographTesting
import Signals
import Testing

/// Routes, messages and the log, as a well-behaved client meets them.
@Suite struct LoopbackServerTests {
  let server: LoopbackServer
  let client: RawClient

  init() throws {
    server = try LoopbackServer()
    server.route("GET", "/hello") { _ in .text("hello") }
    server.route("*", "/echo") { .data($0.body, contentType: $0.header("content-type") ?? "none") }
    client = try RawClient(port: server.port)
  }

  @Test func servesSeveralRequestsOnOneConnection() throws {
    for _ in 0..<3 { #expect(try client.get("/hello").text == "hello") }
    let log = server.log
    #expect(log.acceptedCount == 1)
    #expect(log.openConnectionCount == 1)
    #expect(log.connections[0].requestCount == 3)
    #expect(log.requests.map(\.index) == [0, 1, 2])
    #expect(log.requests(to: "/hello").count == 3)
    #expect(log.connections[0].receivedByteCount == 3 * "GET /hello HTTP/1.1\r\nHost: test\r\n\r\n".utf8.count)
  }

  @Test func countsTheBytesOfAResponseBeforeTheClientHasThem() throws {
    let response = try client.get("/hello")
    #expect(server.log.connections[0].sentByteCount == response.head.utf8.count + response.body.count)
  }

  @Test func answersPipelinedRequestsInOrder() throws {
    server.route("GET", "/slow") { _ in .text("slow").delayed(by: .milliseconds(20)) }
    let requests = ["/slow", "/hello", "/missing"].map { "GET \($0) HTTP/1.1\r\nHost: t\r\n\r\n" }
    try client.send(requests.joined())
    #expect(try client.response().text == "slow")
    #expect(try client.response().text == "hello")
    #expect(try client.response().status == 404)
    #expect(server.log.requests.map(\.path) == ["/slow", "/hello", "/missing"])
  }

  @Test func answersAnUnknownPathBy404InJSON() throws {
    let response = try client.get("/a\"b")
    #expect(response.status == 404)
    #expect(response.header("Content-Type") == "application/json")
    let object = try JSONDecoder().decode([String: String].self, from: response.body)
    #expect(object == ["error": "no route", "method": "GET", "target": "/a\"b"])
  }

  @Test func letsLaterRoutesWin() throws {
    server.route("*", "/hel*") { .text("prefix \($0.method)") }
    #expect(try client.get("/hello").text == "prefix GET")
    #expect(try client.get("/helium", method: "DELETE").text == "prefix DELETE")
    server.route("GET", "/hello") { _ in .text("exact") }
    #expect(try client.get("/hello").text == "exact")
  }

  @Test func answersHeadByTheGetRouteWithoutItsBody() throws {
    let response = try client.get("/hello", method: "HEAD")
    #expect(response.status == 200)
    #expect(response.header("Content-Length") == "5")
    #expect(try client.get("/hello").text == "hello")
    server.route("HEAD", "/hello") { _ in .status(405) }
    server.route("GET", "/hello") { _ in .text("new") }
    #expect(try client.get("/hello", method: "HEAD").status == 405)
  }

  @Test func dropsTheChunksOfAHeadResponse() throws {
    server.route("GET", "/chunks") { _ in .chunked([Data("a".utf8)]) }
    #expect(try client.get("/chunks", method: "HEAD").header("Transfer-Encoding") == "chunked")
    #expect(try client.get("/hello").text == "hello")
  }

  @Test(arguments: [204, 304]) func writesNeitherLengthNorBodyWhereTheStatusForbidsThem(status: Int) throws {
    server.route("GET", "/nothing") { _ in .text("dropped", status: status) }
    let response = try client.get("/nothing")
    #expect(response.status == status)
    #expect(response.header("Content-Length") == nil)
    #expect(try client.get("/hello").text == "hello")
  }

  @Test func writesALengthOfZeroForAStatusAlone() throws {
    server.route("GET", "/made") { _ in .status(201).header("X-A", "1").header("X-A", "2") }
    let response = try client.get("/made")
    #expect(response.head == "HTTP/1.1 201 Created\r\nX-A: 1\r\nX-A: 2\r\nContent-Length: 0\r\n\r\n")
  }

  @Test func redirects() throws {
    server.route("GET", "/old") { _ in .redirect(to: "/new", status: 308) }
    let response = try client.get("/old")
    #expect(response.status == 308)
    #expect(response.header("Location") == "/new")
  }

  @Test func letsAGivenLengthLie() throws {
    server.route("GET", "/lie") { _ in .text("abc").header("content-length", "9").closing() }
    try client.send("GET /lie HTTP/1.1\r\nHost: t\r\n\r\n")
    let all = String(decoding: try client.bytesToEnd(), as: UTF8.self)
    #expect(all.contains("content-length: 9\r\n"))
    #expect(!all.contains("Content-Length"))
    #expect(all.hasSuffix("\r\n\r\nabc"))
  }

  @Test func readsBodiesByLengthAndByChunks() throws {
    try client.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Type: text/x\r\nContent-Length: 3\r\n\r\nabc")
    #expect(try client.response().header("Content-Type") == "text/x")
    try client.send("PUT /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n")
    for piece in ["3;name=value\r\n", "abc\r", "\n0A\r\ndefghij", "klm\r\n0\r\nTrailer: x\r\n", "\r\n"] {
      try client.send(piece)
    }
    #expect(try client.response().text == "abcdefghijklm")
    #expect(server.log.requests.map(\.bodyText) == ["abc", "abcdefghijklm"])
  }

  @Test func sendsChunks() throws {
    let chunks = ["one", "", "two", "three"].map { Data($0.utf8) }
    server.route("GET", "/chunks") { _ in .chunked(chunks) }
    server.route("GET", "/slow-chunks") { _ in .chunked(chunks, every: .milliseconds(5)) }
    #expect(try client.get("/chunks").text == "onetwothree")
    let start = ContinuousClock.now
    #expect(try client.get("/slow-chunks").text == "onetwothree")
    #expect(ContinuousClock.now - start >= .milliseconds(10))
  }

  @Test func sendsChunksBareToAnOldClient() throws {
    server.route("GET", "/chunks") { _ in .chunked([Data("one".utf8), Data("two".utf8)]) }
    try client.send("GET /chunks HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    let response = try client.response()
    #expect(response.header("Transfer-Encoding") == nil)
    #expect(response.header("Connection") == "close")
    #expect(response.text == "onetwo")
  }

  @Test func takesRequestsApart() throws {
    let head = "get-it /a%20b/%C3%A9%zz?q=1&%71=a%26b&flag&plus=a+b HTTP/1.1\r\nhost: h\r\nX-A:  1 \r\nx-a: 2\r\n\r\n"
    try client.send(head)
    _ = try client.response()
    let request = try #require(server.log.requests.first)
    #expect(request.method == "get-it")
    #expect(request.path == "/a b/\u{E9}%zz")
    #expect(request.query.map(\.name) == ["q", "q", "flag", "plus"])
    #expect(request.query.map(\.value) == ["1", "a&b", "", "a+b"])
    #expect(request.queryValue("q") == "1")
    #expect(request.queryValue("none") == nil)
    #expect(request.headers.map(\.name) == ["host", "X-A", "x-a"])
    #expect(request.header("X-a") == "1, 2")
    #expect(request.header("absent") == nil)
    #expect(request.body.isEmpty)
  }

  @Test func understandsTheAbsoluteFormOfATarget() throws {
    #expect(try client.get("http://elsewhere:1/hello?x=1").text == "hello")
    #expect(server.log.requests[0].queryValue("x") == "1")
    #expect(try client.get("http://elsewhere").status == 404)
    #expect(server.log.requests[1].path == "/")
  }

  @Test func closesWhenTheClientAsksForIt() async throws {
    try client.send("GET /hello HTTP/1.1\r\nHost: t\r\nConnection: Close\r\n\r\n")
    #expect(try client.response().header("Connection") == "close")
    #expect(try client.bytesToEnd().isEmpty)
    #expect(server.log.connections[0].closedBy == .server)
  }

  @Test func keepsAnOldClientsConnectionOnlyWhenAsked() throws {
    try client.send("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    #expect(try client.response().header("Connection") == "keep-alive")
    try client.send("GET /hello HTTP/1.0\r\n\r\n")
    #expect(try client.response().text == "hello")
    #expect(try client.bytesToEnd().isEmpty)
  }

  @Test func closesAfterAResponseThatSaysSo() throws {
    server.route("GET", "/last") { _ in .text("last").closing() }
    #expect(try client.get("/last").header("Connection") == "close")
    #expect(try client.bytesToEnd().isEmpty)
  }

  @Test func continuesWhenAClientExpectsIt() throws {
    try client.send("POST /echo HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
    #expect(try client.response().status == 100)
    try client.send("ok")
    #expect(try client.response().text == "ok")
  }

  @Test func logsARequestBeforeItsRouteRuns() throws {
    let seen = Guarded<[Int]>([])
    server.route("GET", "/count") { [weak server] _ in
      let count = server?.log.requests.count ?? -1
      seen.withLock { $0.append(count) }
      return .status(204)
    }
    _ = try client.get("/count")
    _ = try client.get("/count")
    #expect(seen.withLock { $0 } == [1, 2])
  }

  @Test func forgetsRequestsAndCountsOn() throws {
    _ = try client.get("/hello")
    server.forgetRequests()
    #expect(server.log.requests.isEmpty)
    _ = try client.get("/hello")
    #expect(server.log.requests.map(\.index) == [1])
    #expect(server.log.connections[0].requestCount == 2)
  }

  @Test func makesURLs() {
    #expect(server.baseURL.absoluteString == "http://127.0.0.1:\(server.port)")
    #expect(server.url("/a?b=c").absoluteString == "http://127.0.0.1:\(server.port)/a?b=c")
    #expect(server.url("a").absoluteString == "http://127.0.0.1:\(server.port)/a")
  }
}
