import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

/// To which addresses goes what a client and its services add.
struct OwnOriginsTests {
  private struct Adding: RequestFilter {
    let name: String

    func filter(_ draft: inout RequestDraft) throws(NetworkError) {
      draft.query.append(ParameterPair(name, "1"))
    }
  }

  private struct Moving: RequestFilter, Signer {
    let target: String

    func filter(_ draft: inout RequestDraft) throws(NetworkError) {
      if let url = URL(string: target) { draft.url = url }
    }

    func sign(_ draft: inout RequestDraft) throws(NetworkError) { try filter(&draft) }
  }

  private struct Coded: Service {
    let parameterRules: ParameterRules
    func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? { nil }
  }

  private let shop = Bookshop(signer: HMACSigner(key: Data("key".utf8)), filters: [Adding(name: "s")])

  private func builder(_ services: any Service..., in environment: ServiceEnvironment = .test) -> RequestBuilder {
    var builder = RequestBuilder(
      baseURL: URL(string: "https://api.example/v1"),
      headers: ["X-App": "key", "User-Agent": "shop", "Range": "x", "Accept-Session-Token": "x"])
    builder.services = ServiceRegistry(services)
    builder.environments = EnvironmentStore(build: environment, storage: .memory())
    builder.filters = [Adding(name: "c")]
    return builder
  }

  /// What was added: by the client, by a client's filter, by the service, by its filter and its signer.
  private func additions(_ request: HTTPRequest) -> String {
    let query = request.url.query ?? ""
    return [
      ("h", request.headers["X-App"] != nil), ("c", query.contains("c=1")), ("H", request.headers["X-Set"] != nil),
      ("p", query.contains("channel=1")), ("s", query.contains("s=1")), ("g", query.contains("sign=")),
    ].filter(\.1).map(\.0).joined()
  }

  @Test(
    "P13",
    arguments: [
      "/login?next=https://app.example/home", "login?a=1&next=http://evil.example", "/https://a.example/b",
      "/a://b", "a?next=http://b.example/?q=@:", "/redirect/https:/x",
    ])
  func anAddressInAPathOrAQueryIsNoAddress(_ path: String) throws {
    let built = try builder(shop).build(Request(.get, RequestPath(path), service: "books"))
    expectEqual(built.url.host, "books-test.example.com")
    expectEqual(additions(built), "hcHpsg")
    try expectEqual(additions(builder(shop).build(Request(.get, RequestPath(path)))), "hc")
  }

  @Test(
    "P13",
    arguments: [
      ("https://books-test.example.com/x", "hcHpsg", "hc"), ("HTTPS://cdn.example.com:443/y", "hcHpsg", "hc"),
      ("https://secondary-test.example.com", "hcHpsg", "hc"), ("https://api.example/x", "hc", "hc"),
      ("https://API.example:443/x", "hc", "hc"), ("https://papers-test.example.com/x", "hc", "hc"),
      ("https://trusted.example:1/x", "hcHpsg", "hc"), ("https://trusted.example/x", "", ""),
      ("https://books-release.example.com/x", "", ""), ("https://api.example:444/x", "", ""),
      ("https://api.example.evil.example/x", "", ""), ("https://evil.example/?https://api.example/", "", ""),
      ("https://evil.example#https://api.example/", "", ""), ("http://127.0.0.1/x", "", ""),
    ])
  func anAbsoluteAddressGetsWhatItsOriginMayHave(_ path: String, _ ofService: String, _ ofClient: String) throws {
    var builder = builder(shop, Bookshop(id: "papers"))
    builder.trustedOrigins = [Origin(host: "trusted.example", port: 1)]
    let built = try builder.build(Request(.get, RequestPath(path), service: "books", headers: ["X-Own": "1"]))
    expectEqual(additions(built), ofService)
    expectEqual(built.headers["X-Own"], "1")
    // What may cross origins goes everywhere.
    expectEqual(built.headers["User-Agent"], "shop")
    // Except a field with the name of a secret.
    expectEqual(built.headers["Accept-Session-Token"] == nil, ofService.isEmpty)
    let plain = try builder.build(Request(.get, RequestPath(path)))
    expectEqual(additions(plain), ofClient)
    expectEqual(builder.owns(plain.url), !ofClient.isEmpty)
  }

  @Test("P13") func anAddressOfTheRequestsOwnIsJudgedLikeAnyOther() throws {
    let builder = builder(shop)
    for (address, expected) in [("https://cdn.example.com/z", "hcHpsg"), ("https://mirror.example", "")] {
      let own = try require(URL(string: address))
      let options = RequestOptions.with { $0.address = .custom(own) }
      let built = try builder.build(Request(.get, "a", service: "books", options: options))
      expect(built.address.hasPrefix("\(address)/a"))
      expectEqual(additions(built), expected)
    }
  }

  @Test("P13") func ownIsWhatTheEnvironmentSays() throws {
    let builder = builder(shop)
    let store = try require(builder.environments)
    let test = try require(URL(string: "https://books-test.example.com/x"))
    let release = try require(URL(string: "https://books-release.example.com/x"))
    let typed = try require(URL(string: "http://127.0.0.1:9000/x"))
    expect(builder.owns(test))
    expect(!builder.owns(release))
    expect(!builder.owns(typed))
    try store.switch(to: .release)
    expect(!builder.owns(test))
    expect(builder.owns(release))
    try store.setCustomAddress(URL(string: "http://127.0.0.1:9000/mine"))
    try store.switch(to: .custom)
    expect(builder.owns(typed))
    expect(!builder.owns(release))
    try expectEqual(
      additions(builder.build(Request(.get, RequestPath(typed.absoluteString), service: "books"))), "hcHpsg")
  }

