import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// What a stub says of an unmatched request, and what it reports at the end of a test.
struct StubVerificationTests {
  private let kit = TestKit()

  /// The text of the error of a request that no route answers.
  private func problem(_ request: Request, in kit: TestKit? = nil) throws -> String {
    let recorder = SignalRecorder((kit ?? self.kit).client.enqueue(request: request, resultType: JSON.self))
    let error = try require(recorder.failure)
    expectEqual(error.code, .unexpectedRequest)
    return "\(error)"
  }

  private func expectProblem(_ request: Request, _ text: String, line: Int = #line) throws {
    let found = try problem(request)
    expect(found.contains(text), "\(found) lacks \(text)", line: line)
    expectEqual(found.split(separator: "://").count, 2, "the URL is there once: \(found)", line: line)
  }

  private struct Broken: Error {}

  /// A helper of a test that throws, such as `decode`, needs no `try?`, and its error is not lost.
  @Test func anErrorOfAClosureIsAFailureThatVerifyReports() throws {
    kit.stub.on(.post, "/count") { .json(try $0.decode(as: [Int].self).count) }
    kit.stub.on("*", String("/broken")) { _ in throw Broken() }
    kit.stub.on(.get, "/late") { _ in throw NetworkError(.timedOut) }
    try expectProblem(Request(.get, "/broken"), "the stub's closure threw Broken()")
    let count = SignalRecorder(
      kit.client.enqueue(request: Request(.post, "/count", body: .json([1, 2])), resultType: Int.self))
    expectEqual(count.values.map(\.value), [2])
    expectEqual(kit.stub.unexpectedRequests.map(\.url.path), ["/broken"])
    #expect(throws: (any Error).self) { try kit.stub.verify() }
    let late = SignalRecorder(kit.client.enqueue(request: "/late"))
    expectEqual(late.failure?.code, .timedOut)
    expectEqual(late.failure?.request?.url.path, "/late")
    expectEqual(kit.stub.unexpectedRequests.count, 1)
  }

  @Test("P10") func namesTheDifferenceFromTheNearestRoute() throws {
    let stub = kit.stub
    stub.on(.get, "/users?page=2", .json("[]"))
    stub.on(.get, "/users/9", .json("{}"))
    stub.on(.get, "/reports", headers: ["Accept": "text/csv"], .json("{}"))
    stub.on(.post, "/orders", body: { $0.isEmpty }, .json("{}"))
    stub.on(.get, "/none")
    try expectProblem(
      Request(.get, "/users", query: ["page": 3]),
      "the nearest is GET /users?page=2, but the query has page=3, not page=2 (4 other routes)")
    try expectProblem(Request(.get, "/users"), "GET /users?page=2, but the query lacks page=2")
    try expectProblem(Request(.get, "/users/10"), "GET /users/9, but the path is /users/10, not /users/9")
    try expectProblem(Request(.get, "/users/9/"), "GET /users/9, but the path is /users/9/, not /users/9")
    try expectProblem(Request(.put, "/users/9"), "GET /users/9, but the method is PUT, not GET")
    try expectProblem(
      Request(.get, "/reports", headers: ["Accept": "text/html"]),
      "GET /reports with Accept: text/csv, but the header has Accept: text/html, not Accept: text/csv")
    try expectProblem(
      Request(.post, "/orders", body: .json(["id": 7])),
      "POST /orders with a condition on the body, but the condition on the body is false for 8 bytes: {\"id\":7}")
    let secret = try problem(Request(.post, "/orders", body: .json(["password": "hunter2"])))
    expect(secret.contains("password") && !secret.contains("hunter2"), "\(secret)")
    let text = Data(String(repeating: "a", count: 300).utf8)
    let long = try problem(Request(.post, "/orders", body: .data(text, contentType: "text/plain")))
    expect(long.contains(" 300 bytes: " + String(repeating: "a", count: 197)), "\(long)")
    expect(!long.contains(String(repeating: "a", count: 201)), "\(long)")
    try expectProblem(
      Request(.post, "/orders", body: .data(Data([0xFF, 0]), contentType: "image/x")), "false for 2 bytes (")
    try expectProblem(Request(.get, "/none"), "GET /none, but it has no answers")
    let versioned = TestKit(baseURL: URL(string: "https://api.example.com/v1"))
    try expect(problem(Request(.get, "/users/1"), in: versioned).contains("the stub has no routes"))
    versioned.stub.on(.get, "/users/1", .json("{}"))
    try expect(problem(Request(.get, "/users/1"), in: versioned).contains("the path is /v1/users/1, not /users/1"))
    let hosts = TestKit()
    hosts.stub.on(.get, "https://other.example.com/users/1", .json("{}"))
    try expect(
      problem(Request(.get, "/users/1"), in: hosts).contains("the host is api.example.com, not other.example.com"))
  }

