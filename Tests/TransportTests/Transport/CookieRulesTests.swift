import Foundation
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

@testable import Heliograph

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What a server may set, and what is sent back: the limits and rules of RFC 6265bis.
struct CookieRulesTests {
  private let storage: HTTPCookieStorage
  private let stub = StubTransport()
  private let carrier: RedirectingTransport
  private let jar: any CookieJar

  init() throws {
    storage = try require(URLSessionConfiguration.ephemeral.httpCookieStorage)
    jar = CookieStore(storage).jar
    carrier = RedirectingTransport(CookieTransport(stub))
    stub.on("GET", "/", .status(200))
    stub.on("POST", "/", .status(200))
  }

  /// Answers a request to an address with these fields.
  private func set(_ fields: [String], at address: String) throws {
    stub.on(
      "GET", try url(address + "/set").path,
      .status(200, headers: HTTPHeaders(fields.map { .init(name: "Set-Cookie", value: $0) })))
    let recorder = SignalRecorder(carrier.send(try request(.get, address + "/set")))
    expect(recorder.isCompleted)
  }

  /// What is sent to an address.
  private func sent(to address: String, _ method: HTTPMethod = .get) throws -> String? {
    let recorder = SignalRecorder(carrier.send(try request(method, address)))
    expect(recorder.isCompleted)
    return stub.requests.last?.headers["Cookie"]
  }

  private func names(to address: String) throws -> Set<String> {
    Set(try sent(to: address)?.components(separatedBy: "; ").map { String($0.prefix { $0 != "=" }) } ?? [])
  }

  private func request(_ method: HTTPMethod, _ address: String) throws -> HTTPRequest {
    var request = HTTPRequest(method: method, url: try url(address))
    request.allowsInsecureHTTP = true
    request.binding.jar = jar
    return request
  }

  private func url(_ text: String) throws -> URL { try require(URL(string: text)) }

  @Test func theTimeOfCreationIsANumberOrItsText() {
    expectEqual([12.5, "12.5", "soon", nil].map { HTTPCookie.time(ofCreation: $0) }, [12.5, 12.5, 0, 0])
  }

  /// RFC 6265bis §5.1.4: else a refresh token of `/auth/refresh` would be sent with every request to its host.
  @Test func aCookieWithoutPathIsOfTheFolderThatSetIt() throws {
    stub.on("GET", "/auth/logout", .status(200))
    stub.on("GET", "/authors", .status(200))
    try set(["rt=1", "odd=1; Path=x"], at: "https://shop.example/auth")
    try set(["all=1; Path=/"], at: "https://shop.example/auth")
    try expectEqual(names(to: "https://shop.example/auth/logout"), ["odd", "rt", "all"])
    try expectEqual(names(to: "https://shop.example/authors"), ["all"])
  }

  /// As in browsers, so that the cookies of a deployed server work with one on this machine.
  @Test(arguments: ["http://localhost:8080", "http://127.0.0.1", "http://[::1]:1"])
  func secureCookiesOfThisMachineNeedNoTLS(_ address: String) throws {
    try set(["id=1; Secure; SameSite=None", "__Host-a=1; Secure; Path=/"], at: address)
    try expectEqual(names(to: address + "/"), ["__Host-a", "id"])
    try set(["id=1; Secure"], at: "http://shop.example")
    try expectNil(sent(to: "https://shop.example/"))
  }

  @Test func aHostHasFiftyCookiesAndTheOldestGoFirst() throws {
    for number in 0..<60 { try set(["c\(number)=1"], at: "https://shop.example") }
    let names = Set((storage.cookies ?? []).map(\.name))
    expectEqual(names, Set((10..<60).map { "c\($0)" }))
    // Those of a host alone, those for all below it, and those of another host are counted separately.
    try set((0..<20).map { "d\($0)=1; Domain=shop.example" }, at: "https://shop.example")
    try set(["own=1"], at: "https://www.shop.example")
    expectEqual(storage.cookies?.filter { $0.domain.hasSuffix("shop.example") && $0.name != "own" }.count, 70)
    expectEqual(storage.cookies?.count, 71)
  }

  @Test func aResponseSetsFiftyCookies() throws {
    try set((0..<17_000).map { "c\($0)=1" }, at: "https://shop.example")
    expectEqual(storage.cookies?.count, 50)
  }

  @Test func whatHTTPMaySetGoesFirst() throws {
    try set((0..<50).map { "s\($0)=1; Secure" }, at: "https://shop.example")
    try set((0..<50).map { "h\($0)=1" }, at: "http://shop.example")
    expectEqual(storage.cookies?.filter(\.isSecure).count, 50)
    expectEqual(storage.cookies?.count, 50)
  }

  /// Another host below the domain, or plain http, would end the session, and could then begin its own.
  @Test(arguments: ["__Host-sid=good; Secure; Path=/", "sid=good; Secure; Domain=shop.example", "sid=good"])
  func nobodyEvictsTheSession(_ field: String) throws {
    try set([field], at: "https://shop.example")
    let isForSubdomains = field.contains("Domain")
    if field != "sid=good" { for number in 0..<60 { try set(["h\(number)=1"], at: "http://shop.example") } }
    if field.contains("Secure") {
      try set((0..<50).map { "p\($0)=1; Domain=shop.example" }, at: "http://a.shop.example")
    }
    if !isForSubdomains {
      for number in 0..<60 { try set(["s\(number)=1; Secure; Domain=shop.example"], at: "https://a.shop.example") }
    }
    let sent = try sent(to: "https://shop.example/")
    expectEqual(sent?.contains("sid=good"), true, "\(sent ?? "")")
  }

