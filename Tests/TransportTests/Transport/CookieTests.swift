import Foundation
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

@testable import Heliograph

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Cookies over each transport there is.
struct CookieTests {
  let server: LoopbackServer

  init() throws {
    server = try LoopbackServer()
    server.route("*", "/*") { request in .text(request.header("Cookie") ?? "none") }
    server.route("GET", "/login") { _ in
      .text("in").header("Set-Cookie", "session=abc; Path=/; HttpOnly").header("Set-Cookie", "lang=de,at; Path=/")
    }
    server.route("GET", "/logout") { _ in .text("out").header("Set-Cookie", "session=; Path=/; Max-Age=0") }
    server.route("GET", "/door") { _ in .redirect(to: "/room").header("Set-Cookie", "key=1") }
  }

  private func client(_ kind: TransportKind, _ storage: HTTPCookieStorage?) throws -> NetworkClient {
    var configuration = NetworkClient.Configuration(baseURL: server.baseURL, transport: try kind.transport())
    configuration.cookies = storage
    return NetworkClient(configuration)
  }

  private func answer(_ client: NetworkClient, _ path: String, headers: HTTPHeaders = [:]) async throws -> String {
    let response = try await client.exchange(request: Request(.get, RequestPath(path), headers: headers)).first()
    return String(decoding: response?.value ?? Data(), as: UTF8.self)
  }

  @Test(arguments: TransportKind.present) func whatTheServerSetsIsSentBackUntilItDeletesIt(
    _ kind: TransportKind
  ) async throws {
    let storage = try HTTPCookieStorage.inMemory
    let client = try client(kind, storage)
    try await expectEqual(answer(client, "/a"), "none")
    _ = try await answer(client, "/login")
    try await expectEqual(answer(client, "/a"), "session=abc; lang=de,at")
    try await expectEqual(answer(client, "/a", headers: ["cookie": "own=1"]), "own=1")
    _ = try await answer(client, "/logout")
    try await expectEqual(answer(client, "/a"), "lang=de,at")
    expectEqual(storage.cookies?.count, 1)
  }

  /// What is shown is what was sent, also after a redirect.
  @Test func monitorsSeeTheCookiesThatAreSent() async throws {
    let log = MonitorLog()
    var configuration = NetworkClient.Configuration(
      baseURL: server.baseURL, transport: try TransportKind.default.transport())
    configuration.cookies = try HTTPCookieStorage.inMemory
    configuration.monitors = [log]
    let client = NetworkClient(configuration)
    _ = try await answer(client, "/login")
    _ = try await answer(client, "/door")
    _ = try await answer(client, "/a", headers: ["cookie": "own=1"])
    expectEqual(log.sent.map { $0.headers["Cookie"] }, [nil, "session=abc; lang=de,at", "own=1"])
    let next = log.events.compactMap { if case .redirected(_, _, let next) = $0 { next } else { nil } }
    expect(next.first?.headers["Cookie"]?.contains("key=1") == true, "\(next)")
  }

  @Test("P9", arguments: TransportKind.present) func noAccountSendsTheCookiesOfAnother(_ kind: TransportKind)
    async throws
  {
    let storage = try HTTPCookieStorage.inMemory
    let account = CurrentValue<String?>(nil)
    var configuration = NetworkClient.Configuration(baseURL: server.baseURL, transport: try kind.transport())
    configuration.cookies = storage
    configuration.account = account
    let client = NetworkClient(configuration)
    _ = try await answer(client, "/login")
    // Signing in carries the session over.
    account.value = "ann"
    try await expectEqual(answer(client, "/a"), "session=abc; lang=de,at")
    account.value = "ben"
    expectEqual(storage.cookies?.isEmpty, true)
    try await expectEqual(answer(client, "/a"), "none")
    _ = try await answer(client, "/door")
    try await expectEqual(answer(client, "/a"), "key=1")
    // Who comes back has signed out in between.
    account.value = "ann"
    try await expectEqual(answer(client, "/a"), "none")
    _ = try await answer(client, "/door")
    account.value = nil
    expectEqual(storage.cookies?.isEmpty, true)
    try await expectEqual(answer(client, "/a"), "none")
  }

