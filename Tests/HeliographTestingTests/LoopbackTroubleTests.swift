import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// Responses that come late, in pieces or not at all, and clients that go away.
struct LoopbackTroubleTests {
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

  @Test func answersLateByTheGivenTime() async throws {
    server.route("GET", "/") { _ in .text("late").delayed(by: .milliseconds(30)).delayed(by: .milliseconds(20)) }
    let start = ContinuousClock.now
    try await expectEqual(client.get("/").text, "late")
    expect(ContinuousClock.now - start >= .milliseconds(50))
  }

  @Test(arguments: [
    LoopbackResponse.never, .text("x").delayed(by: .seconds(600)), .text("x").delayed(by: .seconds(Int64.max)),
    .script([.text("HTTP/1.1 200 OK\r\n"), .hold]), .chunked([Data([1]), Data([2])], every: .seconds(600)),
  ])
  func noticesAClientThatGoesAwayWhileItWaits(response: LoopbackResponse) async throws {
    server.route("GET", "/") { _ in response }
    // Its connection is the first one.
    client.close()
    await server.wait { $0.acceptedCount == 1 && $0.openConnectionCount == 0 }
    try await expectInARound {
      let count = server.log.acceptedCount
      let client = try RawClient(port: server.port)
      try client.send("GET / HTTP/1.1\r\nHost: t\r\n\r\n")
      await expect(server.wait { $0.requests.count == count })
      expectEqual(server.log.openConnectionCount, 1)
      let start = ContinuousClock.now
      client.close()
      await expect(server.wait { $0.openConnectionCount == 0 })
      let connection = server.log.connections[count]
      expectEqual(connection.isClosedByClient, true)
      return try require(connection.closedAt) - start < .milliseconds(500)
    }
  }

  @Test func noticesAClientThatAborts() async throws {
    server.route("GET", "/") { _ in .never }
    try request()
    await expect(server.wait { $0.requests.count == 1 })
    client.reset()
    await expect(server.wait { $0.openConnectionCount == 0 })
    expectEqual(server.log.connections[0].isClosedByClient, true)
  }

  @Test func noticesAClientThatGoesAwayInTheMiddleOfItsRequest() async throws {
    let beginning = "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 100\r\n\r\nabc"
    try client.send(beginning)
    await expect(server.wait { $0.connections.first?.receivedByteCount == beginning.utf8.count })
    client.close()
    await expect(server.wait { $0.openConnectionCount == 0 })
    expect(server.log.requests.isEmpty)
  }

  @Test func noticesAClientThatGoesAwayInTheMiddleOfALargeResponse() async throws {
    server.route("GET", "/") { _ in .data(Data(count: 50_000_000)) }
    try request()
    _ = try await client.bytes(count: 1000)
    client.close()
    await expect(server.wait { $0.openConnectionCount == 0 })
    expectEqual(server.log.connections[0].isClosedByClient, true)
    expect(server.log.connections[0].sentByteCount < 50_000_000)
  }

  @Test func noticesACloseBehindAFullBuffer() async throws {
    server.route("GET", "/") { _ in .never }
    try request()
    // More than the server reads ahead, so that the close stands behind bytes it has not asked for.
    try client.send(Data(repeating: 0x41, count: 2_000_000))
    client.close()
    await expect(server.wait { $0.openConnectionCount == 0 })
  }

  @Test func answersAClientThatHasFinishedSending() async throws {
    server.route("GET", "/") { _ in .data(Data(count: 5_000_000)) }
    try client.send("GET / HTTP/1.1\r\nHost: t\r\n\r\nGET /other HTTP/1.1\r\nHost: t\r\n\r\n")
    client.finishSending()
    try await expectEqual(client.response().body.count, 5_000_000)
    try await expectEqual(client.response().status, 404)
    try await expect(client.bytesToEnd().isEmpty)
  }

  @Test(arguments: [0, 1, 17, 80, 10_000]) func resetsAfterSoManyBytes(byteCount: Int) async throws {
    server.route("GET", "/") { _ in .text("hello").resetting(afterByteCount: byteCount) }
    try request()
    try await expectEqual(client.bytesToReset(), Data((Self.helloHead + "hello").utf8).prefix(byteCount))
    expectEqual(server.log.connections[0].isClosedByClient, false)
  }

  @Test(arguments: [0, 1, 17, 80, 10_000]) func cutsAfterSoManyBytes(byteCount: Int) async throws {
    server.route("GET", "/") { _ in .text("hello").cut(afterByteCount: byteCount) }
    try request()
    try await expectEqual(client.bytesToEnd(), Data((Self.helloHead + "hello").utf8).prefix(byteCount))
    expectEqual(server.log.connections[0].isClosedByClient, false)
  }

  @Test func aLimitMayExceedAnyLength() async throws {
    let plain = LoopbackResponse.text("hello")
    let cuts = [plain.cut(afterBodyByteCount: .max), plain.resetting(afterBodyByteCount: .max)]
    server.route("GET", "/") { _ in cuts[0] }
    server.route("GET", "/reset") { _ in cuts[1] }
    try request()
    try await expectEqual(client.bytesToEnd(), Data((Self.helloHead + "hello").utf8))
    let second = try RawClient(port: server.port)
    try second.send("GET /reset HTTP/1.1\r\nHost: t\r\n\r\n")
    try await expectEqual(second.bytesToReset(), Data((Self.helloHead + "hello").utf8))
  }

  @Test func resetsOnlyWhenTheClientHasWhatWasWritten() async throws {
    let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0) })
    server.route("GET", "/") { _ in .data(body).resetting(afterByteCount: 2_000_000) }
    try request()
    try await expectEqual(client.bytesToReset().count, 2_000_000)
  }

  @Test func keepsTheDelayBeforeACut() async throws {
    server.route("GET", "/") { _ in .text("hello").delayed(by: .milliseconds(30)).cut(afterByteCount: 0) }
    let start = ContinuousClock.now
    try request()
    try await expect(client.bytesToEnd().isEmpty)
    expect(ContinuousClock.now - start >= .milliseconds(30))
  }

  @Test func followsAScript() async throws {
    server.route("GET", "/close") { _ in
      .script([.text("HTTP/1.1 103 Early Hints\r\n\r\n"), .delay(.milliseconds(5)), .bytes(Data("rest".utf8)), .close])
    }
    try request("/close")
    try await expectEqual(client.response().status, 103)
    try await expectEqual(client.bytesToEnd(), Data("rest".utf8))
  }

  @Test func resetsWithinAScript() async throws {
    server.route("GET", "/") { _ in .script([.text("HTTP/1.1"), .reset, .text("never sent")]) }
    try request()
    try await expectEqual(client.bytesToReset(), Data("HTTP/1.1".utf8))
  }

  @Test func goesOnAfterAScriptWithoutAnEnd() async throws {
    server.route("GET", "/") { _ in .script([.text("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n"), .text("a")]) }
    try await expectEqual(client.get("/").text, "a")
    try await expectEqual(client.get("/").text, "a")
  }

  @Test func closesInOrderThoughTheClientIsStillSending() async throws {
    server.route("GET", "/") { _ in .text("enough").closing() }
    try request()
    // Unread bytes at a plain close would turn it into an abort and lose the response.
    try client.send(Data(repeating: 0x41, count: 500_000))
    try await expectEqual(client.response().text, "enough")
    try await expect(client.bytesToEnd().isEmpty)
  }
}
