import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// The signer of a request itself, which signs the URL that the request names, and no other.
struct OwnSignerTests {
  /// A signer whose field a redirect within the origin keeps.
  private struct Counting: Signer {
    let urls: Log<String>

    func sign(_ draft: inout RequestDraft) throws(NetworkError) {
      urls.add(draft.url.absoluteString)
      draft.headers["X-Sign"] = "\(urls.entries.count)"
    }
  }

  private let stub = StubTransport()
  private let urls = Log<String>()
  private let hook = "https://customer.example/hook"
  private let key = HMACSigner(key: Data("key".utf8), location: .header)

  private func client(
    _ base: String? = "https://api.example", _ configure: (inout NetworkClient.Configuration) -> Void = { _ in }
  ) -> NetworkClient {
    var configuration = NetworkClient.Configuration(
      baseURL: base.flatMap { URL(string: $0) }, services: [], transport: stub)
    configuration.processing = .immediate
    configuration.headers = ["X-App": "key"]
    configure(&configuration)
    return NetworkClient(configuration)
  }

  private func signed(_ url: String? = nil, _ signer: (any Signer)? = nil, service: ServiceID? = nil) -> Request {
    Request(
      .get, RequestPath(url ?? hook), service: service,
      options: .with { $0.signer = signer ?? Counting(urls: urls) })
  }

  private func signatures(_ name: String = "X-Sign") -> [String?] { stub.requests.map { $0.headers[name] } }

  @Test("S1-4 P13", arguments: ["https://api.example", nil]) func itSignsTheURLThatTheRequestNames(
    _ base: String?
  ) throws {
    stub.on(.get, "*", .status(204))
    let client = client(base) { $0.monitors = [MonitorLog()] }
    let recorder = SignalRecorder(client.enqueue(request: signed(nil, key), resultType: NoContent.self))
    expectEqual(stub.requests.map { $0.headers["X-Signature"] != nil }, [true])
    expectEqual(stub.requests.map { $0.headers["X-App"] }, [nil], "the client's own addition")
    let lines = try require(recorder.values.first).explanation.split(separator: "\n")
    expect(lines.contains { $0.contains("signer ") && $0.contains("X-Signature") }, "\(lines)")
    var unsigned = signed(nil, key)
    unsigned.options.isSigned = false
    try expectNil(client.httpRequest(for: unsigned).headers["X-Signature"])
  }

  @Test("S1-4 P13") func theSignerOfAServiceSignsItsOwnURLsOnly() throws {
    let addresses = ServiceAddresses(try require(URL(string: "https://b.example")))
    let shop = Bookshop(defaultCommon: [], signer: Counting(urls: urls), addresses: addresses)
    let client = client { $0.services = ServiceRegistry([shop]) }
    try expectNil(client.httpRequest(for: Request(.get, RequestPath(hook), service: "books")).headers["X-Sign"])
    try expectEqual(client.httpRequest(for: Request(.get, "/a", service: "books")).headers["X-Sign"], "1")
    // In its place, also where the service's does not sign.
    let own = try client.httpRequest(for: signed(nil, key, service: "books"))
    expect(own.headers["X-Signature"] != nil)
    expectNil(own.headers["X-Sign"])
  }

  @Test("S1-4 P13", arguments: [301, 307]) func noRedirectIsSigned(_ status: Int) {
    stub.on(.get, hook.path, .status(status, headers: ["Location": "https://other.example/a"]))
    stub.on(.get, "https://other.example/a", .status(status, headers: ["Location": "https://customer.example/b"]))
    stub.on(.get, "https://customer.example/b", .status(204))
    for signer in [Counting(urls: urls), key] as [any Signer] {
      stub.forgetRequests()
      let recorder = SignalRecorder(client().enqueue(request: signed(nil, signer), resultType: NoContent.self))
      expect(recorder.isCompleted)
      expectEqual(stub.requests.map { $0.url.host }, ["customer.example", "other.example", "customer.example"])
      expectEqual(signatures(signer is HMACSigner ? "X-Signature" : "X-Sign").map { $0 != nil }, [true, false, false])
    }
    expectEqual(urls.entries, [hook])
  }

  /// Within the origin a field of the signer remains, as every field of the request, but nothing is signed anew.
  @Test("S1-4 P13") func aRedirectWithinTheOriginIsNotSignedAnew() {
    stub.on(.get, hook.path, .status(302, headers: ["Location": "/b"]))
    stub.on(.get, "https://customer.example/b", .status(204))
    for signer in [Counting(urls: urls), key] as [any Signer] {
      SignalRecorder(client().enqueue(request: signed(nil, signer), resultType: NoContent.self)).dispose()
    }
    expectEqual(urls.entries, [hook])
    expectEqual(signatures(), ["1", "1", nil, nil])
    expectEqual(signatures("X-Signature").map { $0 != nil }, [false, false, true, false])
  }

  @Test("S1-4 P13", arguments: ["https://customer.example", "https://api.example"])
  func aLinkIsSignedWithinTheOriginOfTheRequestOnly(_ origin: String) throws {
    stub.on(.get, "/items", .json("[1]", headers: ["Link": "</more>; rel=next"]))
    stub.on(.get, "/more", .json("[2]", headers: ["Link": "<https://other.example/last>; rel=next"]))
    stub.on(.get, "https://other.example/last", .json("[3]", headers: ["Link": "<\(origin)/back>; rel=next"]))
    stub.on(.get, "/back", .json("[4]"))
    let request = signed(origin + "/items")
    let recorder = SignalRecorder(client().pages(request: request, of: Int.self).signal)
    expectEqual(recorder.values.map(\.value), [[1], [2], [3], [4]])
    expectEqual(signatures().map { $0 != nil }, [true, true, false, false])
    expectEqual(urls.entries, [origin + "/items", origin + "/more"])
  }

  /// A page that the app itself requests is signed like its first one.
  @Test("S1-4 P13") func aPageThatTheAppNamesIsSigned() {
    stub.on(.get, "*", .json("[1]"))
    let next = signed(hook + "?page=2")
    let pages = client().pages(request: signed(), as: [Int].self) { page in
      page.request?.url.query == nil ? next : nil
    }
    expectEqual(SignalRecorder(pages.signal).values.count, 2)
    expectEqual(urls.entries, [hook, hook + "?page=2"])
  }

  @Test("S1-4 S1-35") func eachAttemptIsSignedAnew() {
    stub.on(.get, hook.path, .status(503), .status(204))
    let client = client { $0.retry = Retry(limit: 1, backoff: .none) }
    expect(SignalRecorder(client.enqueue(request: signed(), resultType: NoContent.self)).isCompleted)
    expectEqual(urls.entries, [hook, hook])
    expectEqual(signatures(), ["1", "2"])
  }

  /// Its requests are not the request that waits for it: they have no signer of their own.
  @Test("S1-4 P13") func aRefreshIsNotSigned() {
    stub.on(.get, "/own", .status(401), .status(204))
    stub.on(.post, "/token", .status(204))
    let client = client {
      $0.recoveries = [Recovery { $0.enqueue(request: Request(.post, "/token"), resultType: NoContent.self) }]
    }
    let recorder = SignalRecorder(client.enqueue(request: signed("/own"), resultType: NoContent.self))
    expect(recorder.isCompleted)
    expectEqual(stub.requests.map { $0.url.path }, ["/own", "/token", "/own"])
    expectEqual(signatures(), ["1", nil, "2"])
  }
}

extension String {
  fileprivate var path: RequestPath { RequestPath(self) }
}
