import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

/// A text literal is a request, and the options of a request can be changed wherever it comes from.
struct RequestTextTests {
  private let stubbed = Stubbed()

  private enum Shop: Endpoint {
    case lamp
    var request: Request { "/lamp" }
  }

  @Test func aLiteralIsAGetOfAnEscapedPath() throws {
    let id = "a/b ?"
    let request: Request = "/users/\(id)"
    expectEqual(request.method, .get)
    try expectEqual(stubbed.target(request), "/users/a%2Fb%20%3F")
    let plain: Request = "/users?page=2"
    try expectEqual(stubbed.target(plain), "/users?page=2")
    let raw: Request = "/files/\(raw: "a/b")"
    try expectEqual(stubbed.target(raw), "/files/a/b")
    let missing: Int? = nil
    let refused: Request = "/users/\(missing)"
    let error = #expect(throws: NetworkError.self) { try stubbed.target(refused) }
    expectEqual(error?.code, .invalidURL)
  }

  @Test func aURLTakesSettings() throws {
    let url = try require(URL(string: "https://b.example/a%20b?c=d"))
    let request = Request(.post, url, query: ["e": 1], cache: .reload)
    expectEqual(request.method, .post)
    expectEqual(request.options.cache, .reload)
    try expectEqual(stubbed.client.httpRequest(for: request).address, "https://b.example/a%20b?c=d&e=1")
    try expectEqual(stubbed.client.httpRequest(for: url).address, "https://b.example/a%20b?c=d")
  }

  @Test func optionsAreChangedWhereverARequestComesFrom() throws {
    let typed = Request(.get, "/lamp", cache: .http).returning(Int.self).with { $0.cache = .reload }
    try expectEqual(typed.asRequest().options.cache, .reload)
    let twice = typed.with { $0.priority = .low }.with { $0.cache = .none }
    try expectEqual(twice.asRequest().options.cache, CachePolicy.none)
    try expectEqual(twice.asRequest().options.priority, .low)
    try expectEqual(Shop.lamp.with { $0.idleTimeout = .seconds(3) }.asRequest().options.idleTimeout, .seconds(3))
    try expectEqual(Shop.lamp.with { $0.cache = .reload }.asRequest().path, "/lamp")
  }

  @Test func variablesAreSetAsParameters() throws {
    enum Sort: String, ParameterConvertible { case newest }
    let (page, text, missing) = (2, "a b", nil as Int?)
    var parameters = Parameters()
    parameters["page"] = page
    parameters["q"] = text
    parameters["sort"] = Sort.newest
    parameters["since"] = Date(timeIntervalSince1970: 0)
    parameters["size"] = 20
    parameters["flag"] = true
    parameters["max"] = missing
    parameters["tags"] = ["a", "b"]
    let literal: Parameters = [
      "page": page, "q": text, "sort": Sort.newest, "since": Date(timeIntervalSince1970: 0), "size": 20, "flag": true,
      "tags": ["a", "b"],
    ]
    try expectEqual(
      stubbed.target(Request(.get, "/x", parameters: parameters)),
      stubbed.target(Request(.get, "/x", parameters: literal)))
    try expect(stubbed.target(Request(.get, "/x", parameters: parameters)).hasPrefix("/x?page=2&q=a%20b&sort=newest"))
    parameters["page"] = nil
    expectNil(parameters["page"])
    expectEqual(parameters["size"], 20)
    expectEqual(parameters["q"], "a b")
  }
}
