import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// What is refused before it is sent: by the builder, and by each transport where middleware has changed it since.
struct RequestCheckTests {
  private func codes(
    _ kind: TransportKind, _ url: URL, _ headers: HTTPHeaders = [:], method: HTTPMethod = .get,
    body: HTTPBody = .empty
  ) async throws -> NetworkError.Code? {
    let request = HTTPRequest(method: method, url: url, headers: headers, body: body)
    let recorder = SignalRecorder(try kind.transport().send(request))
    await recorder.waitForEnd()
    if let error = recorder.failure { expectEqual(error.domain, .client) }
    return recorder.failure?.code
  }

  @Test("S1-11", arguments: TransportKind.present)
  func whatWouldSayAnotherThingOnTheWireIsNotSent(_ kind: TransportKind) async throws {
    let server = try LoopbackServer()
    server.route("*", "/*") { _ in .text("") }
    let url = server.url("/a")
    let body = HTTPBody.data(Data("body".utf8))
    for (name, value) in [
      ("Connection", "close"), ("Connection", "Upgrade"), ("Upgrade", "websocket"), ("TE", "trailers"),
      ("keep-alive", "1"), ("Proxy-Connection", "close"), ("Transfer-Encoding", "chunked"), ("Trailer", "X"),
      ("X", "a\u{1}b"), ("X", "a\u{7F}"), ("X", "a\nb"),
    ] {
      try await expectEqual(codes(kind, url, [name: value]), .invalidHeader, "\(name): \(value)")
    }
    for value in ["+4", "04", " 4", "5", "4, 4"] {
      let headers: HTTPHeaders = ["Content-Length": value]
      try await expectEqual(codes(kind, url, headers, method: .post, body: body), .invalidHeader, "\(value)")
    }
    let twice = HTTPHeaders(["4", "4"].map { .init(name: "Content-Length", value: $0) })
    try await expectEqual(codes(kind, url, twice, method: .post, body: body), .invalidHeader)
    let hosts = HTTPHeaders(["a", "a"].map { .init(name: "Host", value: $0) })
    try await expectEqual(codes(kind, url, hosts), .invalidHeader)
    for method in [HTTPMethod("CONNECT"), "TRACE"] {
      try await expectEqual(codes(kind, url, method: method), .invalidMethod)
    }
    expect(server.log.requests.isEmpty)
    try await expectNil(codes(kind, url, ["Content-Length": "4", "X": "a\tb"], method: .post, body: body))
    expectEqual(server.log.requests.map(\.bodyText), ["body"])
  }

  @Test(
    arguments: TransportKind.present,
    [
      "file:///etc/passwd", "ftp://a.example/", "/a", "http:///a", "http://ada:pw@127.0.0.1/", "data:,a",
    ])
  func whatIsNotHTTPIsNotAsked(_ kind: TransportKind, _ address: String) async throws {
    try await expectEqual(codes(kind, require(URL(string: address))), .invalidURL)
  }
}
