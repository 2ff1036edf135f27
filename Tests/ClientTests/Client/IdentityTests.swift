import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What belongs to an identity ends with it: retries, waiting requests, redirect chains and cookies.
struct IdentityTests {
  let clock = VirtualScheduler()
  let stub: StubTransport
  let account = CurrentValue<String?>("ann")

  init() {
    stub = StubTransport(scheduler: clock)
    stub.on("GET", "/busy", .status(503))
    stub.on("GET", "/slow", .never)
    stub.on("GET", "/a", .json("1"))
  }

  private func client(_ adjust: (inout NetworkClient.Configuration) -> Void = { _ in }) -> NetworkClient {
    var configuration = NetworkClient.Configuration(
      baseURL: URL(string: "https://shop.example"), services: [], transport: stub)
    configuration.account = account
    configuration.scheduler = clock
    configuration.processing = .immediate
    adjust(&configuration)
    return NetworkClient(configuration)
  }

  @Test("P9") func aRetryDelayEndsWithTheIdentity() {
    let client = client { $0.retry = Retry(limit: 3) }
    let recorder = SignalRecorder(client.enqueue(request: "/busy", resultType: Int.self))
    expectEqual(stub.requests.count, 1)
    expect(recorder.events.isEmpty)
    expectEqual(clock.pendingCount, 1)
    account.value = "ben"
    expectEqual(recorder.failure?.code, .contextChanged)
    expectEqual(recorder.failure?.request?.url.path, "/busy")
    expectEqual(clock.pendingCount, 0)
    clock.run()
    expectEqual(stub.requests.count, 1)
    expect(recorder.violations.isEmpty)
  }

  @Test("P9") func aRetryDelayEndsWithTheEnvironment() throws {
    let store = EnvironmentStore(build: .develop, storage: .memory())
    stub.on("GET", "/v1/busy", .status(503))
    let client = client { configuration in
      configuration.services = ServiceRegistry([Bookshop(defaultCommon: [])])
      configuration.environments = store
      configuration.retry = Retry(limit: 3)
    }
    let recorder = SignalRecorder(
      client.enqueue(request: Request(.get, "busy", service: "books"), resultType: Int.self))
    let other = SignalRecorder(client.enqueue(request: "/busy", resultType: Int.self))
    try store.switch(to: .test)
    expectEqual(recorder.failure?.code, .contextChanged)
    expectEqual(clock.pendingCount, 1)
    expect(other.events.isEmpty)
    clock.run()
    expectEqual(other.failure?.code, .status(503))
    expectEqual(stub.requests.count, 5)
  }

  @Test("P9") func whatWaitsInTheQueueIsNeverSent() {
    let client = client { $0.concurrencyLimit = 1 }
    let recorders = (0..<3).map { _ in SignalRecorder(client.exchange(request: "/slow")) }
    expectEqual(stub.requests.count, 1)
    account.value = "ben"
    expect(recorders.allSatisfy { $0.failure?.code == .contextChanged && $0.events.count == 1 })
    expectEqual(stub.requests.count, 1)
    expectEqual(stub.activeCount, 0)
  }

  /// The transport has a queue of its own, on another thread.
  @Test(
    "P9", .enabled(if: CurlTransport.isAvailable),
    arguments: [
      TransportSettings(concurrencyLimit: 1), TransportSettings(concurrencyLimit: 8, concurrencyLimitPerHost: 1),
    ])
  func whatWaitsInTheTransportsQueueIsNeverSent(_ settings: TransportSettings) async throws {
    let server = try LoopbackServer()
    server.route("GET", "/held") { _ in .never }
    server.route("GET", "/queued") { _ in .text("sent") }
    server.route("GET", "/next") { _ in .text("next") }
    let client = client { configuration in
      configuration.baseURL = server.baseURL
      configuration.idleTimeout = .seconds(3_600)
      configuration.transport = (try? CurlTransport(settings)) ?? StubTransport()
    }
    // So many that the transport's thread finds a free place long before the last of them has failed.
    let paths = ["/held"] + Array(repeating: "/queued", count: 2_000)
    let recorders = paths.map { SignalRecorder(client.exchange(request: Request(.get, RequestPath($0)))) }
    await server.wait { $0.requests(to: "/held").count == 1 }
    account.value = "ben"
    expect(recorders.allSatisfy { $0.failure?.code == .contextChanged })
    let next = SignalRecorder(client.exchange(request: "/next"))
    await next.waitForEnd()
    expect(next.isCompleted)
    expectEqual(server.log.requests.map(\.path), ["/held", "/next"])
  }

