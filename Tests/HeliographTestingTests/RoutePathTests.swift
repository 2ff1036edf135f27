import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// One matcher for the paths of stubs and servers: the same routes match the same requests in both.
struct RoutePathTests {
  static let cases: [(route: String, target: String, matches: Bool)] = [
    ("/users/1", "/users/1", true),
    ("users/1", "/users/1", true),
    ("/users/1", "/users/1?page=2", true),
    ("/users/1", "/users/2", false),
    ("/users/1", "/users/1/", false),
    ("/users/1/", "/users/1/", true),
    ("/users/*", "/users/1", true),
    ("/users/*", "/users/", true),
    ("/users/*", "/users", false),
    ("/users/*", "/users/1/photos", false),
    ("/users/*/photos", "/users/1/photos", true),
    ("/users/*/photos/**", "/users/1/photos/2/large", true),
    ("/users/**", "/users/1/photos", true),
    ("/users/**", "/users", true),
    ("/users/**", "/orders/1", false),
    ("/**", "/a/b", true),
    ("*", "/", true),
    ("*", "/a/b?c=d", true),
    ("/users?page=2", "/users?page=2", true),
    ("/users?page=2", "/users?sort=name&page=2", true),
    ("/users?page=2", "/users?page=3", false),
    ("users?q=a%20b", "/users?q=a%20b", true),
    ("/a b", "/a%20b", true),
    ("/a%20b", "/a%20b", true),
    ("/a/b", "/a%2Fb", false),
    ("/a%2Fb", "/a%2Fb", true),
    ("/a%2fb", "/a%2Fb", true),
    ("/a%2Fb", "/a%2fb", true),
    ("/caf%c3%a9", "/caf%C3%A9", true),
    ("http://HOST/users/1", "/users/1", true),
    ("http://HOST/users?page=2", "/users?page=2", true),
    ("http://HOST", "/", true),
    ("http://other.example/users/1", "/users/1", false),
  ]

  @Test(arguments: cases.indices) func isTheSameInStubAndServer(index: Int) async throws {
    let (route, target, matches) = Self.cases[index]
    let server = try LoopbackServer()
    let host = "127.0.0.1:\(server.port)"
    let path = route.replacing("HOST", with: host)
    server.route("GET", path) { _ in .text("yes") }
    let client = try RawClient(port: server.port)
    try client.send("GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
    try await expectEqual(client.response().status, matches ? 200 : 404, "\(path) \(target)")
    expectEqual(server.log.requests(to: path).count, matches ? 1 : 0, "\(path) \(target)")

    let stub = StubTransport()
    stub.on(.get, path, .text("yes"))
    let request = HTTPRequest(method: .get, url: try require(URL(string: "http://\(host)\(target)")))
    let recorder = SignalRecorder(stub.send(request))
    expectEqual(recorder.failure == nil, matches, "\(path) \(target)")
    expectEqual(stub.requests(to: RequestPath(path)).count, matches ? 1 : 0, "\(path) \(target)")
    expectEqual(stub.requests(to: RequestPath(path), method: .post).count, 0)
  }

  @Test(arguments: [
    ("https://api.example.com:443/x", "https://api.example.com/x", true),
    ("https://api.example.com/x", "https://api.example.com:443/x", true),
    ("http://api.example.com:80/x", "http://API.example.com/x", true),
    ("http://api.example.com:443/x", "http://api.example.com/x", false),
    ("https://api.example.com:8443/x", "https://api.example.com/x", false),
  ])
  func aDefaultPortMayBeOmitted(_ route: String, _ url: String, _ matches: Bool) throws {
    let stub = StubTransport()
    stub.on(.get, route, .text("yes"))
    let recorder = SignalRecorder(stub.send(HTTPRequest(url: try require(URL(string: url)))))
    expectEqual(recorder.failure == nil, matches)
  }

  @Test func aLiteralSegmentPrecedesAWildcardWhateverTheOrder() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/users/me") { _ in .text("me") }
    server.route("*", "/users/*") { _ in .text("any") }
    server.route("*", "*") { _ in .text("rest") }
    let client = try RawClient(port: server.port)
    try await expectEqual(client.get("/users/me").text, "me")
    try await expectEqual(client.get("/users/7").text, "any")
    try await expectEqual(client.get("/orders/7").text, "rest")
    let kit = TestKit()
    kit.stub.on(.get, "/users/me", .text("me"))
    kit.stub.on(.get, "/users/*", .text("any"))
    kit.stub.on("*", "*", .text("rest"))
    try await expectEqual(kit.client.value(of: "/users/me", as: String.self), "me")
    try await expectEqual(kit.client.value(of: "/users/7", as: String.self), "any")
    try await expectEqual(kit.client.value(of: Request(.put, "/orders/7"), as: String.self), "rest")
    try kit.stub.verify()
  }

  @Test func aGetRouteAnswersHead() async throws {
    let kit = TestKit()
    kit.stub.on(.get, "/a", .text("body").header("ETag", "v1"))
    let head = try await kit.client.send(Request(.head, "/a"))
    expectEqual(head.headers["ETag"], "v1")
    expect(head.value.isEmpty)
    kit.stub.on(.head, "/a", .status(204))
    try await expectEqual(kit.client.send(Request(.head, "/a")).statusCode, 204)
  }
}
