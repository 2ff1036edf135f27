import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// Requests that the service's signer signs: what it adds differs each time and is no part of the key, unlike whether it
/// signs.
struct CacheSignedTests {
  struct Item: Codable, Sendable, Equatable { var id: Int }

  /// A signer whose parameter distinguishes users.
  private struct UserSigner: Signer {
    let user: CurrentValue<String>
    func sign(_ draft: inout RequestDraft) throws(NetworkError) { draft.query.append(ParameterPair("uid", user.value)) }
  }

  private struct CountingSigner: Signer {
    let count: CurrentValue<Int>
    func sign(_ draft: inout RequestDraft) throws(NetworkError) { count.modify { $0 += 1 } }
  }

  private func kit(
    _ signer: any Signer = HMACSigner(key: Data("secret".utf8)), _ network: ManualReachability? = nil
  ) -> TestKit {
    let kit = TestKit {
      $0.services = ServiceRegistry([Bookshop(defaultCommon: [], signer: signer)])
      if let network { $0.reachability = network }
    }
    kit.stub.on(.get, "/v1/*") { _ in .json(Item(id: kit.stub.requests.count)) }
    return kit
  }

  private func request(policy: CachePolicy) -> Request { request(["q": "a"], policy) }

  private func request(_ query: Parameters = ["q": "a"], _ policy: CachePolicy = .timeToLive(.seconds(60))) -> Request {
    Request(.get, "a", service: "books", query: query, cache: policy)
  }

  private func response(_ kit: TestKit, _ request: Request) async throws -> Response<Item> {
    try await kit.client.send(request, as: Item.self)
  }

  @Test("S3-2 S1-35") func aSignedRequestIsFound() async throws {
    let kit = kit()
    try await expectEqual(response(kit, request()).source, .network)
    // The signer replaces a parameter that has the name of one of its own.
    for query in [["q": "a"], ["q": "a", "timestamp": 1]] as [Parameters] {
      try await expectEqual(response(kit, request(query)).source, .cache(age: .zero))
    }
    expectEqual(kit.stub.requests.count, 1)
    expect(kit.stub.requests.allSatisfy { $0.url.query?.contains("sign=") == true })
    try await expectEqual(response(kit, request(["q": "b"])).source, .network)
  }

  @Test("S3-2 S1-35") func aSignedFormIsFound() async throws {
    let kit = kit()
    kit.stub.on(.post, "/v1/search") { _ in .json(Item(id: kit.stub.requests.count)) }
    func search(_ text: String) -> Request {
      Request(.post, "search", service: "books", parameters: ["q": text], cache: .timeToLive(.seconds(60)))
    }
    try await expectEqual(response(kit, search("a")).value.id, 1)
    try await expectEqual(response(kit, search("a")).value.id, 1)
    try await expectEqual(response(kit, search("b")).value.id, 2)
  }

  @Test("S1-35", arguments: [false, true]) func aSignedRequestIsValidated(_ isCoalesced: Bool) async throws {
    let kit = kit()
    kit.stub.on(.get, "/v1/a") { request in
      let headers: HTTPHeaders = ["Cache-Control": "no-cache", "ETag": "\"1\""]
      return request.headers["If-None-Match"] == nil
        ? .json(Item(id: 7), headers: headers) : .status(304, headers: headers)
    }
    var request = request(["q": "a", "nonce": "own"], .http)
    request.options.isCoalesced = isCoalesced
    try await expectEqual(response(kit, request).source, .network)
    for _ in 0..<2 { try await expectEqual(response(kit, request).source, .revalidated) }
    expectEqual(kit.stub.requests.count, 3)
  }