  @Test func longCookiesOfOthersDoNotPushOutTheSession() throws {
    let value = String(repeating: "x", count: 4000)
    try set(["__Host-sid=good; Secure; Path=/"], at: "https://shop.example")
    try set(
      ["a=\(value); Domain=shop.example; Path=/api", "b=\(value); Domain=shop.example; Path=/api; Secure"],
      at: "https://a.shop.example")
    try set(["c=\(value); Path=/api"], at: "http://shop.example")
    stub.on("GET", "/api", .status(200))
    try expectEqual(sent(to: "https://shop.example/api"), "b=\(value); c=\(value); __Host-sid=good")
  }

  @Test func anAddressHasTheSameCookiesInEverySpelling() throws {
    try set(["a=1"], at: "https://[0:0:0:0:0:0:0:1]")
    try expectEqual(sent(to: "https://[::1]/"), "a=1")
    try set(["b=1"], at: "https://127.1")
    try expectEqual(sent(to: "https://127.0.0.1/"), "b=1")
  }

  @Test func thereAreThreeThousandCookies() throws {
    for host in 0..<62 { try set((0..<50).map { "c\($0)=1" }, at: "https://h\(host).example") }
    expectEqual(storage.cookies?.count, 3000)
    try expectNil(sent(to: "https://h0.example/"))
    try expect(sent(to: "https://h61.example/") != nil)
  }

  /// Not each response sorts all of them.
  @Test func manyAreEvictedAtOnce() throws {
    for host in 0..<3_050 { storage.save(["a=1"], from: try url("https://h\(host).example")) }
    expectEqual(storage.cookies?.count, 3_050)
    storage.save(["a=1"], from: try url("https://last.example"))
    expectEqual(storage.cookies?.count, 3_000)
    try expectNil(sent(to: "https://h50.example/"))
    try expect(sent(to: "https://h51.example/") != nil)
  }

  @Test func aFieldHasEightKibibytes() throws {
    let value = String(repeating: "x", count: 4000)
    try set(["a=\(value)", "b=\(value)", "c=\(value)", "d=short"], at: "https://shop.example")
    try expectEqual(sent(to: "https://shop.example/"), "a=\(value); b=\(value); d=short")
    try set(["e=\(String(repeating: "x", count: 4096))"], at: "https://shop.example")
    expectEqual(storage.cookies?.contains { $0.name == "e" }, false)
  }

  @Test(arguments: [
    "id=evil", "id=evil; Path=/; Max-Age=0", "id=evil; Domain=shop.example", "id=evil; Secure", "id=; Max-Age=0",
    "id=evil; Path=/deep",
  ])
  func httpNeitherReplacesNorRemovesWhatIsSecure(_ field: String) throws {
    try set(["id=good; Secure; Path=/"], at: "https://shop.example")
    try set([field, "other=1"], at: "http://shop.example")
    try expectEqual(sent(to: "https://shop.example/"), "id=good; other=1")
    try expectEqual(sent(to: "http://shop.example/"), "other=1")
    try set(["id=; Max-Age=0"], at: "https://shop.example")
    try expectEqual(sent(to: "https://shop.example/"), "other=1")
  }

  @Test func hostsAreComparedWithoutCase() throws {
    try set(["a=1"], at: "https://Shop.Example")
    try expectEqual(sent(to: "https://shop.example/"), "a=1")
    try expectEqual(sent(to: "https://SHOP.EXAMPLE/"), "a=1")
  }

  @Test func noCookieIsForAllOfASuffix() throws {
    try set(["a=1; Domain=co.uk", "b=1; Domain=uk", "c=1; Domain=shop.co.uk"], at: "https://www.shop.co.uk")
    try expectNil(sent(to: "https://other.co.uk/"))
    try expectEqual(sent(to: "https://api.shop.co.uk/"), "c=1")
  }

  @Test(
    arguments: [
      ("https://evil.example/go", 302, .get, "lax=1; none=1; silent=1"),
      ("https://evil.example/go", 307, .post, "none=1"),
      ("https://www.shop.example/go", 302, .get, "lax=1; none=1; silent=1; strict=1"),
      ("https://www.shop.example/go", 307, .post, "lax=1; none=1; silent=1; strict=1"),
      ("http://shop.example/go", 307, .post, "none=1"),
    ] as [(String, Int, HTTPMethod, String)])
  func afterARedirectFromAnotherSiteStrictCookiesStay(
    _ address: String, _ status: Int, _ method: HTTPMethod, _ expected: String
  ) throws {
    try set(
      ["strict=1; SameSite=Strict", "lax=1; SameSite=Lax", "none=1; SameSite=None; Secure", "silent=1"],
      at: "https://shop.example")
    let all = "lax=1; none=1; silent=1; strict=1"
    try expectEqual(sorted(sent(to: "https://shop.example/", method)), all)
    stub.on(method, "/go", .status(status, headers: ["Location": "https://shop.example/"]))
    try expectEqual(sorted(sent(to: address, method)), expected)
    // Back at its own site a chain stays what it was.
    stub.on("GET", "/out", .status(302, headers: ["Location": "https://idp.example/back"]))
    stub.on("GET", "/back", .status(302, headers: ["Location": "https://shop.example/home"]))
    stub.on("GET", "/home", .status(302, headers: ["Location": "/"]))
    try expectEqual(sorted(sent(to: "https://shop.example/out")), "lax=1; none=1; silent=1")
  }

  private func sorted(_ field: String?) -> String? { field?.split(separator: "; ").sorted().joined(separator: "; ") }
}
