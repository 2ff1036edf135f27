import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

struct RedirectTests {
  private let secrets: HTTPHeaders = [
    "Authorization": "Bearer s", "Cookie": "c=1", "Proxy-Authorization": "p", "X": "y",
  ]

  @Test(
    "P13",
    arguments: [
      (301, "POST", "GET", ""), (302, "POST", "GET", ""), (303, "POST", "GET", ""), (303, "PUT", "GET", ""),
      (301, "PUT", "PUT", "body"), (302, "DELETE", "DELETE", ""), (307, "POST", "POST", "body"),
      (308, "PUT", "PUT", "body"), (303, "HEAD", "HEAD", ""),
    ])
  func methodAndBodyFollowTheRules(_ status: Int, _ method: String, _ expected: String, _ body: String) async throws {
    let shop = try Shop()
    shop.server.route("*", "/old") { _ in .redirect(to: "/new", status: status) }
    shop.server.route("*", "/new") { _ in .text("arrived") }
    let sends = ["POST", "PUT"].contains(method)
    let request = Request(
      HTTPMethod(rawValue: method), "/old",
      body: sends ? .data(Data("body".utf8), contentType: "text/plain") : .empty)
    let recorder = SignalRecorder(shop.client.exchange(request: request))
    await recorder.waitForEnd()
    expectEqual(recorder.values.map(\.statusCode), [200])
    expectEqual(recorder.values.first?.url.path, "/new")
    let arrived = try require(shop.server.log.requests(to: "/new").first)
    expectEqual(arrived.method.rawValue, expected)
    expectEqual(String(decoding: arrived.body, as: UTF8.self), body)
    expectEqual((arrived.header("Content-Type") == "text/plain"), !body.isEmpty)
  }

  /// RFC 3986 §5.2.2: also those of a target with a host.
  @Test func dotSegmentsOfATargetAreRemoved() async throws {
    let shop = try Shop()
    shop.serve("/new", "{}")
    let address = shop.server.url("/old").absoluteString + "/../new?q=/../x"
    for location in [address, String(address.drop { $0 != "/" })] {
      shop.server.route("GET", "/start") { _ in .redirect(to: location) }
      let recorder = SignalRecorder(shop.client.exchange(request: Request(.get, "/start")))
      await recorder.waitForEnd()
      expectEqual(recorder.values.first?.url, URL(string: shop.server.url("/new").absoluteString + "?q=/../x"))
    }
    expectEqual(shop.server.log.requests(to: "/new").count, 2)
  }

  /// RFC 9110 §15.4, item 5.
  @Test(arguments: [(301, true), (303, true), (307, false)])
  func theFieldsOfADroppedBodyAreNotSent(_ status: Int, _ isDropped: Bool) async throws {
    let shop = try Shop()
    shop.server.route("*", "/old") { _ in .redirect(to: "/new", status: status) }
    shop.server.route("*", "/new") { _ in .text("arrived") }
    let fields: HTTPHeaders = [
      "Content-Language": "en", "Content-Digest": "sha-256=:YQ==:", "Digest": "sha-256=YQ==",
      "repr-digest": "sha-256=:YQ==:", "Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT",
      "Expect": "100-continue",
    ]
    let body = RequestBody.data(Data("body".utf8), contentType: "text/plain")
    let recorder = SignalRecorder(
      shop.client.exchange(request: Request(.post, "/old", headers: fields, body: body)))
    await recorder.waitForEnd()
    let arrived = try require(shop.server.log.requests(to: "/new").first)
    for field in fields { expectEqual(arrived.header(field.name), isDropped ? nil : field.value) }
  }

  @Test("P13") func credentialsStayWithTheirOrigin() async throws {
    let shop = try Shop()
    let other = try LoopbackServer()
    other.route("GET", "/new") { _ in .redirect(to: "/end") }
    let back = shop.server.url("/back").absoluteString
    other.route("GET", "/end") { _ in .redirect(to: back) }
    shop.serve("/back", "{}")
    let target = other.url("/new").absoluteString
    shop.server.route("GET", "/old") { _ in .redirect(to: "/same") }
    shop.server.route("GET", "/same") { _ in .redirect(to: target) }
    let recorder = SignalRecorder(shop.client.exchange(request: Request(.get, "/old", headers: secrets)))
    await recorder.waitForEnd()
    expectEqual(recorder.values.map(\.statusCode), [200])
    expectEqual(shop.server.log.requests(to: "/same").first?.header("Authorization"), "Bearer s")
    for request in other.log.requests + shop.server.log.requests(to: "/back") {
      for name in ["Authorization", "Cookie", "Proxy-Authorization", "X"] { expectNil(request.header(name)) }
    }
    expectEqual(other.log.requests.count, 2)
  }