  /// The log-in's own signal has its last value by then, and completes.
  @Test("P9") func whoSignsInWithAnAnswerGetsTheWholeOfIt() {
    account.value = nil
    let client = client()
    let account = account
    let recorder = SignalRecorder(
      client.enqueue(request: "/a", resultType: Int.self).on(value: { _ in account.value = "ann" }))
    expectEqual(recorder.values.map(\.value), [1])
    expect(recorder.isCompleted)
    expect(recorder.violations.isEmpty)
    account.value = nil
    let outcomes = SignalRecorder(
      client.outcomes(of: "/a", as: Int.self).on(value: { if case .value = $0 { account.value = "ann" } }))
    expect(outcomes.isCompleted, "\(outcomes.events)")
    let transfer = SignalRecorder(
      client.download(request: "/a").on(value: { if $0.finished != nil { account.value = "ben" } }))
    expect(transfer.isCompleted)
  }

  /// Who is told of a change before the client is may send at once: that request is of the new identity.
  @Test("P9") func whatBeginsBeforeTheClientIsToldIsOfTheNewIdentity() throws {
    let storage = try HTTPCookieStorage.inMemory
    let begun = Guarded<[SignalRecorder<Response<Data>, NetworkError>]>([])
    let made = Guarded<NetworkClient?>(nil)
    let watch = account.signal.subscribe(onValue: { account in
      guard account == "ben", let client = made.withLock({ $0 }) else { return }
      let recorder = SignalRecorder(client.exchange(request: "/slow"))
      begun.withLock { $0.append(recorder) }
    })
    let client = client { $0.cookies = storage }
    made.withLock { $0 = client }
    stub.on("GET", "/login", .status(200, headers: ["Set-Cookie": "session=ann"]))
    _ = SignalRecorder(client.exchange(request: "/login"))
    let old = SignalRecorder(client.exchange(request: "/slow"))
    expectEqual(stub.requests.last?.headers["Cookie"], "session=ann")
    account.value = "ben"
    expectEqual(old.failure?.code, .contextChanged)
    expectEqual(begun.withLock { $0.map(\.events.count) }, [0])
    expectEqual(stub.requests.count, 3)
    expectNil(stub.requests.last?.headers["Cookie"])
    expectEqual(storage.cookies?.isEmpty, true)
    watch.dispose()
  }

  /// An observer that is told first signs in again: the client still sees that somebody was signed out.
  @Test("P9") func whoSignsOutAndInAgainAtOnceHasSignedOut() throws {
    let storage = try HTTPCookieStorage.inMemory
    let account = account
    let watch = account.signal.subscribe(onValue: { if $0 == nil { account.value = "ann" } })
    let client = client { $0.cookies = storage }
    stub.on("GET", "/login", .status(200, headers: ["Set-Cookie": "session=ann"]))
    _ = SignalRecorder(client.exchange(request: "/login"))
    let recorder = SignalRecorder(client.exchange(request: "/slow"))
    account.value = nil
    expectEqual(account.value, "ann")
    expectEqual(recorder.failure?.code, .contextChanged)
    expectEqual(storage.cookies?.isEmpty, true)
    watch.dispose()
  }

  /// The first change is delivered to the client after a request has begun under the second one.
  @Test("P9", arguments: ["guest", "ann"])
  func whatBeginsAfterTheLastOfSeveralChangesIsLeftAlone(_ next: String) throws {
    let storage = try HTTPCookieStorage.inMemory
    let begun = Guarded<[SignalRecorder<Response<Data>, NetworkError>]>([])
    let made = Guarded<NetworkClient?>(nil)
    let account = account
    let watch = account.signal.subscribe(onValue: {
      guard $0 == nil, let client = made.withLock({ $0 }) else { return }
      account.value = next
      let recorder = SignalRecorder(client.exchange(request: "/new"))
      begun.withLock { $0.append(recorder) }
    })
    let client = client { $0.cookies = storage }
    made.withLock { $0 = client }
    stub.on("GET", "/login", .status(200, headers: ["Set-Cookie": "session=ann"]))
    let answer = StubAnswer.status(200, headers: ["Set-Cookie": "session=new"])
    stub.on("GET", "/new", answer.delayed(by: .seconds(1)))
    _ = SignalRecorder(client.exchange(request: "/login"))
    let old = SignalRecorder(client.exchange(request: "/slow"))
    account.value = nil
    expectEqual(old.failure?.code, .contextChanged)
    expectEqual(stub.requests.last?.url.path, "/new")
    expectNil(stub.requests.last?.headers["Cookie"])
    clock.advance(by: .seconds(1))
    expectEqual(begun.withLock { $0.map(\.isCompleted) }, [true])
    expectEqual(storage.cookies?.map(\.value), ["new"])
    watch.dispose()
  }

  /// The client has not been told yet, and the chain ends nevertheless.
  @Test("P9") func aRedirectNeverTakesTheCookiesOfAnother() throws {
    let storage = try HTTPCookieStorage.inMemory
    let door = Door()
    let watch = account.signal.subscribe(onValue: { account in if account == "ben" { door.open() } })
    let account = account
    let client = client { configuration in
      configuration.transport = door
      configuration.cookies = storage
    }
    let old = SignalRecorder(client.exchange(request: "/door"))
    account.value = "ben"
    // Its late answer had a cookie, which is nobody's.
    expectEqual(door.requests.map(\.url.path), ["/door"])
    expectEqual(old.failure?.code, .contextChanged)
    expectEqual(storage.cookies?.isEmpty, true)
    _ = SignalRecorder(client.exchange(request: "/room"))
    expectNil(door.requests.last?.headers["Cookie"])
    watch.dispose()
  }

