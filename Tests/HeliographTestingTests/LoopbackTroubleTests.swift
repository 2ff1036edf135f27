import Foundation
import HeliographTesting
import Testing

/// Responses that come late, in pieces or not at all, and clients that go away.
@Suite struct LoopbackTroubleTests {
  static let helloHead = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 5\r\n\r\n"

  let server: LoopbackServer
  let client: RawClient

  init() throws {
    server = try LoopbackServer()
    client = try RawClient(port: server.port)
  }

  private func request(_ path: String = "/") throws {
    try client.send("GET \(path) HTTP/1.1\r\nHost: t\r\n\r\n")
  }

  @Test func answersLateByTheGivenTime() throws {
    server.route("GET", "/") { _ in .text("late").delayed(by: .milliseconds(30)).delayed(by: .milliseconds(20)) }
    let start = ContinuousClock.now
    #expect(try client.get("/").text == "late")
    #expect(ContinuousClock.now - start >= .milliseconds(50))
  }

  @Test(arguments: [
    LoopbackResponse.never, .text("x").delayed(by: .seconds(600)), .text("x").delayed(by: .seconds(Int64.max)),
    .script([.text("HTTP/1.1 200 OK\r\n"), .hold]), .chunked([Data([1]), Data([2])], every: .seconds(600)),
  ])
  func noticesAClientThatGoesAwayWhileItWaits(response: LoopbackResponse) async throws {
    server.route("GET", "/") { _ in response }
    try request()
    #expect(await server.wait { $0.requests.count == 1 })
    #expect(server.log.openConnectionCount == 1)
    let start = ContinuousClock.now
    client.close()
    #expect(await server.wait { $0.openConnectionCount == 0 })
    let connection = try #require(server.log.connections.first)
    #expect(connection.closedBy == .client)
    #expect(try #require(connection.closedAt) - start < .seconds(1))
  }

  @Test func noticesAClientThatAborts() async throws {
    server.route("GET", "/") { _ in .never }
    try request()
    #expect(await server.wait { $0.requests.count == 1 })
    client.reset()
    #expect(await server.wait { $0.openConnectionCount == 0 })
    #expect(server.log.connections[0].closedBy == .client)
  }

  @Test func noticesAClientThatGoesAwayInTheMiddleOfItsRequest() async throws {
    let beginning = "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 100\r\n\r\nabc"
    try client.send(beginning)
    #expect(await server.wait { $0.connections.first?.receivedByteCount == beginning.utf8.count })
    client.close()
    #expect(await server.wait { $0.openConnectionCount == 0 })
    #expect(server.log.requests.isEmpty)
  }

  @Test func noticesAClientThatGoesAwayInTheMiddleOfALargeResponse() async throws {
    server.route("GET", "/") { _ in .data(Data(count: 50_000_000)) }
    try request()
    _ = try client.bytes(count: 1000)
    client.close()
    #expect(await server.wait { $0.openConnectionCount == 0 })
    #expect(server.log.connections[0].closedBy == .client)
    #expect(server.log.connections[0].sentByteCount < 50_000_000)
  }

  @Test func noticesACloseBehindAFullBuffer() async throws {
    server.route("GET", "/") { _ in .never }
    try request()
    // More than the server reads ahead, so that the close stands behind bytes it has not asked for.
    try client.send(Data(repeating: 0x41, count: 2_000_000))
    client.close()
    #expect(await server.wait { $0.openConnectionCount == 0 })
  }

  @Test func answersAClientThatHasFinishedSending() throws {
    server.route("GET", "/") { _ in .data(Data(count: 5_000_000)) }
    try client.send("GET / HTTP/1.1\r\nHost: t\r\n\r\nGET /other HTTP/1.1\r\nHost: t\r\n\r\n")
    client.finishSending()
    #expect(try client.response().body.count == 5_000_000)
    #expect(try client.response().status == 404)
    #expect(try client.bytesToEnd().isEmpty)
  }

  @Test(arguments: [0, 1, 17, 80, 10_000]) func resetsAfterSoManyBytes(byteCount: Int) throws {
    server.route("GET", "/") { _ in .text("hello").resetting(afterByteCount: byteCount) }
    try request()
    #expect(try client.bytesToReset() == Data((Self.helloHead + "hello").utf8).prefix(byteCount))
    #expect(server.log.connections[0].closedBy == .server)
  }

  @Test(arguments: [0, 1, 17, 80, 10_000]) func cutsAfterSoManyBytes(byteCount: Int) throws {
    server.route("GET", "/") { _ in .text("hello").cut(afterByteCount: byteCount) }
    try request()
    #expect(try client.bytesToEnd() == Data((Self.helloHead + "hello").utf8).prefix(byteCount))
    #expect(server.log.connections[0].closedBy == .server)
  }

  @Test func resetsOnlyWhenTheClientHasWhatWasWritten() throws {
    let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0) })
    server.route("GET", "/") { _ in .data(body).resetting(afterByteCount: 2_000_000) }
    try request()
    #expect(try client.bytesToReset().count == 2_000_000)
  }

  @Test func keepsTheDelayBeforeACut() throws {
    server.route("GET", "/") { _ in .text("hello").delayed(by: .milliseconds(30)).cut(afterByteCount: 0) }
    let start = ContinuousClock.now
    try request()
    #expect(try client.bytesToEnd().isEmpty)
    #expect(ContinuousClock.now - start >= .milliseconds(30))
  }

  @Test func followsAScript() throws {
    server.route("GET", "/close") { _ in
      .script([.text("HTTP/1.1 103 Early Hints\r\n\r\n"), .delay(.milliseconds(5)), .bytes(Data("rest".utf8)), .close])
    }
    try request("/close")
    #expect(try client.response().status == 103)
    #expect(try client.bytesToEnd() == Data("rest".utf8))
  }

  @Test func resetsWithinAScript() throws {
    server.route("GET", "/") { _ in .script([.text("HTTP/1.1"), .reset, .text("never sent")]) }
    try request()
    #expect(try client.bytesToReset() == Data("HTTP/1.1".utf8))
  }

  @Test func goesOnAfterAScriptWithoutAnEnd() throws {
    server.route("GET", "/") { _ in .script([.text("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n"), .text("a")]) }
    #expect(try client.get("/").text == "a")
    #expect(try client.get("/").text == "a")
  }

  @Test func closesInOrderThoughTheClientIsStillSending() throws {
    server.route("GET", "/") { _ in .text("enough").closing() }
    try request()
    // Unread bytes at a plain close would turn it into an abort and lose the response.
    try client.send(Data(repeating: 0x41, count: 500_000))
    #expect(try client.response().text == "enough")
    #expect(try client.bytesToEnd().isEmpty)
  }
}
