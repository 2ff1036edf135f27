import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// The one place to sign out, with the server's error.
struct UnauthorizedTests {
  private let errors = CurrentValue<[NetworkError]>([])
  private let token = CurrentValue<String?>("old")

  private func server() throws -> LoopbackServer {
    let server = try LoopbackServer()
    server.route("GET", "/orders") {
      $0.header("Authorization") == "Bearer new" ? .json("[1]") : .json(#"{"message":"Bad credentials"}"#, status: 401)
    }
    return server
  }

  private func client(
    _ server: LoopbackServer, _ configure: (inout NetworkClient.Configuration) -> Void = { _ in }
  ) -> NetworkClient {
    NetworkClient(baseURL: server.baseURL) { [errors, token] in
      $0.middleware = [.bearer { token.value }]
      $0.onUnauthorized = { error in
        errors.modify { $0.append(error) }
        token.value = nil
      }
      configure(&$0)
    }
  }

  /// Middleware that holds all requests until it is opened.
  private struct Gate: Middleware {
    let isOpen = CurrentValue(false)

    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      isOpen.signal.filter { $0 }.take(1).flatMap { _ in next(request) }
    }
  }

  private func failures(_ client: NetworkClient, _ count: Int, _ gate: Gate? = nil) async -> [NetworkError] {
    let recorders = (0..<count).map { _ in SignalRecorder(client.enqueue(request: "/orders", resultType: [Int].self)) }
    gate?.isOpen.value = true
    for recorder in recorders { await recorder.waitForEnd() }
    return recorders.compactMap(\.failure)
  }

  private func body(_ error: NetworkError?) -> String? {
    error?.response.map { String(decoding: $0.value, as: UTF8.self) }
  }