  @Test(arguments: [
    ("/é%20x?a[]=b%20c#%20é", "/%C3%A9%20x?a%5B%5D=b%20c"), ("new%2F|?100%", "/%C3%A9/new%2F%7C?100%25"),
    ("?q=%22\"", "/%C3%A9/old?q=%22%22"),
  ])
  func escapesWhatStandsBesideEscapesAndNotTheEscapes(_ location: String, _ target: String) async throws {
    let shop = try Shop()
    shop.server.route("GET", "/**") { _ in .text("arrived") }
    shop.server.route("GET", "/é/old") { request in
      request.query.isEmpty ? .redirect(to: location) : .text("arrived")
    }
    let recorder = SignalRecorder(shop.client.exchange(request: "/é/old"))
    await recorder.waitForEnd()
    expectEqual(recorder.values.map(\.statusCode), [200])
    expectEqual(shop.server.log.requests.last?.target, target)
  }

  @Test func followsAsManyAsTheLimitAndNoMore() async throws {
    let shop = try Shop { $0.redirectLimit = 3 }
    shop.server.route("GET", "/**") { request in
      let step = Int(request.path.dropFirst()) ?? 0
      return step == 0 ? .text("end") : .redirect(to: "/\(step - 1)")
    }
    let within = SignalRecorder(shop.client.exchange(request: "/3"))
    await within.waitForEnd()
    expectEqual(within.values.map(\.statusCode), [200])
    let beyond = SignalRecorder(shop.client.exchange(request: "/4"))
    await beyond.waitForEnd()
    expectEqual(beyond.failure?.code, .tooManyRedirects)
    expectEqual(beyond.failure?.response?.statusCode, 302)
  }

  @Test(arguments: [
    "ftp://a.example/", "http://", "http://[", "javascript:alert(1)", "//", "http://ada:pw@127.0.0.1/",
    "//ada@127.0.0.1/",
    "http://@127.0.0.1/",
  ])
  func refusesALocationThatIsNoAddressOrNamesAUser(_ location: String) async throws {
    let shop = try Shop()
    shop.server.route("GET", "/old") { _ in .status(302).header("Location", location) }
    let recorder = SignalRecorder(shop.client.exchange(request: Request(.get, "/old")))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .invalidRedirect)
    expectEqual(recorder.failure?.description.contains("pw"), false)
    expectEqual(shop.server.log.requests.count, 1)
  }

  @Test func anEmptyLocationIsNone() async throws {
    let shop = try Shop()
    shop.server.route("GET", "/old") { _ in .status(302).header("Location", "") }
    let recorder = SignalRecorder(shop.client.exchange(request: "/old"))
    await recorder.waitForEnd()
    expectEqual(recorder.values.map(\.statusCode), [302])
  }

  @Test("P13") func refusesTheWayFromHTTPSToHTTP() async throws {
    let stub = StubTransport()
    stub.on("GET", "/old", .status(302, headers: ["Location": "http://a.example/new"]))
    let transport = RedirectingTransport(stub)
    let recorder = SignalRecorder(
      transport.send(HTTPRequest(url: try require(URL(string: "https://a.example/old")))))
    expectEqual(recorder.failure?.code, .insecureRedirect)
    expectEqual(stub.requests.count, 1)
  }

  @Test("S1-7") func aRedirectWithoutLocationIsAServerError() async throws {
    let shop = try Shop()
    shop.server.route("GET", "/old") { _ in .status(301) }
    let recorder = await shop.products("/old")
    expectEqual(recorder.failure?.code, .status(301))
  }

  @Test("S1-34") func usesTheConnectionAgain() async throws {
    try await expectInARound {
      let shop = try Shop()
      shop.server.route("GET", "/old") { _ in .redirect(to: "/new") }
      shop.serve("/new", "{}")
      let recorder = SignalRecorder(shop.client.exchange(request: "/old"))
      await recorder.waitForEnd()
      expectEqual(recorder.values.map(\.statusCode), [200])
      // A busy client may stop waiting for the end of the redirect response, and close its connection.
      return shop.server.log.acceptedCount == 1
    }
  }

  @Test func disposingOnTheWayStopsIt() async throws {
    let shop = try Shop()
    shop.server.route("GET", "/old") { _ in .redirect(to: "/stuck") }
    shop.server.route("GET", "/stuck") { _ in .never }
    let recorder = SignalRecorder(shop.client.exchange(request: "/old"))
    await expect(shop.server.wait { $0.requests.count == 2 })
    recorder.dispose()
    await expect(shop.server.wait { $0.openConnectionCount == 0 })
    expect(recorder.events.isEmpty)
  }
}
