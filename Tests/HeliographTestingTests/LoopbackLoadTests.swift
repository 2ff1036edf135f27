import Foundation
import HeliographTesting
import Testing

/// Many connections and large bodies.
@Suite(.serialized) struct LoopbackLoadTests {
  let server: LoopbackServer

  init() throws {
    server = try LoopbackServer()
  }

  @Test func holdsAThousandConnectionsAndSeesThemAllClose() async throws {
    server.route("GET", "/held") { _ in .never }
    let clients = try (0..<1000).map { _ in try RawClient(port: server.port) }
    for client in clients { try client.send("GET /held HTTP/1.1\r\nHost: t\r\n\r\n") }
    #expect(await server.wait(for: .seconds(20)) { $0.requests.count == 1000 })
    #expect(server.log.openConnectionCount == 1000)
    for client in clients { client.close() }
    let end = ContinuousClock.now
    #expect(await server.wait { $0.openConnectionCount == 0 })
    let log = server.log
    #expect(log.connections.allSatisfy { $0.closedBy == .client && $0.requestCount == 1 })
    #expect(try #require(log.connections.compactMap(\.closedAt).max()) - end < .seconds(2))
  }

  @Test func takesAndSendsTwentyMegabytes() throws {
    server.route("POST", "/echo") { .data($0.body) }
    let body = Data((0..<20_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let client = try RawClient(port: server.port)
    try client.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: \(body.count)\r\n\r\n")
    try client.send(body)
    #expect(try client.response().body == body)
    #expect(server.log.requests[0].body == body)
  }

  @Test func takesTwentyMegabytesInChunks() throws {
    server.route("POST", "/count") { .text("\($0.body.count)") }
    let client = try RawClient(port: server.port)
    try client.send("POST /count HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n")
    let chunk = Data("4e20\r\n".utf8) + Data(count: 20_000) + Data("\r\n".utf8)
    for _ in 0..<1000 { try client.send(chunk) }
    try client.send("0\r\n\r\n")
    #expect(try client.response().text == "20000000")
  }

  @Test func servesOthersWhileALargeResponseIsStuck() throws {
    server.route("GET", "/large") { _ in .data(Data(count: 20_000_000)) }
    let stuck = try RawClient(port: server.port)
    try stuck.send("GET /large HTTP/1.1\r\nHost: t\r\n\r\n")
    let other = try RawClient(port: server.port)
    for _ in 0..<100 { #expect(try other.get("/").status == 404) }
    #expect(try stuck.response().body.count == 20_000_000)
  }

  @Test func answersThousandsOfPipelinedRequests() throws {
    server.route("GET", "/*") { .text($0.path) }
    let client = try RawClient(port: server.port)
    let requests = (0..<5000).map { "GET /\($0) HTTP/1.1\r\nHost: t\r\n\r\n" }
    try client.send(requests.joined())
    for number in 0..<5000 { #expect(try client.response().text == "/\(number)") }
  }
}
