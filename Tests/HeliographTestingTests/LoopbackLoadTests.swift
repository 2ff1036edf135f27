import Foundation
import Heliograph
import HeliographTesting
import TestSupport
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
    await expect(server.wait { $0.requests.count == 1000 })
    expectEqual(server.log.openConnectionCount, 1000)
    for client in clients { client.close() }
    await expect(server.wait { $0.openConnectionCount == 0 })
    expect(server.log.connections.allSatisfy { $0.isClosedByClient == true && $0.requestCount == 1 })
  }

  @Test func takesAndSendsTwentyMegabytes() async throws {
    server.route("POST", "/echo") { .data($0.body) }
    let body = numberedBytes(20_000_000)
    let client = try RawClient(port: server.port)
    try client.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: \(body.count)\r\n\r\n")
    try client.send(body)
    try await expectEqual(client.response().body, body)
    expectEqual(server.log.requests[0].body, body)
  }

  @Test func takesTwentyMegabytesInChunks() async throws {
    server.route("POST", "/count") { .text("\($0.body.count)") }
    let client = try RawClient(port: server.port)
    try client.send("POST /count HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n")
    let chunk = Data("4e20\r\n".utf8) + Data(count: 20_000) + Data("\r\n".utf8)
    for _ in 0..<1000 { try client.send(chunk) }
    try client.send("0\r\n\r\n")
    try await expectEqual(client.response().text, "20000000")
  }

  @Test func servesOthersWhileALargeResponseIsStuck() async throws {
    server.route("GET", "/large") { _ in .data(Data(count: 20_000_000)) }
    let stuck = try RawClient(port: server.port)
    try stuck.send("GET /large HTTP/1.1\r\nHost: t\r\n\r\n")
    let other = try RawClient(port: server.port)
    for _ in 0..<100 { try await expectEqual(other.get("/").status, 404) }
    try await expectEqual(stuck.response().body.count, 20_000_000)
  }

  @Test func answersThousandsOfPipelinedRequests() async throws {
    server.route("GET", "/*") { .text($0.path) }
    let client = try RawClient(port: server.port)
    let requests = (0..<5000).map { "GET /\($0) HTTP/1.1\r\nHost: t\r\n\r\n" }
    try client.send(requests.joined())
    for number in 0..<5000 { try await expectEqual(client.response().text, "/\(number)") }
  }
}