  @Test("P9") func signingOutEndsTheCookiesOfAllEnvironments() async throws {
    let store = EnvironmentStore(build: .develop, storage: .memory())
    let account = CurrentValue<String?>(nil)
    var configuration = NetworkClient.Configuration(baseURL: server.baseURL, environments: store)
    configuration.cookies = try .inMemory
    configuration.account = account
    let client = NetworkClient(configuration)
    for environment in [ServiceEnvironment.test, .develop] {
      try store.switch(to: environment)
      _ = try await answer(client, "/door")
    }
    account.value = "ann"
    for environment in [ServiceEnvironment.test, .develop] {
      try store.switch(to: environment)
      try await expectEqual(answer(client, "/a"), "key=1")
    }
    account.value = nil
    for environment in [ServiceEnvironment.test, .develop] {
      try store.switch(to: environment)
      try await expectEqual(answer(client, "/a"), "none")
    }
  }

  @Test func clearingRemovesTheCookiesAndLeavesRequestsAlone() async throws {
    for account in [CurrentValue<String?>("ann"), nil] {
      let storage = try HTTPCookieStorage.inMemory
      var configuration = NetworkClient.Configuration(baseURL: server.baseURL)
      configuration.cookies = storage
      configuration.account = account
      let client = NetworkClient(configuration)
      _ = try await answer(client, "/login")
      expectEqual(storage.cookies?.count, 2)
      client.clearCookies()
      expectEqual(storage.cookies?.isEmpty, true)
      _ = try await answer(client, "/door")
      try await expectEqual(answer(client, "/a"), "key=1")
    }
  }

  @Test("P9") func noEnvironmentSendsTheCookiesOfAnother() async throws {
    let store = EnvironmentStore(build: .develop, storage: .memory())
    var configuration = NetworkClient.Configuration(baseURL: server.baseURL, environments: store)
    configuration.cookies = try .inMemory
    let client = NetworkClient(configuration)
    _ = try await answer(client, "/login")
    try store.switch(to: .test)
    try await expectEqual(answer(client, "/a"), "none")
    try store.switch(to: .develop)
    try await expectEqual(answer(client, "/a"), "session=abc; lang=de,at")
  }

  @Test(arguments: TransportKind.present) func withoutAStorageThereAreNone(_ kind: TransportKind) async throws {
    let client = try client(kind, nil)
    _ = try await answer(client, "/login")
    try await expectEqual(answer(client, "/a"), "none")
  }

  @Test(arguments: TransportKind.present) func aRedirectsCookiesGoToItsTarget(_ kind: TransportKind) async throws {
    let client = try client(kind, .inMemory)
    try await expectEqual(answer(client, "/door"), "key=1")
  }

  @Test("P13", arguments: TransportKind.present) func aRedirectToAnotherHostTakesNone(
    _ kind: TransportKind
  ) async throws {
    let elsewhere = "http://localhost:\(server.port)/a"
    server.route("GET", "/away") { _ in .redirect(to: elsewhere).header("Set-Cookie", "key=1") }
    let client = try client(kind, .inMemory)
    try await expectEqual(answer(client, "/away"), "none")
    try await expectEqual(answer(client, "/a"), "key=1")
  }

  @Test(arguments: TransportKind.present) func eachSetCookieFieldIsOneCookie(_ kind: TransportKind) async throws {
    let fields = ["a=1", "b=2; Expires=Fri, 01 Jan 2100 00:00:00 GMT; Path=/", "c=x,y=z", "d=4"]
    server.route("GET", "/set") { _ in
      fields.reduce(.text("set")) { $0.header("Set-Cookie", $1) }
    }
    let request = HTTPRequest(url: server.url("/set"))
    guard case .head(let head)? = try await kind.transport().send(request).first() else {
      Issue.record("no head came")
      return
    }
    expectEqual(head.headers.values(for: "set-cookie"), fields)
  }

