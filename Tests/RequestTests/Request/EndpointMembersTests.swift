import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// An endpoint has every member of a request, so that none is misspelt or forgotten unnoticed.
struct EndpointMembersTests {
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

  @Test func aRequirementForEachMemberOfARequest() throws {
    let request = members(
      of: try part(of: "Request/Request.swift", from: "public struct Request:", to: "public init("),
      /\n  public var (\w+): ([^\n]+?) \{\n/)
    let endpoint = try part(of: "Request/Endpoint.swift", from: "public protocol Endpoint:", to: "\n}\n")
    let requirements = members(of: endpoint, /\n  var (\w+): ([^\n]+?) \{ get \}/)
    expectEqual(request.count, 8)
    expectEqual(request["query"], "Parameters")
    expectEqual(request["service"], "ServiceID?")
    expectEqual(requirements, request)
    // All but the path have defaults.
    let defaults = members(
      of: try part(of: "Request/Endpoint.swift", from: "extension Endpoint {", to: "public func asRequest"),
      /\n  public var (\w+): ([^\n]+?) \{\s/)
    expectEqual(defaults, request.filter { $0.key != "path" })
  }

  @Test func theAddressesOfAServiceHaveNoDefault() throws {
    let signature = "func addresses(in environment: ServiceEnvironment) -> ServiceAddresses?"
    let lines = try Repository.text(of: "Sources/Heliograph/Service/Service.swift").split(separator: "\n")
    let code = lines.filter { !$0.contains("///") }.joined(separator: "\n")
    expectEqual(code.ranges(of: "addresses").count, 1)
    expect(code.contains("\n  " + signature + "\n"))
    try expect(part(of: "Service/Service.swift", from: "public protocol Service:", to: "\n}\n").contains(signature))
  }

  private enum Things: Endpoint {
    case all
    case plain

    static let options = RequestOptions.with {
      $0.idleTimeout = .seconds(3)
      $0.common = ["php"]
    }

    var path: RequestPath { "things/\("a/b")" }
    var method: HTTPMethod { self == .all ? .put : .get }
    var service: ServiceID? { self == .all ? "books" : nil }
    var query: Parameters { self == .all ? ["dryRun": true] : [:] }
    var parameters: Parameters { self == .all ? ["limit": 5] : [:] }
    var headers: HTTPHeaders { self == .all ? ["X-Own": "1"] : [:] }
    var body: RequestBody { self == .all ? .json(["id": 7]) : .empty }
    var options: RequestOptions { self == .all ? Self.options : RequestOptions() }
  }

  private static let request = Request(
    .put, "things/\("a/b")", service: "books", query: ["dryRun": true], parameters: ["limit": 5],
    headers: ["X-Own": "1"], body: .json(["id": 7]), options: Things.options)

  private let stubbed = Stubbed { $0.services = ServiceRegistry([Bookshop()]) }

  @Test func anEndpointThatStatesAllIsTheSameRequest() throws {
    let built = try stubbed.client.httpRequest(for: Things.all)
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
    let built = try stubbed.client.httpRequest(for: Things.all)
    for (index, change) in Self.changes.enumerated() {
      var request = Self.request
      change(&request)
      if request.service == nil { request.options.common = nil }
      try expect(built != stubbed.client.httpRequest(for: request), "\(index)")
    }
  }

  @Test func anEndpointHasTheDefaultsOfARequest() throws {
    let built = try stubbed.client.httpRequest(for: Things.plain)
    try expectEqual(built, stubbed.client.httpRequest(for: "things/\("a/b")"))
    expect(built.address == "https://a.example/v1/things/a%2Fb" && built.method == .get && built.body == .empty)
  }
}
