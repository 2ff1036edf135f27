import Foundation
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

@testable import Heliograph

/// What a stored response belongs to: P9, S1-18, and the removal of one API's, one service's and one account's responses.
struct CacheKeyTests {
  struct Item: Codable, Sendable, Equatable { var id: Int }

  struct Shop: Service {
    let id: ServiceID
    var cache: CachePolicy { .timeToLive(.seconds(60)) }
    var ignoredParameters: Set<String> { ["timestamp", "sign"] }

    func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
      URL(string: "https://\(environment == .release ? "api" : "test").example.com").map { ServiceAddresses($0) }
    }
  }

  private let account = CurrentValue<String?>("ann")

  private func makeKit(_ configure: (inout NetworkClient.Configuration) -> Void = { _ in }) -> TestKit {
    let kit = TestKit {
      $0.services = ServiceRegistry([Shop(id: "shop"), Shop(id: "other")])
      $0.account = account
      configure(&$0)
    }
    kit.stub.on(.get, "/*") { _ in .json(Item(id: kit.stub.requests.count)) }
    return kit
  }

  private func value(_ kit: TestKit, _ request: Request) async throws -> Int {
    try await kit.client.value(of: request, as: Item.self).id
  }

  @Test("S3-1 S4-7") func theServiceStatesTheDefault() async throws {
    let kit = makeKit()
    let request = Request(.get, "/a", service: "shop")
    try await expectEqual(value(kit, request), 1)
    try await expectEqual(value(kit, request), 1)
    try await expectEqual(value(kit, Request(.get, "/a", service: "shop", cache: .none)), 2)
    try await expectEqual(value(kit, request), 1)
    try await expectEqual(value(kit, Request(.get, "/a")), 3)
    try await expectEqual(value(kit, Request(.get, "/a")), 4)
  }

  @Test("S4-7") func theDefaultNeverAnswersAnOrder() async throws {
    let kit = makeKit { $0.cachePolicy = .timeToLive(.seconds(60)) }
    kit.stub.on(.post, "/orders", .json(Item(id: 1)), .json(Item(id: 2)), .json(Item(id: 3)))
    try await expectEqual(value(kit, Request(.post, "/orders", service: "shop")), 1)
    try await expectEqual(value(kit, Request(.post, "/orders", service: "shop")), 2)
    try await expectEqual(value(kit, Request(.post, "/orders")), 3)
  }

  @Test("P9") func noResponseCrossesAccounts() async throws {
    let kit = makeKit()
    let request = Request(.get, "/a", service: "shop")
    try await expectEqual(value(kit, request), 1)
    account.value = "ben"
    try await expectEqual(value(kit, request), 2)
    account.value = nil
    try await expectEqual(value(kit, request), 3)
    account.value = ""
    try await expectEqual(value(kit, request), 4)
    account.value = "ann"
    try await expectEqual(value(kit, request), 1)
    kit.client.configuration.cache.removeAll(ofAccount: "ann")
    try await expectEqual(value(kit, request), 5)
    account.value = "ben"
    try await expectEqual(value(kit, request), 2)
  }

  /// The response to nobody may be that to a cookie or a token, which a client without accounts compares.
  @Test("P9", arguments: [true, false]) func aClientWithoutAccountsHasItsOwnResponses(_ isFirst: Bool) async throws {
    let cache = ResponseCache()
    for account in isFirst ? [nil, CurrentValue<String?>(nil)] : [CurrentValue<String?>(nil), nil] {
      let kit = makeKit {
        $0.cache = cache
        $0.account = account
      }
      let response = try await kit.client.send(Request(.get, "/a", service: "shop"), as: Item.self)
      expectEqual(response.source, .network)
    }
    cache.removeAll(ofAccount: nil)
    expectEqual(cache.memory.count, 0)
  }

  @Test("P9") func noResponseCrossesEnvironments() async throws {
    let environments = EnvironmentStore(build: .test, choices: [.test, .release], storage: .memory())
    let kit = makeKit { $0.environments = environments }
    let request = Request(.get, "/a", service: "shop")
    try await expectEqual(value(kit, request), 1)
    try environments.switch(to: .release)
    try await expectEqual(value(kit, request), 2)
    try environments.switch(to: .test)
    try await expectEqual(value(kit, request), 1)
  }

  @Test("P9") func aServiceHasItsOwnResponses() async throws {
    let kit = makeKit()
    try await expectEqual(value(kit, Request(.get, "/a", service: "shop")), 1)
    try await expectEqual(value(kit, Request(.get, "/a", service: "other")), 2)
    kit.client.configuration.cache.removeAll(ofService: "shop")
    try await expectEqual(value(kit, Request(.get, "/a", service: "other")), 2)
    try await expectEqual(value(kit, Request(.get, "/a", service: "shop")), 3)
  }

  @Test("P9") func oneAPIIsRemovedWithAllItsParametersAndForAllAccounts() async throws {
    let kit = makeKit()
    func request(_ path: RequestPath, _ page: Int) -> Request {
      Request(.get, path, service: "shop", query: ["page": page])
    }
    for page in 1...3 { _ = try await value(kit, request("/a", page)) }
    try await expectEqual(value(kit, request("/b", 1)), 4)
    account.value = "ben"
    try kit.client.removeCachedResponses(of: request("/a", 9))
    account.value = "ann"
    try await expectEqual(value(kit, request("/b", 1)), 4)
    try await expectEqual(value(kit, request("/a", 2)), 5)
    kit.client.configuration.cache.removeAll()
    try await expectEqual(value(kit, request("/b", 1)), 6)
  }

  /// The limit of a client, which may be another version of the app.
  @Test(arguments: [CachePolicy.http, .timeToLive(.seconds(60)), .onlyIfCached])
  func aClientThatLimitsRedirectsGetsNoResponseOfALongerChain(_ policy: CachePolicy) async throws {
    let (cache, stub) = (ResponseCache(), StubTransport())
    let fresh: HTTPHeaders = ["Cache-Control": "max-age=600"]
    for number in 0..<2 {
      var headers = fresh
      headers["Location"] = "/\(number + 1)"
      stub.on(.get, RequestPath("/\(number)"), .status(302, headers: headers))
    }
    stub.on(.get, "/2", .text("end", headers: fresh))
    func value(_ policy: CachePolicy, _ limit: Int, _ redirects: RedirectPolicy? = nil) async throws -> String {
      let client = NetworkClient(baseURL: URL(string: "https://api.example.com")) {
        ($0.transport, $0.cache, $0.redirectLimit) = (stub, cache, limit)
      }
      let request = Request(.get, "/0", cache: policy, options: .with { $0.redirects = redirects })
      return try await client.value(of: request, as: String.self)
    }
    try await expectEqual(value(policy == .onlyIfCached ? .timeToLive(.seconds(60)) : policy, 10), "end")
    try await expectEqual(value(policy, 2), "end")
    expectEqual(stub.requests.count, 3)
    for limit in [1, 0, -1] {
      let error = await #expect(throws: NetworkError.self) { try await value(policy, limit) }
      expectEqual(error?.code, policy == .onlyIfCached ? .notCached : .tooManyRedirects)
    }
    // The request's own limit replaces it.
    try await expectEqual(value(policy, 0, .follow(limit: 2)), "end")
  }

  @Test func ignoredParametersAreNoPartOfTheKey() async throws {
    let kit = makeKit()
    func request(_ time: Int, _ page: Int) -> Request {
      Request(.get, "/a", service: "shop", query: ["timestamp": time, "page": page, "sign": "x\(time)"])
    }
    try await expectEqual(value(kit, request(1, 1)), 1)
    try await expectEqual(value(kit, request(2, 1)), 1)
    try await expectEqual(value(kit, request(3, 2)), 2)
  }

  /// Forms in ISO 8859-1, `q=é` and `q=è`, and a combining mark after the separator.
  @Test func ignoredParametersOfAFormAreRemovedFromItsBytes() async throws {
    let kit = makeKit()
    kit.stub.on(.post, "/search") { _ in .json(Item(id: kit.stub.requests.count)) }
    func request(_ form: [UInt8]) -> Request {
      let body = RequestBody.data(Data(form), contentType: "application/x-www-form-urlencoded")
      return Request(.post, "/search", service: "shop", body: body, cache: .timeToLive(.seconds(60)))
    }
    let (sign, mark) = (Array("&sign=x".utf8), [UInt8(ascii: "&"), 0xCC, 0x81])
    try await expectEqual(value(kit, request([0x71, 0x3D, 0xE9])), 1)
    try await expectEqual(value(kit, request([0x71, 0x3D, 0xE8])), 2)
    try await expectEqual(value(kit, request([0x71, 0x3D, 0xE9] + sign)), 1)
    try await expectEqual(value(kit, request([0x71] + sign + mark + [0x61])), 3)
    try await expectEqual(value(kit, request([0x71] + sign + mark + [0x62])), 4)
  }

  @Test func aResponseIsForItsOwnCredentials() async throws {
    let kit = makeKit()
    func request(_ token: String) -> Request {
      Request(.get, "/a", service: "shop", headers: ["Authorization": "Bearer \(token)"])
    }
    try await expectEqual(value(kit, request("a")), 1)
    try await expectEqual(value(kit, request("b")), 2)
    try await expectEqual(value(kit, request("b")), 2)
    try await expectEqual(value(kit, request("a")), 3)
  }

  /// A field that logs redact is a credential, with and without an account.
  @Test("P9", arguments: ["X-Session", "token", "X-JWT", "Ocp-Apim-Subscription-Key"], [true, false])
  func aFieldWithTheNameOfASecretIsACredential(_ name: String, hasAccount: Bool) async throws {
    let kit = makeKit { if !hasAccount { $0.account = nil } }
    func request(_ user: String) -> Request {
      Request(.get, "/me", headers: [name: user], cache: .timeToLive(.seconds(60)))
    }
    for (user, id) in [("alice", 1), ("alice", 1), ("bob", 2), ("bob", 2)] {
      try await expectEqual(value(kit, request(user)), id)
    }
  }

  @Test(arguments: ["X-Request-ID", "Idempotency-Key", "X-Timestamp", "X-Nonce", "Sec-Fetch-Site", "traceparent"])
  func aFieldThatDiffersInEachRequestIsNoCredential(_ name: String) async throws {
    let kit = makeKit()
    for user in ["1", "2"] {
      let request = Request(.get, "/me", headers: [name: user], cache: .timeToLive(.seconds(60)))
      try await expectEqual(value(kit, request), 1)
    }
  }

  @Test("P9") func aChangeOfAccountInFlightStoresNothingForTheNextOne() async throws {
    let kit = makeKit()
    kit.stub.on(.get, "/slow", StubAnswer.json(Item(id: 100)).delayed(by: .seconds(1)), .json(Item(id: 200)))
    let request = Request(.get, "/slow", service: "shop")
    let recorder = SignalRecorder(kit.client.enqueue(request: request, resultType: Item.self))
    account.value = "ben"
    await kit.clock.advance(by: .seconds(2))
    expectEqual(recorder.failure?.code, .contextChanged)
    try await expectEqual(value(kit, request), 200)
    account.value = "ann"
    let error = await #expect(throws: NetworkError.self) {
      try await value(kit, Request(.get, "/slow", service: "shop", cache: .onlyIfCached))
    }
    expectEqual(error?.code, .notCached)
  }
}