  /// On Linux, Foundation's reader of cookies crashes on the last one.
  @Test(arguments: TransportKind.present, ["=", ";", "", "=1; Path=/", "a", "😀😀😀=1"])
  func anOddFieldHarmsNobody(_ kind: TransportKind, _ field: String) async throws {
    server.route("GET", "/odd") { _ in .text("odd").header("Set-Cookie", field) }
    let client = try client(kind, .inMemory)
    try await expectEqual(answer(client, "/odd"), "odd")
    try await expectEqual(answer(client, "/a"), (field.hasSuffix("1") && !field.hasPrefix("=") ? field : "none"))
  }

  @Test func whatIsSetAfterTheSubscriptionIsNotSentAndWhatBeforeIs() async throws {
    let storage = try HTTPCookieStorage.inMemory
    let stub = StubTransport()
    stub.on("GET", "/a", .status(200))
    var request = HTTPRequest(url: try url("http://shop.example/a"))
    request.binding.jar = CookieStore(storage).jar
    let signal = CookieTransport(stub).send(request)
    storage.setCookie(try cookie("a", "1", "shop.example"))
    _ = SignalRecorder(signal)
    expectEqual(stub.requests.map { $0.headers["Cookie"] }, ["a=1"])
    expect(stub.unexpectedRequests.isEmpty)
  }

  @Test(arguments: [
    ("https://shop.example/cart/1", "deep=1; secure=1; shared=1; wide=1"), ("http://shop.example/", "shared=1; wide=1"),
    ("http://shop.example/cart", "deep=1; shared=1; wide=1"), ("http://shop.example/cartoon", "shared=1; wide=1"),
    ("https://www.shop.example/", "shared=1"), ("https://workshop.example/", nil), ("https://example/", nil),
  ])
  func theAddressDecidesWhichAreSent(_ address: String, _ expected: String?) throws {
    let storage = try HTTPCookieStorage.inMemory
    for cookie in [
      try cookie("wide", "1", "shop.example"), try cookie("shared", "1", ".shop.example"),
      try cookie("secure", "1", "shop.example", [.secure: "TRUE"]),
      try cookie("deep", "1", "shop.example", [.path: "/cart"]),
      try cookie("old", "1", "shop.example", [.expires: Date(timeIntervalSinceNow: 0.001)]),
    ] {
      storage.setCookie(cookie)
    }
    let stub = StubTransport()
    stub.on("GET", try url(address).path, .status(200))
    // The fourth is over by now, whatever the storage thinks.
    while Date() < (storage.cookies?.compactMap(\.expiresDate).max() ?? .distantPast) {}
    var request = HTTPRequest(url: try url(address))
    request.binding.jar = CookieStore(storage).jar
    _ = SignalRecorder(CookieTransport(stub).send(request))
    let sent = stub.requests.first?.headers["Cookie"]?.split(separator: "; ").sorted().joined(separator: "; ")
    expectEqual(sent, expected)
    if address.hasSuffix("cart") { expectEqual(stub.requests.first?.headers["Cookie"]?.hasPrefix("deep=1"), true) }
  }

  private func url(_ text: String) throws -> URL { try require(URL(string: text)) }

  private func cookie(
    _ name: String, _ value: String, _ domain: String, _ more: [HTTPCookiePropertyKey: Any] = [:]
  ) throws -> HTTPCookie {
    let properties: [HTTPCookiePropertyKey: Any] = [.name: name, .value: value, .domain: domain, .path: "/"]
    return try require(HTTPCookie(properties: properties.merging(more) { $1 }))
  }
}