  @Test("P9") func middlewareThatMakesANewRequestKeepsTheIdentity() throws {
    struct Replacing: Middleware {
      func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
        next(HTTPRequest(url: request.url))
      }
    }
    let client = client { configuration in
      configuration.cookies = try? .inMemory
      configuration.middleware = [Replacing()]
    }
    stub.on("GET", "/login", .status(200, headers: ["Set-Cookie": "session=ann"]))
    _ = SignalRecorder(client.exchange(request: "/login"))
    _ = SignalRecorder(client.exchange(request: "/a"))
    expectEqual(stub.requests.map { $0.headers["Cookie"] }, [nil, "session=ann"])
  }

  @Test("P9 S2-24") func requestsOfAClientThatIsGoneStillEnd() {
    var client: NetworkClient? = client()
    let recorder = (client?.exchange(request: "/slow")).map { SignalRecorder($0) }
    client = nil
    account.value = "ben"
    expectEqual(recorder?.failure?.code, .contextChanged)
    expectEqual(stub.activeCount, 0)
  }

  @Test("S2-24") func whatEndsLeavesNothing() {
    weak var trace: StubTransport?
    do {
      let stub = StubTransport()
      trace = stub
      stub.on("GET", "/slow", .never)
      stub.on("GET", "/a", .json("1"))
      let client = client { $0.transport = stub }
      _ = SignalRecorder(client.exchange(request: "/a"))
      let recorder = SignalRecorder(client.exchange(request: "/slow"))
      account.value = "ben"
      expect(recorder.hasEnded)
      _ = SignalRecorder(client.exchange(request: "/slow"))
    }
    expectNil(trace)
  }

  /// The client and its account live on.
  @Test("S2-24", arguments: ["accepted", "rejected", "cancelled", "changed"], [true, false])
  func aRequestThatHasEndedIsFreed(_ ending: String, hasAccount: Bool) throws {
    final class Token: Sendable {}
    let store = EnvironmentStore(build: .develop, storage: .memory())
    let client = client { configuration in
      configuration.transport = Answering()
      configuration.services = [Bookshop(defaultCommon: [])]
      if !hasAccount { configuration.account = nil }
      configuration.environments = hasAccount ? nil : store
    }
    weak var trace: Token?
    do {
      let token = Token()
      trace = token
      let body = BodyStream { [token] in withExtendedLifetime(token) { BodyStream.pieces(of: []) } }
      let request = Request(
        .post, "\(ending)", service: "books", body: .stream(body, contentType: "text/plain"), totalTimeout: .seconds(9))
      let recorder = SignalRecorder(client.enqueue(request: request, resultType: Data.self))
      switch ending {
      case "cancelled": recorder.dispose()
      case "changed" where hasAccount: account.value = "ben"
      case "changed": try store.switch(to: .test)
      default: break
      }
      expect(ending == "cancelled" || recorder.hasEnded)
      if ending == "changed" { expectEqual(recorder.failure?.request?.url.lastPathComponent, ending) }
    }
    expectNil(trace)
    withExtendedLifetime(client) {}
  }
}

/// A transport that keeps no request.
private struct Answering: Transport {
  func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    Signal { observer in
      let codes = ["accepted": 200, "rejected": 503]
      guard let code = codes[request.url.lastPathComponent] else { return Disposable {} }
      observer.send(.head(HTTPResponse(statusCode: code, url: request.url)))
      observer.complete()
      return nil
    }
  }
}

/// A transport whose first answer, a redirect with a cookie, comes when it is opened.
private final class Door: Transport {
  private let state = Guarded<(requests: [HTTPRequest], waiting: Observer<TransportEvent, NetworkError>?)>(([], nil))

  var requests: [HTTPRequest] { state.withLock { $0.requests } }

  func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    Signal { [self] observer in
      let isFirst = state.withLock { state in
        state.requests.append(request)
        if state.requests.count == 1 { state.waiting = observer }
        return state.requests.count == 1
      }
      if !isFirst {
        observer.send(.head(HTTPResponse(statusCode: 200, headers: ["Set-Cookie": "room=ann"], url: request.url)))
      }
      return nil
    }
  }

  func open() {
    guard let observer = state.withLock({ $0.waiting.take() }), let url = requests.first?.url else { return }
    let headers: HTTPHeaders = ["Location": "/room", "Set-Cookie": "key=ann"]
    observer.send(.head(HTTPResponse(statusCode: 302, headers: headers, url: url)))
    observer.complete()
  }
}