  @Test("P13") func withoutAnAddressOfItsOwnAClientAddsNothing() throws {
    var builder = RequestBuilder(headers: ["X-App": "key", "Accept": "a/b"])
    builder.services = ServiceRegistry()
    builder.filters = [Adding(name: "c")]
    let built = try builder.build(Request(.get, "https://a.example/b", headers: ["Authorization": "own"]))
    expectEqual(built.headers, ["Accept": "a/b", "Authorization": "own"])
    expectNil(built.url.query)
    expect(!builder.owns(built.url))
    builder.trustedOrigins = [Origin(host: "a.example")]
    try expectEqual(additions(builder.build(Request(.get, "https://a.example/b"))), "hc")
  }

  /// Whether the path is relative or a URL: what `makeURL` returns has none of the client's own origins.
  @Test("P13", arguments: ["/b", "https://a.example/b"])
  func withoutOriginsNothingIsAddedToAMadeURL(_ path: String) throws {
    var builder = RequestBuilder(headers: ["X-App": "key", "Accept": "a/b"])
    builder.services = ServiceRegistry()
    builder.filters = [Adding(name: "c")]
    builder.makeURL = { path, _ throws(NetworkError) in
      guard let url = URL(string: path.hasPrefix("/") ? "https://a.example\(path)" : path) else {
        throw NetworkError(.invalidURL)
      }
      return url
    }
    let signer = HMACSigner(key: Data("key".utf8))
    let request = Request(
      .get, RequestPath(path), headers: ["Authorization": "own"], options: .with { $0.signer = signer })
    let built = try builder.build(request)
    expect(built.url.absoluteString.hasPrefix("https://a.example/b?"), "\(built.url)")
    expectEqual(built.headers, ["Accept": "a/b", "Authorization": "own"])
    expectEqual(additions(built), "g", "the request's own signer")
    // With origins of its own, the client does not send its additions elsewhere, and says so.
    var other = builder
    other.baseURL = URL(string: "https://api.example")
    if path == "/b" {
      let failure = #expect(throws: NetworkError.self) { try other.build(request) }
      expectEqual(failure?.code, .untrustedOrigin)
    } else {
      try expectEqual(additions(other.build(request)), "g")
    }
    builder.trustedOrigins = [Origin(host: "a.example")]
    try expectEqual(additions(builder.build(request)), "hcg")
  }

  @Test(arguments: ["ftp://a.example/b", "b", "https://ada:pw@a.example"], [nil, URL(string: "https://a.example")])
  func aMadeURLThatIsNoHTTPURLIsInvalid(_ address: String, _ base: URL?) throws {
    let url = try require(URL(string: address))
    var builder = RequestBuilder(baseURL: base)
    builder.services = ServiceRegistry()
    builder.makeURL = { _, _ in url }
    let failure = #expect(throws: NetworkError.self) { try builder.build(Request(.get, "/b")) }
    expectEqual(failure?.code, .invalidURL)
    expectEqual(failure?.reason.contains("pw"), false)
  }

  @Test(
    "P13",
    arguments: [
      ("https://books-test.example.com/v2/a", nil), ("https://cdn.example.com/a", nil),
      ("https://api.example/a", NetworkError.Code.untrustedOrigin), ("https://evil.example/a", .untrustedOrigin),
    ])
  func aFilterOrSignerMovesARequestToOwnOriginsOnly(_ target: String, _ code: NetworkError.Code?) {
    let moving = Moving(target: target)
    for (filters, signer) in [([moving], nil), ([], moving)] as [([Moving], Moving?)] {
      do throws(NetworkError) {
        _ = try builder(Bookshop(filters: filters)).build(
          Request(.get, "a", service: "books", options: .with { $0.signer = signer }))
        expectNil(code)
      } catch {
        expectEqual(error.code, code)
        expectEqual(error.domain, .client)
      }
    }
  }

  @Test func anAddressOfAnotherOriginIsWrittenByTheRulesOfTheService() throws {
    var rules = ParameterRules()
    rules.arrays = .repeated
    let request = Request(
      .post, "https://elsewhere.example/a", service: "Coded", body: .form(["a": [1, 2]]))
    try expectEqual(builder(Coded(parameterRules: rules)).build(request).text, "a=1&a=2")
  }

  /// The rule replaces the base URL, and an absolute address as well.
  @Test("P13") func aRuleForAddressesLeadsToOwnOriginsOnly() throws {
    var builder = builder(shop)
    for (target, code) in [
      ("https://books-test.example.com/a", nil), ("https://api.example/a", NetworkError.Code.untrustedOrigin),
      ("https://evil.example/a", .untrustedOrigin),
    ] {
      let url = try require(URL(string: target))
      builder.makeURL = { _, _ throws(NetworkError) in url }
      for path in ["a", "https://cdn.example.com/a"] as [RequestPath] {
        func build(_ service: ServiceID?) throws -> HTTPRequest {
          try builder.build(Request(.get, path, service: service))
        }
        if let code {
          let error = #expect(throws: NetworkError.self) { try build("books") }
          expectEqual(error?.code, code)
        } else {
          try expectEqual(additions(build("books")), "hcHpsg")
        }
        if target.contains("evil") {
          let error = #expect(throws: NetworkError.self) { try build(nil) }
          expectEqual(error?.code, code)
        } else {
          try expectEqual(additions(build(nil)), "hc")
        }
      }
    }
    // To another origin nothing is added, wherever the rule leads.
    try expectEqual(additions(builder.build(Request(.get, "https://elsewhere.example/a", service: "books"))), "")
  }
}
