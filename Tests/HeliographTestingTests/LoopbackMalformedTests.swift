import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// Requests that no client should send.
struct LoopbackMalformedTests {
  let server: LoopbackServer
  let client: RawClient

  init() throws {
    server = try LoopbackServer()
    server.route("*", "*") { _ in .status(200) }
    client = try RawClient(port: server.port)
  }

  @Test(arguments: [
    ("nonsense\r\n\r\n", 400),
    ("GET /\r\n\r\n", 400),
    ("GET  / HTTP/1.1\r\nHost: t\r\n\r\n", 400),
    ("G(T / HTTP/1.1\r\nHost: t\r\n\r\n", 400),
    ("GET / FTP/1.1\r\nHost: t\r\n\r\n", 400),
    ("GET / HTTP/2.0\r\nHost: t\r\n\r\n", 505),
    ("GET / HTTP/1.1\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
    ("GET / HTTP/1.1\nHost: t\n\n", 400),
    ("GET / HTTP/1.1\r\nHost : t\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: t\r\n folded\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: t\r\nnocolon\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: t\r\nX: a\u{0}b\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: -1\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: +1\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 99999999999999999999\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 9999999999\r\n\r\n", 413),
    ("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
    ("POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n7FFFFFFFFFFFFFF\r\n", 413),
    ("POST / HTTP/1.1\r\nHost: t\r\nExpect: miracles\r\n\r\n", 417),
  ])
  func refusesAndCloses(request: String, status: Int) async throws {
    try client.send(request)
    let response = try await client.response()
    expectEqual(response.status, status)
    expectEqual(response.header("Connection"), "close")
    try await expect(client.bytesToEnd().isEmpty)
    expect(server.log.requests.isEmpty)
    expectEqual(server.log.connections[0].isClosedByClient, false)
  }

  @Test func refusesAHeadOfMoreThan64KiB() async throws {
    try client.send("GET / HTTP/1.1\r\nHost: t\r\n")
    let line = "X-Filler: " + String(repeating: "a", count: 1000) + "\r\n"
    for _ in 0..<70 { try client.send(line) }
    try await expectEqual(client.response().status, 431)
    try await expect(client.bytesToEnd().isEmpty)
  }

  @Test func takesAHeadOfJustUnder64KiB() async throws {
    let fixed = "GET / HTTP/1.1\r\nHost: t\r\nX: \r\n\r\n"
    let filler = String(repeating: "a", count: 65_536 - fixed.utf8.count)
    try client.send(fixed.replacing("X: ", with: "X: " + filler))
    try await expectEqual(client.response().status, 200)
  }

  @Test func takesARequestByteByByteAfterEmptyLines() async throws {
    for byte in "\r\n\r\nPOST /x HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\n\r\nok".utf8 {
      try client.send(Data([byte]))
    }
    try await expectEqual(client.response().status, 200)
    expectEqual(server.log.requests[0].bodyText, "ok")
  }
}