  @Test func showsNoSecret() throws {
    kit.stub.on(.get, "/a", query: ["token": "hunter2"], headers: ["Authorization": "Bearer hunter3"], .json("{}"))
    let request = Request(.get, "/a", query: ["token": "hunter4"], headers: ["Authorization": "Bearer hunter5"])
    let found = try problem(request)
    expect(!found.contains("hunter"), "\(found)")
    expect(found.contains("token=<redacted>"), "\(found)")
  }

  @Test func verificationListsUnexpectedRequestsAndUnusedRoutes() async throws {
    kit.stub.on(.get, "/a", .json("1"))
    kit.stub.on(.get, "/b", .json("1"), .json("2"))
    kit.stub.on(.get, "/never", .json("1"))
    try await expectEqual(kit.client.value(of: "/a", as: Int.self), 1)
    try await expectEqual(kit.client.value(of: "/b", as: Int.self), 1)
    let missing = SignalRecorder(kit.client.exchange(request: "/c?page=2"))
    expect(missing.failure != nil)
    do {
      try kit.stub.verify()
      expect(false, "it has found nothing")
    } catch let error as StubVerificationError {
      let problems = error.problems
      try require(problems.count == 3)
      expect(problems[0].hasPrefix("GET https://api.example.com/c"), problems[0].comment)
      expect(problems[0].contains("the path is /c, not /"), problems[0].comment)
      expectEqual(problems[1], "GET /b has 2 answers and was requested once")
      expectEqual(problems[2], "GET /never was not requested")
      expectEqual("\(error)", problems.joined(separator: "\n"))
    }
    #expect(throws: StubVerificationError.self) { try kit.stub.verify(unusedRoutes: false) }
    kit.stub.forgetRequests()
    try kit.stub.verify(unusedRoutes: false)
    try await expectEqual(kit.client.value(of: "/b", as: Int.self), 2)
    try await expectEqual(kit.client.value(of: "/never", as: Int.self), 1)
    try kit.stub.verify()
    expectEqual(kit.stub.requests(to: "/b").count, 1)
    expectEqual(kit.stub.requests(to: "/*", method: .get).count, 2)
  }

  @Test func theOrderOfAQueryDoesNotDistinguishRoutes() async throws {
    kit.stub.on(.get, "/a?x=1&y=2", .json("1"))
    kit.stub.on(.get, "/a?y=2&x=1", .json("2"))
    kit.stub.on(.get, "/a?y=2", query: ["x": "1"], .json("3"))
    kit.stub.on(.get, "/b?x=1&x=2", .json("1"))
    kit.stub.on(.get, "/b?x=2&x=1", .json("2"))
    try await expectEqual(kit.client.value(of: "/a?y=2&x=1", as: Int.self), 3)
    try await expectEqual(kit.client.value(of: "/b?x=1&x=2", as: Int.self), 2)
    try kit.stub.verify()
  }

  /// Thousands of routes are compared for each request.
  @Test func aRecordedRequestIsDecoded() async throws {
    struct Order: Codable, Equatable, Sendable { let id: Int }
    for index in 0..<2_000 { kit.stub.on(.post, "/orders/\(index)", .status(204)) }
    let request = Request(.post, "/orders/7", body: .json(Order(id: 7)))
    _ = try await kit.client.send(request, as: NoContent.self)
    let sent = try require(kit.stub.requests(to: "/orders/7").first)
    try expectEqual(sent.decode(as: Order.self), Order(id: 7))
    expectEqual(sent.bodyData, Data(#"{"id":7}"#.utf8))
  }
}

extension String {
  fileprivate var comment: Comment { Comment(rawValue: self) }
}
