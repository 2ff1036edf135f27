import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// A call has every member of a request, so that none is misspelt or forgotten unnoticed.
struct CallMembersTests {
  private func members(of text: Substring, _ pattern: Regex<(Substring, Substring, Substring)>) -> [String: String] {
    let found = text.matches(of: pattern).map { (String($0.output.1), String($0.output.2)) }
    return Dictionary(uniqueKeysWithValues: found)
  }

  /// The text from one mark to the next one.
  private func part(of path: String, from start: String, to end: String) throws -> Substring {
    let text = try Repository.text(of: "Sources/Heliograph/" + path)
    let begin = try require(text.range(of: start)).upperBound
    return text[begin..<(try require(text.range(of: end, range: begin..<text.endIndex)).lowerBound)]
  }

  @Test func aCallHasEachMemberOfARequest() throws {
    let request = members(
      of: try part(of: "Request/Request.swift", from: "public struct Request:", to: "public init("),
      /\n  public var (\w+): ([^\n]+?) \{\n/)
    let call = try part(of: "Calls/Call.swift", from: "open class Call", to: "open nonisolated func asRequest")
    let overridable = members(of: call, /\n  open nonisolated var (\w+): ([^\n]+?) \{\s/)
    expectEqual(request.count, 8)
    expectEqual(request["query"], "Parameters")
    expectEqual(request["service"], "ServiceID?")
    expectEqual(overridable, request)
  }

  private final class Things: Call<NoContent> {
    static nonisolated let settings = RequestOptions.with {
      $0.idleTimeout = .seconds(3)
      $0.common = ["php"]
    }

    override nonisolated var path: RequestPath { "things/\("a/b")" }
    override nonisolated var method: HTTPMethod { .put }
    override nonisolated var service: ServiceID? { "books" }
    override nonisolated var query: Parameters { ["dryRun": true] }
    override nonisolated var parameters: Parameters { ["limit": 5] }
    override nonisolated var headers: HTTPHeaders { ["X-Own": "1"] }
    override nonisolated var body: RequestBody { .json(["id": 7]) }
    override nonisolated var options: RequestOptions { Self.settings }
  }

  private final class Plain: Call<NoContent> {
    override nonisolated var path: RequestPath { "things/\("a/b")" }
  }

  private static let request = Request(
    .put, "things/\("a/b")", service: "books", query: ["dryRun": true], parameters: ["limit": 5],
    headers: ["X-Own": "1"], body: .json(["id": 7]), options: Things.settings)

  private let stubbed = Stubbed { $0.services = ServiceRegistry([Bookshop()]) }

  @Test func aCallThatStatesAllIsTheSameRequest() throws {
    let built = try stubbed.client.httpRequest(for: Things(client: stubbed.client))
    try expectEqual(built, stubbed.client.httpRequest(for: Self.request))
    expectEqual(built.method, .put)
    expectEqual(built.text, #"{"id":7}"#)
    expectEqual(built.idleTimeout, .seconds(3))
    expectEqual(built.headers["X-Own"], "1")
    expectEqual(built.headers["X-Set"], "php")
    let root = "https://books-release.example.com/v1/things/a%2Fb"
    expectEqual(built.address, root + "?dryRun=true&device=p&token=t&limit=5")
  }

  private static let changes: [@Sendable (inout Request) -> Void] = [
    { $0.method = .post }, { $0.path = "things" }, { $0.service = nil }, { $0.query = [:] }, { $0.parameters = [:] },
    { $0.headers = [:] }, { $0.body = .empty }, { $0.options.idleTimeout = nil },
  ]

  @Test func eachMemberMakesADifference() throws {
    let built = try stubbed.client.httpRequest(for: Things(client: stubbed.client))
    for (index, change) in Self.changes.enumerated() {
      var request = Self.request
      change(&request)
      if request.service == nil { request.options.common = nil }
      try expect(built != stubbed.client.httpRequest(for: request), "\(index)")
    }
  }

  @Test func aCallHasTheDefaultsOfARequest() throws {
    let built = try stubbed.client.httpRequest(for: Plain(client: stubbed.client))
    try expectEqual(built, stubbed.client.httpRequest(for: "things/\("a/b")"))
    expect(built.address == "https://a.example/v1/things/a%2Fb" && built.method == .get && built.body == .empty)
  }
}