  /// A server rejects a nonce that it has received.
  @Test("S1-35", arguments: [HMACSigner.Location.query, .header]) func aRequestThatIsSentAgainIsSignedAgain(
    _ location: HMACSigner.Location
  ) async throws {
    let kit = kit(HMACSigner(key: Data("secret".utf8), location: location, nonceName: "nonce"))
    kit.stub.on(.get, "/v1/a") { request in
      // The 304 is about another response than the stored one.
      request.headers["If-None-Match"] == nil
        ? .json(Item(id: kit.stub.requests.count), headers: ["Cache-Control": "no-cache", "ETag": "\"1\""])
        : .status(304, headers: ["ETag": "\"2\""])
    }
    for id in [1, 3] { try await expectEqual(response(kit, request(policy: .http)).value.id, id) }
    let nonces = kit.stub.requests.map { request in
      let pairs = request.url.query?.split(separator: "&") ?? []
      return request.headers["nonce"] ?? pairs.first { $0.hasPrefix("nonce=") }.map(String.init)
    }
    expectEqual(Set(nonces).count, 3)
    // It is stored.
    try await expectEqual(response(kit, request(policy: .onlyIfCached)).value.id, 3)
  }

  /// Its filters and common parameters would run again, too.
  @Test("S1-25 S1-35") func anotherSignerIsAskedOncePerAttempt() async throws {
    let count = CurrentValue(0)
    let kit = kit(CountingSigner(count: count))
    kit.stub.on(.get, "/v1/a") { request in
      request.headers["If-None-Match"] == nil
        ? .json(Item(id: kit.stub.requests.count), headers: ["Cache-Control": "no-cache", "ETag": "\"1\""])
        : .status(304, headers: ["ETag": "\"2\""])
    }
    for id in [1, 3] { try await expectEqual(response(kit, request(policy: .http)).value.id, id) }
    expectEqual(count.value, 2)
  }

  /// Whoever signs the one or the other.
  @Test("S1-35", arguments: [true, false]) func anUnsafeRequestInvalidatesWhatIsStored(_ isSigned: Bool) async throws {
    let kit = kit()
    kit.stub.on(.post, "/v1/a", .status(204))
    var get = request([:])
    get.options.isSigned = isSigned
    var (unsigned, own) = (Request(.post, "a", service: "books"), Request(.post, "a", service: "books"))
    unsigned.options.isSigned = false
    own.options.signer = HMACSigner(key: Data("other".utf8))
    for post in [Request(.post, "a", service: "books"), unsigned, own] {
      let stored = try await response(kit, get).value
      try await expectEqual(response(kit, get).value, stored)
      _ = try await kit.client.send(post)
      try await expectEqual(response(kit, get).value.id, stored.id + 2)
    }
  }

  /// Without a network nothing is signed by it.
  @Test("S3-4 S1-35") func offlineASignedResponseIsFound() async throws {
    let network = ManualReachability(.reachable)
    let signatureCount = CurrentValue(0)
    let signer = HMACSigner(
      key: Data("secret".utf8),
      now: {
        signatureCount.modify { $0 += 1 }
        return Date()
      })
    let kit = kit(signer, network)
    try await expectEqual(response(kit, request(["q": "a"], .networkThenCache)).source, .network)
    network.set(.unreachable)
    try await expectEqual(response(kit, request(["q": "a"], .networkThenCache)).source, .cache(age: .zero))
    expectEqual(signatureCount.value, 1)
  }

  /// Its path is sent with escapes in upper case.
  @Test func offlineASignedResponseOfAnEscapedPathIsFound() async throws {
    let network = ManualReachability(.reachable)
    let kit = kit(HMACSigner(key: Data("secret".utf8)), network)
    let request = Request(.get, "caf%c3%a9", service: "books", cache: .networkThenCache)
    try await expectEqual(response(kit, request).source, .network)
    network.set(.unreachable)
    try await expectEqual(response(kit, request).source, .cache(age: .zero))
  }

