import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Identical safe requests in flight share one exchange, over real sockets.
struct CoalescingTests {
  private let server: LoopbackServer
  private let gate = DispatchSemaphore(value: 0)  // blocks: the thread of the server

  init() throws {
    server = try LoopbackServer()
    server.route("*", "*") { [gate] _ in
      // Not for ever: the server of a test that fails must stop.
      _ = gate.wait(timeout: .now() + 300)
      return .text("whole")
    }
    server.route("GET", "/never") { _ in .never }
  }

  /// Lets the server answer so many requests; until then it does nothing else, and its log is polled.
  private func answer(_ count: Int) { for _ in 0..<count { gate.signal() } }

  private func client(
    _ kind: TransportKind, _ configure: (inout NetworkClient.Configuration) -> Void = { _ in }
  ) throws -> NetworkClient {
    var configuration = NetworkClient.Configuration(
      baseURL: server.baseURL, idleTimeout: .seconds(3_600), services: [], transport: try kind.transport())
    configure(&configuration)
    return NetworkClient(configuration)
  }

  private func request(_ path: String, _ set: (inout RequestOptions) -> Void = { _ in }) -> Request {
    var options = RequestOptions.with { $0.isCoalesced = true }
    set(&options)
    return Request(.get, RequestPath(path), options: options)
  }

  private func text(_ recorder: SignalRecorder<Response<Data>, NetworkError>) -> [String] {
    recorder.values.map { String(decoding: $0.value, as: UTF8.self) }
  }

  @Test("P4", arguments: TransportKind.present) func fiveSubscribersOneConnectionAndOneRequest(
    _ kind: TransportKind
  ) async throws {
    let client = try client(kind)
    let recorders = (0..<5).map { _ in SignalRecorder(client.exchange(request: request("/a"))) }
    answer(1)
    for recorder in recorders {
      await recorder.waitForEnd()
      expectEqual(text(recorder), ["whole"])
      expect(recorder.isCompleted)
      expect(recorder.violations.isEmpty)
    }
    expectEqual(server.log.acceptedCount, 1)
    expectEqual(server.log.requests.count, 1)
    expectEqual(recorders.map { $0.values.first?.source }, [.network] + Array(repeating: .shared, count: 4))
    // Nothing is shared with an exchange that has ended.
    let next = SignalRecorder(client.exchange(request: request("/a")))
    answer(1)
    await next.waitForEnd()
    expectEqual(next.values.first?.source, .network)
    expectEqual(server.log.requests.count, 2)
  }

  @Test("P4", arguments: TransportKind.present) func theFirstMayLeave(_ kind: TransportKind) async throws {
    let client = try client(kind)
    let recorders = (0..<5).map { _ in SignalRecorder(client.exchange(request: request("/a"))) }
    recorders[0].dispose()
    answer(1)
    for recorder in recorders.dropFirst() {
      await recorder.waitForEnd()
      expectEqual(text(recorder), ["whole"])
      expect(recorder.isCompleted)
    }
    expect(recorders[0].events.isEmpty)
    expectEqual(server.log.acceptedCount, 1)
    expectEqual(server.log.requests.count, 1)
  }

