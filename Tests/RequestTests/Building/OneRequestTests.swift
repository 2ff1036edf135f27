import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

private enum Books: Endpoint {
  case search(String)
  case order(id: Int)

  var request: Request {
    switch self {
    case .search(let text):
      Request(.get, "search", service: "books", parameters: ["q": text], headers: ["X-Own": "1"])
    case .order(let id):
      Request(.post, "orders/\(id)", service: "books", headers: ["X-Own": "1"], body: .json(["id": id]))
    }
  }
}

/// However it is said, it is the same request.
struct OneRequestTests {
  private let builder = RequestBuilder.knowing(Bookshop())

  @Test("S1-29 T12") func anEndpointARequestAndAURLRequestGiveTheSameBytes() async throws {
    let server = try LoopbackServer()
    server.route("*", "*") { _ in .status(204) }
    let shop = Bookshop(addresses: ServiceAddresses(server.baseURL))
    let client = NetworkClient(.init(services: [shop]))
    var old = URLRequest(url: server.url("/orders/7?channel=1&device=d"))
    old.httpMethod = "POST"
    old.httpBody = Data(#"{"id":7}"#.utf8)
    for (name, value) in [("X-Own", "1"), ("X-Set", "java"), ("Content-Type", "application/json")] {
      old.setValue(value, forHTTPHeaderField: name)
    }
    let all: [any RequestConvertible] = [
      Books.order(id: 7),
      Request(.post, "orders/7", service: "books", headers: ["X-Own": "1"], body: .json(["id": 7])),
      old,
    ]
    for request in all {
      let recorder = SignalRecorder(client.exchange(request: request))
      await recorder.waitForEnd()
      expect(recorder.isCompleted, "\(recorder.events)")
    }
    let requests = server.log.requests
    expectEqual(requests.count, 3)
    for request in requests.dropFirst() {
      expectEqual(request.target, requests[0].target)
      expectEqual(request.body, requests[0].body)
      expectEqual(Set(request.headers), Set(requests[0].headers))
    }
    expectEqual(requests.first?.target, "/orders/7?channel=1&device=d")
  }

  @Test("S0-23 S0-19") func theSameInputGivesTheSameBytes() throws {
    let requests = (0..<10).map { _ in
      Request(
        .post, "a?own=1#gone", service: "books", query: ["z": 1, "a": [1, 2]], parameters: ["b": ["c": true]],
        headers: ["X-A": "1"], options: .with { $0.totalTimeout = .seconds(3) })
    }
    let built = try requests.map { try builder.build($0) }
    expectEqual(Set(built).count, 1)
    let request = try require(built.first)
    expectEqual(request.address, "https://books-test.example.com/v1/a?own=1&z=1&a%5B%5D=1&a%5B%5D=2")
    expectEqual(request.text, "channel=1&device=d&b%5Bc%5D=true")
    expectEqual(request.totalTimeout, .seconds(3))
    expectEqual(request.headers["X-A"], "1")
    expectEqual(request.method, .post)
  }

  @Test("S4-12") func aURLRequestKeepsWhatItSays() throws {
    var old = URLRequest(url: try require(URL(string: "https://a.example/b?c=%2F")), timeoutInterval: 12)
    old.setValue("x", forHTTPHeaderField: "X-B")
    let built = try builder.build(old)
    expectEqual(built.address, "https://a.example/b?c=%2F")
    expectEqual(built.method, .get)
    expectEqual(built.idleTimeout, .seconds(12))
    expectEqual(built.headers["X-B"], "x")
    for odd in [Double.infinity, .nan, 0, -1, 1e300] {
      old.timeoutInterval = odd
      try expectEqual(builder.build(old).idleTimeout, .seconds(60), "\(odd)")
    }
    // Foundation's own default is no wish.
    var impatient = builder
    impatient.idleTimeout = .seconds(5)
    old.timeoutInterval = 61
    try expectEqual(impatient.build(old).idleTimeout, .seconds(61))
    try expectEqual(impatient.build(URLRequest(url: require(old.url))).idleTimeout, .seconds(5))
    old.httpBodyStream = InputStream(data: Data("a".utf8))
    #expect(throws: NetworkError.self) { try builder.build(old) }
    try expectEqual(
      builder.build(Request(.get, "https://a.example/b")),
      builder.build(try require(URL(string: "https://a.example/b"))))
  }

  private struct Adding: RequestFilter {
    let name: String
    func filter(_ draft: inout RequestDraft) throws(NetworkError) {
      draft.query.append(ParameterPair(name, "\(draft.query.count)"))
      draft.headers["X-Filters", default: ""] += name
    }
  }

  private struct Moving: RequestFilter {
    func filter(_ draft: inout RequestDraft) throws(NetworkError) {
      guard let url = URL(string: draft.url.absoluteString.replacingOccurrences(of: "/v1/", with: "/v2/")) else {
        throw NetworkError(.invalidURL, reason: "no address")
      }
      draft.url = url
    }
  }

  private struct Watching: RequestFilter {
    let urls: Log<String>
    func filter(_ draft: inout RequestDraft) throws(NetworkError) { urls.add(draft.url.absoluteString) }
  }

  /// What is appended to the address as text would be lost in a fragment.
  @Test("S1-25") func filtersSeeNoFragment() throws {
    let urls = Log<String>()
    let builder = RequestBuilder.knowing(Bookshop(filters: [Watching(urls: urls)]))
    for path in ["a?a=1#end", "https://books-test.example.com/v1/a?a=1#end"] as [RequestPath] {
      _ = try builder.build(Request(.get, path, service: "books"))
    }
    expectEqual(urls.entries, Array(repeating: "https://books-test.example.com/v1/a?a=1", count: 2))
  }

  @Test("S1-25") func filtersComposeInOrderAndOnce() throws {
    var builder = RequestBuilder.knowing(Bookshop(filters: [Moving(), Adding(name: "s")]))
    builder.filters = [Adding(name: "a"), Adding(name: "b")]
    let request = Request(.get, "a?a=1#end", service: "books", options: .with { $0.common = [] })
    for _ in 0..<2 {
      let built = try builder.build(request)
      expectEqual(built.address, "https://books-test.example.com/v2/a?a=1&a=0&b=1&s=2")
      expectEqual(built.headers["X-Filters"], "abs")
    }
    builder.filters = []
    try expectEqual(builder.build(request).headers["X-Filters"], "s")
  }

  @Test("P13 S1-1") func whatAServiceAddsDoesNotGoElsewhere() throws {
    let shop = Bookshop(signer: HMACSigner(key: Data("key".utf8)), filters: [Adding(name: "f")])
    let builder = RequestBuilder.knowing(shop)
    let request = Request(.get, "https://elsewhere.example/a", service: "books", headers: ["X-Own": "1"])
    let built = try builder.build(request)
    expectEqual(built.address, "https://elsewhere.example/a")
    expectEqual(Array(built.headers.map(\.name)), ["X-Own"])
    for own in [
      "https://books-test.example.com/x", "HTTPS://cdn.example.com:443/y", "https://secondary-test.example.com",
    ] {
      let built = try builder.build(Request(.get, RequestPath(own), service: "books"))
      expect(built.address.contains("sign="), "\(own)")
      expectEqual(built.headers["X-Set"], "java", "\(own)")
    }
  }

  @Test("S1-35") func everySubscriptionIsSignedAnew() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/a") { _ in .text("a") }
    let signer = HMACSigner(key: Data("secret".utf8))
    let client = NetworkClient(
      .init(services: [Bookshop(signer: signer, addresses: ServiceAddresses(server.baseURL))]))
    let request = Request(.get, "/a?of=path", service: "books", query: ["device": "own"], parameters: ["own": 1])
    let signal = client.exchange(request: request)
    for _ in 0..<2 { await SignalRecorder(signal).waitForEnd() }
    let unsigned = Request(.get, "/a", service: "books", options: .with { $0.isSigned = false })
    await SignalRecorder(client.exchange(request: unsigned)).waitForEnd()
    let requests = server.log.requests
    expectEqual(requests.count, 3)
    let signatures = requests.map { $0.queryValue("sign") }
    expect(signatures[0] != nil)
    expect(signatures[1] != nil)
    expect(signatures[0] != signatures[1])
    expectNil(signatures[2])
    for request in requests.prefix(2) {
      expect(request.queryValue("nonce") != nil)
      expect(request.queryValue("timestamp") != nil)
      expectEqual(request.queryValue("channel"), "1")
      expectEqual(request.queryValue("device"), "own")
      expectEqual(request.queryValue("own"), "1")
      // The signature covers all of them.
      expect(SignatureVerifier().accepts(request))
    }
  }
}

extension HTTPHeaders {
  fileprivate subscript(name: String, default value: String) -> String {
    get { self[name] ?? value }
    set { self[name] = newValue }
  }
}
