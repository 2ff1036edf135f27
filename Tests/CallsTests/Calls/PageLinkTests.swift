import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What the request of a linked page has of the first one, within its origin and across origins.
struct PageLinkTests {
  private struct Stamp: Middleware {
    let name: String
    var runsForAllOrigins = false

    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      var request = request
      request.headers[name] = "1"
      return next(request)
    }
  }

  private struct Mark: RequestFilter {
    func filter(_ draft: inout RequestDraft) throws(NetworkError) { draft.headers["X-Filter"] = "1" }
  }

  /// A request with the current token, as an app builds it.
  private struct Items: RequestConvertible {
    let token: CurrentValue<String>

    func asRequest() -> Request { Request(.get, "/items", headers: ["X-Pass": token.value]) }
  }

  @Test func linkedPagesAreBuiltAnewAfterATokenRefresh() {
    let token = CurrentValue("old")
    let kit = TestKit {
      $0.recoveries = [.renewing(token)]
    }
    kit.stub.on(.get, "/items", .json("[1]", headers: ["Link": "</items?page=2>;rel=next"]))
    kit.stub.on(
      .get, "/items", query: ["page": "2"], .status(401),
      .json("[2]", headers: ["Link": "</items?page=3>;rel=next"]))
    kit.stub.on(.get, "/items", query: ["page": "3"], .json("[3]"))
    let recorder = SignalRecorder(kit.client.pages(request: Items(token: token), of: Int.self).signal)
    expectEqual(recorder.values.map(\.value), [[1], [2], [3]])
    expectEqual(kit.stub.requests.map { $0.headers["X-Pass"] }, ["old", "old", "new", "new"])
  }

  private struct Regional: RequestConvertible {
    let region: CurrentValue<String>
    var hasPath = false

    func asRequest() throws(NetworkError) -> Request {
      let address = "https://\(region.value).example.com"
      let pass: HTTPHeaders = ["X-Pass": region.value]
      if !hasPath { return Request(.get, "\(raw: address)/items", headers: pass) }
      return Request(
        .get, "/items", headers: pass,
        options: .with { if let url = URL(string: address) { $0.address = .custom(url) } })
    }
  }

  @Test(arguments: [false, true]) func aLinkToAFormerAddressGetsNothingOfTheNewOne(_ hasPath: Bool) {
    let (kit, region) = (TestKit(), CurrentValue("eu"))
    kit.stub.on(.get, "/items", query: ["page": "2"], .json("[2]"))
    kit.stub.on(.get, "/items", .json("[1]", headers: ["Link": "</items?page=2>;rel=next"]))
    let pages = kit.client.pages(request: Regional(region: region, hasPath: hasPath), of: Int.self).signal
    let recorder = SignalRecorder(pages.on(value: { _ in region.value = "us" }))
    expectEqual(recorder.values.map(\.value), [[1], [2]])
    expectEqual(
      kit.stub.requests.map(\.address),
      [
        "https://eu.example.com/items", "https://eu.example.com/items?page=2",
      ])
    expectEqual(kit.stub.requests.map { $0.headers["X-Pass"] }, ["eu", nil])
  }

  @Test func theNextRequestIsAGetOfTheLink() async throws {
    let kit = TestKit()
    kit.stub.on(.post, "/items", .json("[1]", headers: ["Link": "</items?page=2>;rel=next"]))
    kit.stub.on(.get, "/items", .json("[2]"))
    let request = Request(
      .post, "/items", query: ["q": "x"], parameters: ["p": 1],
      headers: [
        "Authorization": "own", "X-Own": "1", "Content-Language": "de", "If-None-Match": "a", "Range": "bytes=0-",
        "If-Modified-Since": "b", "Idempotency-Key": "k",
      ], idleTimeout: .seconds(7), options: .with { $0.idempotencyKey = .automatic })
    let recorder = SignalRecorder(kit.client.pages(request: request, of: Int.self).signal)
    expectEqual(recorder.values.map(\.value), [[1], [2]])
    let next = try require(kit.stub.requests.last)
    expect(next.method == .get && next.address == "https://api.example.com/items?page=2" && next.body == .empty)
    expectEqual(next.headers["Authorization"], "own")
    expectEqual(next.headers["X-Own"], "1")
    for name in ["Content-Language", "Content-Type", "If-None-Match", "If-Modified-Since", "Range", "Idempotency-Key"] {
      expectNil(next.headers[name], "\(name)")
    }
    expectEqual(next.idleTimeout, .seconds(7))
  }

  /// The server repeats the query of the request in the link, and its last page leads to itself.
  @Test func aLinkWithTheCommonParametersIsFollowedAsItIs() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/items") { request in
      let isFirst = request.queryValue("page") == nil
      return .json("[1]").header("Link", "<\(request.target)\(isFirst ? "&page=2" : "")>; rel=next")
    }
    let client = NetworkClient(.init(services: [Bookshop(addresses: ServiceAddresses(server.baseURL))]))
    let pages = client.pages(request: Request(.get, "/items", service: "books"), of: Int.self)
    let recorder = SignalRecorder(pages.signal.take(4))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .pageLoop)
    expectEqual(
      server.log.requests.map(\.target), ["/items?channel=1&device=d", "/items?channel=1&device=d&page=2"])
  }

  @Test("P13") func nothingSecretReachesAnotherOrigin() async throws {
    let (own, other) = (try LoopbackServer(), try LoopbackServer())
    let elsewhere = "http://localhost:\(other.port)"
    let home = own.baseURL.absoluteString
    own.route("GET", "/items") { request in
      let isFirst = request.queryValue("page") == nil
      return .json("[1]").header("Set-Cookie", "session=secret").header(
        "Link", isFirst ? "</items?page=2>; rel=next" : "<\(elsewhere)/items?page=3>; rel=next")
    }
    other.route("GET", "/items") { request in
      let isFirst = request.queryValue("page") == "3"
      return .json("[2]").header("Link", isFirst ? "<?page=4>; rel=next" : "<\(home)/last>; rel=next")
    }
    own.route("GET", "/last") { _ in .json("[3]") }
    var shop = Bookshop(
      signer: HMACSigner(key: Data("key".utf8)), middleware: [Stamp(name: "X-Service")],
      addresses: ServiceAddresses(own.baseURL))
    shop.filters = [Mark()]
    var configuration = NetworkClient.Configuration(baseURL: own.baseURL, services: [shop])
    configuration.headers = ["X-App": "secret", "Authorization": "client"]
    configuration.middleware = [Stamp(name: "X-Client"), Stamp(name: "X-Log", runsForAllOrigins: true)]
    configuration.cookies = try .inMemory
    configuration.allowsInsecureHTTP = true
    let request = Request(
      .get, "/items", service: "books", headers: ["X-Own": "secret", "Cookie2": "x", "Accept-Language": "de"],
      options: .with {
        $0.middleware = [Stamp(name: "X-Request"), Stamp(name: "X-Trace", runsForAllOrigins: true)]
        $0.signer = HMACSigner(key: Data("own".utf8))
      })
    let recorder = SignalRecorder(NetworkClient(configuration).pages(request: request, of: Int.self).signal)
    await recorder.waitForEnd()
    expectEqual(recorder.values.map(\.value), [[1], [1], [2], [2], [3]], "\(recorder.events.last as Any)")

    let second = try require(own.log.requests.dropFirst().first)
    for name in ["X-App", "Authorization", "X-Client", "X-Service", "X-Request", "X-Own", "X-Set", "Cookie"] {
      expect(second.header(name) != nil, "\(name)")
    }
    expectEqual(second.queryValue("channel"), "1")
    expect(second.query.contains { $0.name == "sign" })
    expectEqual(other.log.requests.count, 2)
    for crossed in other.log.requests {
      let names = Set(crossed.headers.map { $0.name.lowercased() })
      expect(!names.isEmpty, "\(names.subtracting(Self.crossing))")
      expect(names.isSubset(of: Self.crossing), "\(names.subtracting(Self.crossing))")
      expectEqual(crossed.header("X-Trace"), "1")
      expectEqual(crossed.header("Accept-Language"), "de")
      expectEqual(crossed.query.map(\.name), ["page"])
    }
    // Back at home: what the client adds is there, but not what the request has lost.
    let last = try require(own.log.requests.last)
    expectEqual(last.path, "/last")
    expectEqual(last.header("X-App"), "secret")
    expectNil(last.header("X-Own"))
    expectNil(last.header("X-Request"))
  }

  private static let crossing: Set<String> = [
    "host", "accept", "accept-encoding", "accept-language", "user-agent", "connection", "x-log", "x-trace",
  ]

  @Test("P13") func aPageThatWasRedirectedToAnotherOriginCountsAsOne() async throws {
    let stub = StubTransport()
    stub.on(.get, "/items", .status(302, headers: ["Location": "https://b.example/moved"]))
    stub.on(.get, "/moved", .json("[1]", headers: ["Link": "</next>;rel=next"]))
    stub.on(.get, "/next", .json("[2]"))
    let client = TestKit { $0.transport = stub }.client
    let request = Request(.get, "/items", headers: ["Authorization": "own", "X-Own": "1"])
    expect(SignalRecorder(client.pages(request: request, of: Int.self).signal).isCompleted)
    let last = try require(stub.requests.last)
    expectEqual(last.address, "https://b.example/next")
    expectNil(last.headers["Authorization"])
    expectNil(last.headers["X-Own"])
  }

  @Test(
    "P13",
    arguments: [
      ("http://api.example.com/x", false), ("http://api.example.com/x", true), ("http://127.0.0.1/x", true),
    ])
  func aLinkFromHTTPSToPlainHTTPIsRefused(_ target: String, _ isAllowed: Bool) {
    let kit = TestKit { $0.allowsInsecureHTTP = isAllowed }
    kit.stub.on(.get, "/items", .json("[1]", headers: ["Link": "<\(target)>;rel=next"]))
    let recorder = SignalRecorder(kit.client.pages(request: "/items", of: Int.self).signal)
    expectEqual(recorder.values.count, 1)
    expectEqual(recorder.failure?.code, .insecureAddress)
    expectEqual(kit.stub.requests.count, 1)
  }

  @Test(
    "P13",
    arguments: [
      "ftp://api.example.com/x", "https://user:word@api.example.com/x", "mailto:a@b.example", "/items?q=\"a\"",
      "https://",
    ])
  func aLinkThatCannotBeRequestedIsAnError(_ target: String) {
    let kit = TestKit()
    kit.stub.on(.get, "/items", .json("[1]", headers: ["Link": "<\(target)>;rel=next"]))
    let recorder = SignalRecorder(kit.client.pages(request: "/items", of: Int.self).signal)
    expectEqual(recorder.values.count, 1)
    expectEqual(recorder.failure?.code, .invalidURL)
    expectEqual(kit.stub.requests.count, 1)
  }
}
