import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// What crosses to another origin, and where a redirect must not lead.
struct RedirectOriginTests {
  let stub = StubTransport()

  private func redirect(
    _ request: HTTPRequest, _ status: Int = 302, to location: String
  ) -> SignalRecorder<TransportEvent, NetworkError> {
    stub.on(request.method, request.url.path, .status(status, headers: ["Location": location]))
    for method in [HTTPMethod.get, .post, .put] { stub.on(method, "/new", .status(204)) }
    return SignalRecorder(RedirectingTransport(stub).send(request))
  }

  private func request(_ address: String, _ method: HTTPMethod = .get, body: String = "") throws -> HTTPRequest {
    let fields: HTTPHeaders = [
      "Accept": "a/b", "accept-language": "de", "User-Agent": "shop", "Range": "bytes=0-", "If-None-Match": "x",
      "Host": "caller.example", "X-Own": "1", "Referer": "r", "Acceptable": "1", "Authorization": "Basic x",
      "Proxy-Authorization": "Digest x", "Cookie": "a=1", "Accept-Session-Token": "x", "If-Secret": "x", "Depth": "1",
      "Overwrite": "F", "Prefer": "return=minimal", "x-goog-if-generation-match": "7", "X-Gif-Size": "1",
    ]
    var request = HTTPRequest(
      method: method, url: try require(URL(string: address)), headers: fields,
      body: body.isEmpty ? .empty : .data(Data(body.utf8)))
    if !body.isEmpty {
      request.headers["Content-Type"] = "text/plain"
      request.headers["Content-MD5"] = "0"
      request.headers["Content-Signature"] = "0"
    }
    return request
  }

  private func names(_ request: HTTPRequest?) -> [String] {
    (request?.headers.map { $0.name.lowercased() } ?? []).sorted()
  }

  @Test(
    "P13",
    arguments: [
      "https://b.example/new", "https://a.example:444/new", "//b.example/new", "https://a.example.b.example/new",
    ])
  func onlyWhatIsOnTheListCrosses(_ location: String) throws {
    let recorder = redirect(try request("https://a.example/old"), to: location)
    expect(recorder.isCompleted)
    expectEqual(
      names(stub.requests.last),
      [
        "accept", "accept-language", "depth", "if-none-match", "overwrite", "prefer", "range", "user-agent",
        "x-goog-if-generation-match",
      ])
    expectEqual(stub.requests.count, 2)
  }

  @Test("P13", arguments: ["/new", "https://a.example/new", "HTTPS://A.example:443/new", "//a.example/new"])
  func withinTheOriginEverythingStays(_ location: String) throws {
    let original = try request("https://a.example/old")
    expect(redirect(original, to: location).isCompleted)
    expectEqual(stub.requests.last?.headers, original.headers)
  }

  @Test("P13", arguments: [(307, HTTPMethod.post), (308, .post), (308, .put), (301, .put)])
  func aBodyDoesNotCrossUnlessTheRequestAllowsIt(_ status: Int, _ method: HTTPMethod) throws {
    var original = try request("https://a.example/old", method, body: "password=x")
    let refused = redirect(original, status, to: "https://b.example/new")
    expectEqual(refused.failure?.code, .redirectRefused)
    expectEqual(refused.failure?.statusCode, status)
    expectEqual(refused.failure?.reason.contains("https://b.example"), true)
    expectEqual(stub.requests.count, 1)
    original.sendsBodyAcrossOrigins = true
    let allowed = redirect(original, status, to: "https://b.example/new")
    expect(allowed.isCompleted)
    let last = try require(stub.requests.last)
    expectEqual(last.body, original.body)
    expectEqual(last.method, method)
    expectEqual(names(last).filter { $0.hasPrefix("content") }, ["content-md5", "content-type"])
    expectNil(last.headers["Authorization"])
    expectNil(last.headers["Host"])
  }

  @Test("P13", arguments: [301, 302, 303]) func aPostThatBecomesAGetCrossesWithoutItsBody(_ status: Int) throws {
    let recorder = redirect(
      try request("https://a.example/old", .post, body: "password=x"), status, to: "https://b.example/new")
    expect(recorder.isCompleted)
    expectEqual(stub.requests.last?.body, .empty)
    expectEqual(stub.requests.last?.method, .get)
    expect(!names(stub.requests.last).contains { $0.hasPrefix("content") })
  }

  @Test(
    "S1-36",
    arguments: [
      ("http://127.0.0.1:1/old", "http://b.example/new"), ("http://localhost:1/old", "http://10.0.0.1/new"),
      ("https://a.example/old", "http://127.0.0.1/new"),
    ])
  func plainHTTPIsJudgedAtEveryHop(_ address: String, _ location: String) throws {
    var original = try request(address)
    let refused = redirect(original, to: location)
    expectEqual(refused.failure?.code, .insecureRedirect)
    expectEqual(stub.requests.count, 1)
    original.allowsInsecureHTTP = true
    let allowed = redirect(original, to: location)
    // From https there is no way, whatever is allowed.
    expectEqual(allowed.isCompleted, address.hasPrefix("http:"))
  }

  /// The closure makes a new request, which knows nothing of the costs that the first one may incur.
  @Test func theAllowedCostsHoldForARequestThatAClosureMakes() throws {
    var original = try request("https://a.example/old")
    original.allowedCosts = [.cellular, .expensive]
    original.redirects = .decide { _, proposed in
      var next = HTTPRequest(url: proposed.url)
      next.allowedCosts = [.cellular, .constrained]
      return .follow(next)
    }
    expect(redirect(original, to: "/new").isCompleted)
    expectEqual(stub.requests.last?.allowedCosts, .cellular)
  }

  @Test("S1-36") func theFirstRequestIsJudgedToo() throws {
    var original = try request("http://b.example/new")
    stub.on("GET", "/new", .status(204))
    expectEqual(SignalRecorder(RedirectingTransport(stub).send(original)).failure?.code, .insecureAddress)
    expect(stub.requests.isEmpty)
    original.allowsInsecureHTTP = true
    expect(SignalRecorder(RedirectingTransport(stub).send(original)).isCompleted)
  }

  @Test("S1-36") func whatAClientAllowsHoldsForTheRedirectsOfItsRequests() async throws {
    let local = try require(URL(string: "http://127.0.0.1:1"))
    stub.on("GET", "/old", .status(302, headers: ["Location": "http://b.example/new"]))
    stub.on("GET", "/new", .status(204))
    for isAllowed in [false, true] {
      var configuration = NetworkClient.Configuration(baseURL: local, transport: stub)
      configuration.allowsInsecureHTTP = isAllowed
      let recorder = SignalRecorder(NetworkClient(configuration).exchange(request: "/old"))
      expectEqual(recorder.failure?.code, (isAllowed ? nil : .insecureRedirect))
    }
  }
}