  @Test("P4", arguments: TransportKind.present) func theLastClosesTheConnection(_ kind: TransportKind) async throws {
    struct Counted: Transport {
      let next: any Transport
      let disposalCount = CurrentValue(0)

      func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
        next.send(request).on(dispose: { disposalCount.modify { $0 += 1 } })
      }
    }
    let transport = Counted(next: try kind.transport())
    let client = try client(kind) { $0.transport = transport }
    let recorders = (0..<5).map { _ in SignalRecorder(client.exchange(request: request("/never"))) }
    await expect(server.wait { $0.requests.count == 1 })
    for recorder in recorders.dropLast() { recorder.dispose() }
    expectEqual(transport.disposalCount.value, 0)
    recorders[4].dispose()
    expectEqual(transport.disposalCount.value, 1)
    await expect(server.wait { $0.connections.first?.isClosedByClient == true })
    expect(recorders.allSatisfy { $0.events.isEmpty })
    expectEqual(server.log.acceptedCount, 1)
  }

  @Test func itIsOffByDefault() async throws {
    let client = try client(.urlSession)
    let recorders = (0..<3).map { _ in SignalRecorder(client.exchange(request: "/a")) }
    answer(3)
    for recorder in recorders { await recorder.waitForEnd() }
    expectEqual(server.log.requests.count, 3)
    expect(recorders.allSatisfy { $0.values.first?.source == .network })
  }

  @Test("P4") func whatDiffersIsNotShared() async throws {
    let client = try client(.urlSession)
    var requests = [
      request("/a"), request("/a?page=2"), request("/b"), request("/a") { $0.idleTimeout = .seconds(7) },
      request("/a") { $0.middleware = [.authorization { .just(nil) }] },
      request("/a") { $0.middleware = [.authorization { .just(nil) }] },
    ]
    var signedIn = request("/a")
    signedIn.headers["Authorization"] = "Bearer a"
    requests.append(signedIn)
    signedIn.headers["Authorization"] = "Bearer b"
    requests.append(signedIn)
    for method in [HTTPMethod.head, .post, .post, .put, .put, "PROPFIND", "PROPFIND"] {
      requests.append(Request(method, "/a", options: .with { $0.isCoalesced = true }))
    }
    let recorders = requests.map { SignalRecorder(client.exchange(request: $0)) }
    answer(requests.count)
    for recorder in recorders {
      await recorder.waitForEnd()
      expectEqual(recorder.values.first?.source, .network)
    }
    expectEqual(server.log.requests.count, requests.count)
    // Priority and total timeout are not compared.
    server.forgetRequests()
    let alike = [
      request("/a"), request("/a") { $0.priority = .high }, request("/a") { $0.totalTimeout = .seconds(60) },
    ]
    let sharing = alike.map { SignalRecorder(client.exchange(request: $0)) }
    answer(1)
    for recorder in sharing {
      await recorder.waitForEnd()
      expect(recorder.isCompleted)
    }
    expectEqual(server.log.requests.count, 1)
  }

  /// It changes nothing on the server.
  @Test("P4") func aQueryOfWebDAVBetweenThemLeavesThemShared() async throws {
    let client = try client(.urlSession)
    let isOpen = Guarded(false)
    server.route("GET", "/slow") { _ in
      await until { isOpen.withLock { $0 } }
      return .text("whole")
    }
    server.route("PROPFIND", "/b") { _ in .text("b") }
    let first = SignalRecorder(client.exchange(request: request("/slow")))
    let query = SignalRecorder(client.exchange(request: Request("PROPFIND", "/b")))
    await query.waitForEnd()
    expect(query.isCompleted)
    let second = SignalRecorder(client.exchange(request: request("/slow")))
    isOpen.withLock { $0 = true }
    for recorder in [first, second] {
      await recorder.waitForEnd()
      expectEqual(text(recorder), ["whole"])
    }
    expectEqual(second.values.first?.source, .shared)
    expectEqual(server.log.requests.count, 2)
  }

  @Test("P4", arguments: [HMACSigner.Location.query, .header]) func signedRequestsAreShared(
    _ location: HMACSigner.Location
  ) async throws {
    let signer = HMACSigner(key: Data("secret".utf8), location: location)
    let service = Bookshop(
      defaultCommon: [], signer: signer, addresses: ServiceAddresses(server.baseURL))
    let client = try client(.urlSession) { $0.services = ServiceRegistry([service]) }
    func signed(_ path: RequestPath) -> Request {
      Request(.get, path, service: "books", options: .with { $0.isCoalesced = true })
    }
    let recorders = ["/a?x=1", "/a?x=1", "/a?x=2"].map { SignalRecorder(client.exchange(request: signed($0))) }
    answer(2)
    for recorder in recorders {
      await recorder.waitForEnd()
      expectEqual(text(recorder), ["whole"])
    }
    expectEqual(recorders.map { $0.values.first?.source }, [.network, .shared, .network])
    expectEqual(server.log.requests.count, 2)
    let verifier = SignatureVerifier(location: location, names: location == .query ? .query : .header)
    expect(server.log.requests.allSatisfy { verifier.accepts($0) })
  }

  @Test("P4", arguments: TransportKind.present) func aTotalTimeoutIsOnesOwn(_ kind: TransportKind) async throws {
    let clock = VirtualScheduler()
    let client = try client(kind) { $0.scheduler = clock }
    let hasty = SignalRecorder(client.exchange(request: request("/late") { $0.totalTimeout = .milliseconds(100) }))
    let patient = SignalRecorder(client.exchange(request: request("/late")))
    let alsoHasty = SignalRecorder(client.exchange(request: request("/late") { $0.totalTimeout = .milliseconds(100) }))
    await until { !server.log.requests.isEmpty }
    expectEqual(server.log.requests.count, 1)
    clock.advance(by: .milliseconds(100))
    for recorder in [hasty, alsoHasty] {
      await recorder.waitForEnd()
      expectEqual(recorder.failure?.code, .timedOut)
      expectEqual(recorder.failure?.request?.totalTimeout, .milliseconds(100))
    }
    expect(patient.events.isEmpty)
    answer(1)
    await patient.waitForEnd()
    expectEqual(text(patient), ["whole"])
    expectEqual(server.log.requests.count, 1)
  }

  @Test("P4 P9", arguments: TransportKind.present) func aChangeOfTheAccountEndsAllOfThem(
    _ kind: TransportKind
  ) async throws {
    let account = CurrentValue<String?>("ann")
    let client = try client(kind) { $0.account = account }
    let recorders = (0..<5).map { _ in SignalRecorder(client.exchange(request: request("/never"))) }
    await expect(server.wait { $0.requests.count == 1 })
    account.value = "ben"
    for recorder in recorders {
      expectEqual(recorder.failure?.code, .contextChanged)
      expectEqual(recorder.events.count, 1)
    }
    let next = SignalRecorder(client.exchange(request: request("/never")))
    await expect(server.wait { $0.requests.count == 2 })
    await expect(server.wait { $0.connections.first?.isClosedByClient == true })
    expect(next.events.isEmpty)
  }

  /// Signers of requests cannot be compared, and a signed request is another one than its unsigned twin.
  @Test("P4") func requestsOfDifferentSignersAreNotShared() throws {
    struct Stamp: Signer {
      let name: String
      func sign(_ draft: inout RequestDraft) throws(NetworkError) { draft.headers["X-Stamp"] = name }
    }
    let kit = TestKit()
    kit.stub.on(.get, "/me", .never)
    let requests = ["a", "b"].map { name in
      Request(
        .get, "/me",
        options: .with {
          $0.isCoalesced = true
          $0.signer = Stamp(name: name)
        })
    }
    let plain = Request(.get, "/me", options: .with { $0.isCoalesced = true })
    let recorders = (requests + [plain, plain]).map { SignalRecorder(kit.client.exchange(request: $0)) }
    expectEqual(kit.stub.requests.map { $0.headers["X-Stamp"] }, ["a", "b", nil])
    withExtendedLifetime(recorders) {}
  }

  /// Middleware adds the token, which is not compared.
  @Test("P4") func nothingJoinsAnExchangeFromBeforeATokenRefresh() {
    let token = CurrentValue("old")
    let kit = TestKit {
      $0.middleware = [.bearer { token.value }]
      $0.recoveries = [.renewing(token)]
    }
    kit.stub.on(.get, "/me", .never)
    kit.stub.on(.get, "/a", .status(401), .json("1"))
    let me = request("/me") { $0.allowsRecovery = false }
    let before = SignalRecorder(kit.client.exchange(request: me))
    let recovered = SignalRecorder(kit.client.enqueue(request: "/a", resultType: Int.self))
    expectEqual(recovered.values.map(\.value), [1])
    let after = [me, me].map { SignalRecorder(kit.client.exchange(request: $0)) }
    expectEqual(kit.stub.requests(to: "/me").map { $0.headers["Authorization"] }, ["Bearer old", "Bearer new"])
    withExtendedLifetime((before, after)) {}
  }

  @Test("P4", arguments: [true, false]) func requestsWithDifferentCookiesAreNotShared(_ hasAccounts: Bool) throws {
    let storage = try HTTPCookieStorage.inMemory
    let kit = TestKit {
      $0.cookies = storage
      if hasAccounts { $0.account = CurrentValue<String?>("ann") }
    }
    kit.stub.on(.get, "/me", .never)
    kit.stub.on(.get, "/login", .status(200, headers: ["Set-Cookie": "session=ann"]))
    let before = SignalRecorder(kit.client.exchange(request: request("/me")))
    _ = SignalRecorder(kit.client.exchange(request: "/login"))
    let after = (0..<2).map { _ in SignalRecorder(kit.client.exchange(request: request("/me"))) }
    expectEqual(kit.stub.requests(to: "/me").map { $0.headers["Cookie"] }, [nil, "session=ann"])
    withExtendedLifetime((before, after)) {}
  }
}