  /// What it adds is part of the key, also without a network.
  @Test("S3-4 T15 S1-35") func offlineAResponseOfAnotherSignerIsFound() async throws {
    let (network, user) = (ManualReachability(.reachable), CurrentValue("ann"))
    let kit = kit(UserSigner(user: user), network)
    try await expectEqual(response(kit, request()).source, .network)
    network.set(.unreachable)
    for policy in [CachePolicy.timeToLive(.seconds(60)), .networkThenCache, .onlyIfCached] {
      try await expectEqual(response(kit, request(["q": "a"], policy)).source, .cache(age: .zero))
    }
    func events(_ query: Parameters = ["q": "a"]) -> SignalRecorder<Response<Item>, NetworkError> {
      SignalRecorder(kit.client.enqueue(request: request(query, .cacheThenNetwork), resultType: Item.self))
    }
    let permanent = events()
    expectEqual(permanent.values.map(\.value.id), [1])
    expectEqual(permanent.failure?.code, NetworkError.Code(.client, 668))
    user.value = "bob"
    let foreign = events()
    expect(foreign.values.isEmpty)
    expectEqual(foreign.failure?.code, .unreachable)
    expectEqual(kit.stub.requests.count, 1)
  }

  @Test("S3-2 S1-35") func anotherSignersParametersDistinguishUsers() async throws {
    let user = CurrentValue("ann")
    let kit = kit(UserSigner(user: user))
    try await expectEqual(response(kit, request()).value.id, 1)
    user.value = "bob"
    try await expectEqual(response(kit, request()).value.id, 2)
    user.value = "ann"
    try await expectEqual(response(kit, request()).value.id, 1)
  }

  @Test(arguments: [true, false]) func aHeaderSignatureAndNoneAreDifferentRequests(_ isSigned: Bool) async throws {
    let kit = kit(HMACSigner(key: Data("secret".utf8), location: .header))
    kit.stub.on(.post, "/v1/a", .status(204))
    let signed = request([:])
    var (unsigned, post) = (signed, Request(.post, "a", service: "books"))
    unsigned.options.isSigned = false
    post.options.isSigned = isSigned
    for _ in 0..<2 { try await expectEqual(response(kit, signed).value.id, 1) }
    for _ in 0..<2 { try await expectEqual(response(kit, unsigned).value.id, 2) }
    _ = try await kit.client.send(post)
    for (request, id) in [(signed, 4), (unsigned, 5)] { try await expectEqual(response(kit, request).value.id, id) }
  }

  @Test("S3-2 S1-35") func anotherKeyAndNoSignatureAreOtherRequests() async throws {
    let kit = kit()
    var (other, unsigned) = (request(), request())
    other.options.signer = HMACSigner(key: Data("another".utf8))
    unsigned.options.isSigned = false
    try await expectEqual(response(kit, request()).value.id, 1)
    try await expectEqual(response(kit, other).value.id, 2)
    for _ in 0..<2 { try await expectEqual(response(kit, unsigned).value.id, 3) }
    try await expectEqual(response(kit, request()).value.id, 1)
  }

  /// Two keys may belong to two users, and what they add to the header is not compared.
  @Test("S3-2 S1-35") func aRequestWithItsOwnSignerInheritsNoPolicy() async throws {
    let kit = TestKit { $0.cachePolicy = .timeToLive(.seconds(60)) }
    kit.stub.on(.get, "/a", .json(Item(id: 1)), .json(Item(id: 2)))
    for id in [1, 2] {
      let signer = HMACSigner(key: Data("key \(id)".utf8), location: .header)
      let request = Request(.get, "/a", options: .with { $0.signer = signer })
      try await expectEqual(kit.client.value(of: request, as: Item.self).id, id)
    }
    let stored = Request(.get, "/a", cache: .onlyIfCached)
    try await expectEqual(kit.client.failure(of: stored, as: Item.self).code, .notCached)
  }

  @Test("S3-2 S1-35") func theNamesOfASignerAreItsOwn() async throws {
    // The name of a signature is secret in the whole process: no word of other tests.
    let signer = HMACSigner(
      key: Data("secret".utf8), signatureName: "cached_mark", timestampName: "cached_time", nonceName: "cached_once")
    let kit = kit(signer)
    for _ in 0..<2 { try await expectEqual(response(kit, request(["sign": "a"])).value.id, 1) }
    try await expectEqual(response(kit, request(["sign": "b"])).value.id, 2)
  }
}
