import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// Requests with the same meaning are equal: neither the order of members nor that of query items matters.
struct CassetteMatchingTests {
  private let file = FileManager.default.temporaryDirectory.appendingPathComponent("matching-\(UUID().uuidString).json")

  private func client(over next: (any Transport)?) throws -> NetworkClient {
    let transport = try CassetteTransport(file: file, recording: next)
    return NetworkClient(.init(baseURL: URL(string: "https://api.example.com"), transport: transport))
  }

  private func recorded(_ request: Request) async throws -> NetworkClient {
    let stub = StubTransport()
    stub.on("*", "*", .text("ok"))
    _ = try await client(over: stub).value(of: request, as: String.self)
    return try client(over: nil)
  }

  private func post(_ body: String) -> Request {
    Request(.post, "/orders", body: .data(Data(body.utf8), contentType: "application/json"))
  }

  @Test(arguments: [
    (#"{"a": 1, "b": ["\u0078", 2]}"#, #"{"b":["x",2],"a":1}"#, true),
    (#"{"a":1,"token":"x"}"#, #"{ "token":"y", "a":1 }"#, true),
    // A reader of JSON may round both to the same number.
    (#"{"a":1.00000000000000001}"#, #"{"a":1.00000000000000002}"#, false),
    ("[1, 2]", "[1,2]", true), ("[1,2]", "[2,1]", false), (#"{"a":1}"#, #"{"a":2}"#, false),
    // A text is exact, a long number may be rounded.
    (#"{"id":"20260102030405001","a":1}"#, #"{"a":1,"id":"20260102030405001"}"#, true),
    (#"{"id":"\"12345678901234567","a":1}"#, #"{"a":1,"id":"\"12345678901234567"}"#, true),
    (#"{"a":12345678901234.5,"b":1}"#, #"{"b":1,"a":12345678901234.5}"#, true),
    (#"{"a":123456789,"b":123456789}"#, #"{"b":123456789,"a":123456789}"#, true),
    (#"{"a":123456789012345.5,"b":1}"#, #"{"b":1,"a":123456789012345.5}"#, false),
    (#"{"id":"\\","a":1.00000000000000001}"#, #"{"id":"\\","a":1.00000000000000002}"#, false),
    (#"[1.00000000000000001,"1"]"#, #"[1.00000000000000002,"1"]"#, false),
    // A text that is also JSON.
    ("1.0", "1.00", false),
  ])
  func bodiesOfJSONAreComparedByTheirValues(_ body: String, _ other: String, _ isEqual: Bool) async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let recorder = SignalRecorder(try await recorded(post(body)).exchange(request: post(other)))
    expectEqual(recorder.failure == nil, isEqual, "\(body) \(other)")
    let exchanges = try JSONDecoder().decode([JSON].self, from: Data(contentsOf: file))
    if !body.contains("token") { expectEqual(exchanges.first?["request"]["body"].string, body) }
  }

  /// A client sends none, but a redirect may lead to a URL with a fragment.
  @Test func aFragmentIsNoQueryItem() throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let stub = StubTransport()
    stub.on("*", "*", .text("ok"))
    for (target, next) in [("/a?y=1&x=2#b&a", stub), ("/a?x=2&y=1#b&a", nil)] {
      let url = try require(URL(string: "https://api.example.com" + target))
      let transport = try CassetteTransport(file: file, recording: next)
      expectNil(SignalRecorder(transport.send(HTTPRequest(url: url))).failure)
    }
  }

  /// The target of a request, that of the next one, and the explanation of their difference; `nil` without any.
  private static let queries: [(target: String, next: String, reason: String?)] = [
    ("/a?x=1&y=2&z", "/a?z&y=2&x=1", nil), ("/a?x=1&token=b&y=2", "/a?y=2&x=1&token=c", nil),
    ("/a?y=0&x=1&x=2", "/a?x=1&x=2&y=0", nil),
    ("/a?x=1&x=2", "/a?x=2&x=1", "GET //api.example.com/a?x=1&x=2, but only the spelling differs"),
    ("/a?x=%7e", "/a?x=%7E", "but only the spelling differs"),
    ("/a?x=1", "/a?x=1&x=2", "but the query also has x=2"), ("/a?x=1", "/a?x=1&x=1", "but the query also has x=1"),
    ("/a?x=1&y=2", "/a?x=1", "but the query lacks y=2; use"),
    ("/a?x=1&x=1", "/a?x=1&x=2", "but the query also has x=2; the query lacks x=1;"),
    ("/a?x=1&x=1", "/a?x=1", "but the query lacks x=1"), ("/a?x=1", "/a?x=2", "but the query has x=2, not x=1;"),
  ]

  @Test(arguments: queries.indices) func theOrderOfQueryItemsIsNotCompared(_ index: Int) async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let (target, next, reason) = CassetteMatchingTests.queries[index]
    let request = { (target: String) in Request(.get, RequestPath(target)) }
    let recorder = SignalRecorder(try await recorded(request(target)).exchange(request: request(next)))
    let problem = recorder.failure.map { "\($0)" }
    if let reason {
      expect(problem?.contains(reason) == true, "\(problem ?? "")")
    } else {
      expectNil(problem)
    }
  }
}