  @Test func isCalledOnceForManyRequestsWithTheServersError() async throws {
    let (server, gate) = (try server(), Gate())
    let client = client(server) { $0.middleware.append(gate) }
    let failures = await failures(client, 20, gate)
    expectEqual(failures.map(\.code), Array(repeating: .status(401), count: 20))
    expect(failures.allSatisfy { body($0) == #"{"message":"Bad credentials"}"# })
    // The closure runs after the failures were delivered.
    await until { !errors.value.isEmpty && token.value == nil }
    expectEqual(errors.value.count, 1)
    expectEqual(body(errors.value.first), #"{"message":"Bad credentials"}"#)
  }

  @Test func isCalledAfterARefreshThatWasRejectedAtAnotherOrigin() async throws {
    let (server, issuer) = (try server(), try LoopbackServer())
    issuer.route("POST", "/token") { _ in .status(401) }
    let tokens = NetworkClient(baseURL: issuer.baseURL)
    let client = client(server) {
      $0.recoveries = [
        Recovery { _ in tokens.enqueue(request: Request(.post, "/token"), resultType: NoContent.self).map { _ in } }
      ]
    }
    await expectEqual(failures(client, 1).map(\.code), [.status(401)])
    await until { !errors.value.isEmpty }
    expectEqual(errors.value.first?.response?.url.path, "/token")
  }

  /// The stub answers within the subscription, so the closure has returned when a request has been subscribed to.
  @Test func isCalledAnewForARequestThatBeginsAfterItHasReturned() {
    let stub = StubTransport()
    stub.on(.get, "/orders", .status(401))
    let (gate, during) = (Gate(), CurrentValue<(@Sendable () -> Void)?>(nil))
    let client = NetworkClient(baseURL: URL(string: "https://api.example.com")) { [errors] in
      $0.transport = stub
      $0.processing = .immediate
      $0.onUnauthorized = { error in
        errors.modify { $0.append(error) }
        during.value?()
      }
    }
    let gated = Request(.get, "/orders", options: .with { $0.middleware = [gate] })
    let recorders = CurrentValue<[SignalRecorder<Response<[Int]>, NetworkError>]>([])
    @Sendable func send(_ request: Request) {
      let recorder = SignalRecorder(client.enqueue(request: request, resultType: [Int].self))
      recorders.modify { $0.append(recorder) }
    }
    send(gated)
    during.value = { send(gated) }
    send("/orders")
    expectEqual(errors.value.count, 1)
    during.value = nil
    // Those that began before the call and during it.
    gate.isOpen.value = true
    expectEqual(recorders.value.map { $0.failure?.code }, Array(repeating: .status(401), count: 3))
    expectEqual(errors.value.count, 1)
    send("/orders")
    expectEqual(errors.value.count, 2)
  }

  @Test func isCalledAfterARefreshInVain() async throws {
    let server = try server()
    let client = client(server) { [token] in
      $0.recoveries = [Recovery(scheduler: VirtualScheduler()) { _ in token.value = "stale" }]
    }
    let failures = await failures(client, 1)
    expectEqual(failures.map(\.code), [.status(401)])
    await until { !errors.value.isEmpty }
    expectEqual(errors.value.count, 1)
  }

  @Test func isCalledAfterTooManyRefreshes() async throws {
    let server = try server()
    let client = client(server) { $0.recoveries = [Recovery(limit: 1, scheduler: VirtualScheduler()) { _ in }] }
    var failures: [NetworkError] = []
    for count in 1...2 {
      failures += await self.failures(client, 1)
      await until { errors.value.count == count }
    }
    expectEqual(failures.map(\.code), [.status(401), .recoveryRefused])
    expectEqual(failures.map(\.isUnauthorized), [true, true])
    expectEqual(body(errors.value.last), #"{"message":"Bad credentials"}"#)
  }

  @Test(arguments: [401, 500]) func isCalledForARefreshThatTheServerRejects(_ status: Int) async throws {
    let server = try server()
    server.route("POST", "/token") { _ in .status(status) }
    let gate = Gate()
    let client = client(server) {
      $0.middleware.append(gate)
      $0.recoveries = [
        Recovery(scheduler: VirtualScheduler()) {
          _ = try await $0.value(of: Request(.post, "/token"), as: NoContent.self)
        }
      ]
    }
    let failures = await failures(client, 5, gate)
    expectEqual(failures.map(\.code), Array(repeating: .status(status), count: 5))
    if status == 401 { await until { !errors.value.isEmpty } }
    expectEqual(errors.value.map(\.code), status == 401 ? [.status(401)] : [])
  }

  @Test func isCalledForARefreshThatHasNothingToSend() async throws {
    let (server, gate) = (try server(), Gate())
    let client = client(server) {
      $0.middleware.append(gate)
      $0.recoveries = [
        Recovery(scheduler: VirtualScheduler()) { (_: NetworkClient) async throws in throw NetworkError(.status(401)) }
      ]
    }
    let failures = await failures(client, 5, gate)
    expectEqual(failures.map(\.code), Array(repeating: .status(401), count: 5))
    await until { !errors.value.isEmpty }
    expectEqual(errors.value.count, 1)
    expectEqual(server.log.requests(to: "/orders").count, 5)
  }

  @Test func isNotCalledAfterARefreshThatHelps() async throws {
    let server = try server()
    let client = client(server) { [token] in
      $0.recoveries = [Recovery(scheduler: VirtualScheduler()) { _ in token.value = "new" }]
    }
    let failures = await failures(client, 5)
    expect(failures.isEmpty)
    expect(errors.value.isEmpty)
  }

  @Test func isNotCalledForAnotherOriginOrALogIn() async throws {
    let (server, other) = (try server(), try server())
    let client = client(server)
    let address = other.url("/orders").absoluteString
    for request in [
      Request(.get, RequestPath(address)), Request(.get, "/orders", options: .with { $0.allowsRecovery = false }),
    ] {
      let recorder = SignalRecorder(client.enqueue(request: request, resultType: [Int].self))
      await recorder.waitForEnd()
      expectEqual(recorder.failure?.code, .status(401))
    }
    expect(errors.value.isEmpty)
  }

  /// A stub whose `/film` is at another host, which answers 401.
  private func moved(setting cookie: String? = nil) -> StubTransport {
    let stub = StubTransport()
    let target: HTTPHeaders = ["Location": "https://files.example.com/old"]
    stub.on(.get, "https://files.example.com/old", .status(302, headers: ["Location": "/film"]))
    stub.on(.get, "/film", .status(302, headers: target))
    stub.on(.post, "/token", .status(303, headers: target))
    stub.on(.get, "https://files.example.com/film", .status(401))
    stub.on(.get, "/log-in", .status(204, headers: cookie.map { ["Set-Cookie": $0] } ?? [:]))
    return stub
  }

  /// Returns the failure of a request over a stub, and the number of refreshes.
  private func failure(
    over stub: StubTransport, _ request: Request = "https://api.example.com/film",
    _ configure: (inout NetworkClient.Configuration) throws -> Void
  ) throws -> (code: NetworkError.Code?, refreshCount: Int) {
    let refreshCount = CurrentValue(0)
    var configuration = NetworkClient.Configuration()
    // Services that other tests register in the shared one would have origins.
    configuration.services = ServiceRegistry()
    configuration.transport = stub
    configuration.processing = .immediate
    configuration.onUnauthorized = { [errors] error in errors.modify { $0.append(error) } }
    configuration.recoveries = [
      Recovery { () -> Signal<Void, NetworkError> in
        refreshCount.modify { $0 += 1 }
        return .just(())
      }
    ]
    try configure(&configuration)
    let client = NetworkClient(configuration)
    client.enqueue(request: "https://api.example.com/log-in", resultType: NoContent.self).subscribe { _ in }
    let recorder = SignalRecorder(client.enqueue(request: request, resultType: [Int].self))
    return (recorder.failure?.code, refreshCount.value)
  }

  @Test(arguments: [true, false]) func aServerThatHasNotSeenTheCredentialsRejectsNone(_ isOwn: Bool) throws {
    let stub = moved()
    var request: Request = "https://api.example.com/film"
    if !isOwn { request.headers["X-Session"] = "old" }
    let (code, refreshCount) = try failure(over: stub, request) { [token] in
      if !isOwn { return }
      $0.trustedOrigins = [Origin(host: "api.example.com"), Origin(host: "files.example.com")]
      $0.middleware = [.bearer { token.value }]
    }
    expectEqual(code, .status(401))
    expectEqual(refreshCount, 0)
    expectEqual(stub.requests(to: "https://files.example.com/film").count, 1)
    expect(errors.value.isEmpty)
  }

  /// Neither the signature, which no redirect receives, nor a token against forged requests tells who the user is.
  @Test func aServerThatHasSeenTheTokenRejectsIt() throws {
    let stub = StubTransport()
    stub.on(.get, "https://api.example.com/film", .status(301, headers: ["Location": "https://api.example.com/film/"]))
    stub.on(.get, "https://api.example.com/film/", .status(401))
    stub.on(.get, "/log-in", .status(204))
    var request: Request = "https://api.example.com/film"
    request.options.signer = HMACSigner(key: Data("secret".utf8), location: .header)
    let (code, refreshCount) = try failure(over: stub, request) { [token] in $0.middleware = [.bearer { token.value }] }
    expectEqual(code, .status(401))
    expectEqual(refreshCount, 1)
    expectEqual(errors.value.count, 1)
    expectEqual(stub.requests.last?.url.absoluteString, "https://api.example.com/film/")
    expectNil(stub.requests.last?.headers["X-Signature"])
  }

  @Test func aServerThatHasSeenTheSessionRejectsIt() throws {
    var request: Request = "https://api.example.com/film"
    request.headers["X-CSRF-Token"] = "a"
    let (_, refreshCount) = try failure(over: moved(setting: "id=1; Domain=example.com"), request) {
      $0.cookies = try .inMemory
    }
    expectEqual(refreshCount, 1)
    expectEqual(errors.value.count, 1)
  }

  /// The cookie of a host stays there, and that of a domain is sent to the other host.
  @Test(arguments: [("id=1", 0), ("id=1; Domain=example.com", 1)])
  func aServerThatHasSeenTheCookieRejectsIt(_ cookie: String, _ count: Int) throws {
    let stub = moved(setting: cookie)
    let (code, refreshCount) = try failure(over: stub) { $0.cookies = try .inMemory }
    expectEqual(code, .status(401))
    expectEqual(refreshCount, count, "\(stub.requests.map { "\($0.url) \($0.headers)" })")
    expectEqual(errors.value.count, count)
  }

  @Test func aServerThatHasNotSeenTheCredentialsOfARefreshRejectsNone() throws {
    let stub = moved()
    stub.on(.get, "/orders", .status(401))
    let (code, _) = try failure(over: stub, "https://api.example.com/orders") {
      $0.trustedOrigins = [Origin(host: "api.example.com")]
      $0.recoveries = [
        Recovery { client in
          var renewal = Request(.post, "https://api.example.com/token")
          renewal.headers["Authorization"] = "Bearer refresh"
          return client.enqueue(request: renewal, resultType: NoContent.self)
        }
      ]
    }
    expectEqual(code, .status(401))
    expect(errors.value.isEmpty)
  }

  @Test func theRequestThatIsRejectedKeepsItsErrorWhenTheAccountGoes() async throws {
    let server = try server()
    let account = CurrentValue<String?>("ann")
    let client = client(server) {
      $0.account = account
      $0.onUnauthorized = { _ in account.value = nil }
    }
    do throws(NetworkError) {
      _ = try await client.value(of: "/orders", as: [Int].self)
      Issue.record("no failure")
    } catch {
      expectEqual(error.code, .status(401))
    }
    await until { account.value == nil }
  }

  /// The closure that signs out would take the error from those that are still waiting.
  @Test func allThatWaitForARefreshKeepItsErrorWhenTheAccountGoes() {
    let clock = VirtualScheduler()
    let stub = StubTransport(scheduler: clock)
    stub.on(.get, "/orders", .status(401))
    stub.on(.post, "/token", .status(401).delayed(by: .seconds(1)))
    let account = CurrentValue<String?>("ann")
    let calls = Log<String>()
    let client = NetworkClient(baseURL: URL(string: "https://api.example.com")) {
      $0.transport = stub
      $0.scheduler = clock
      $0.processing = .immediate
      $0.account = account
      $0.onUnauthorized = { _ in
        calls.add("onUnauthorized")
        account.value = nil
      }
      $0.recoveries = [
        Recovery(scheduler: clock) { client in
          client.enqueue(request: Request(.post, "/token"), resultType: NoContent.self)
        } onFailure: { _ in
          calls.add("onFailure")
        }
      ]
    }
    let recorders = (0..<5).map { _ in SignalRecorder(client.enqueue(request: "/orders", resultType: [Int].self)) }
    clock.run()
    expectEqual(recorders.map { $0.failure?.code }, Array(repeating: .status(401), count: 5))
    expectEqual(calls.entries, ["onUnauthorized", "onFailure"])
    expectNil(account.value)
  }
}
