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

/// A client with some features, and all that an app retains together with it.
final class LifetimeRig: Sendable {
  /// So long because a refresh over a connection takes real time, in which `run` advances the clock again and again.
  fileprivate static let refreshTimeout = Duration.seconds(100_000)

  private let features: Set<ClientFeature>
  private let tokens: Leftovers
  private let clock = VirtualScheduler()
  private let stub: StubTransport
  private let script = Script()
  private let account: CurrentValue<String?>?
  private let environments: EnvironmentStore?
  private let reachability = ManualReachability()
  private let presenter: ErrorPresenter
  private let lane: Lane?
  private let folder: URL
  private let recorders = Guarded<[SignalRecorder<Void, NetworkError>]>([])
  let client: NetworkClient

  /// Creates a rig whose client and its objects are among the leftovers until they are deallocated.
  ///
  /// With a server, the requests are sent over a real connection, and decoded on threads of their own.
  init(
    _ features: Set<ClientFeature>, _ leftovers: Leftovers, requests: Leftovers, folder: URL,
    server: LoopbackServer? = nil
  ) throws {
    self.features = features
    self.folder = folder
    tokens = requests
    let clock = clock
    let stub = StubTransport(scheduler: clock)
    self.stub = stub
    presenter = ErrorPresenter(scheduler: clock)
    lane = features.compactMap(\.lanePolicy).first.map { Lane($0, scheduler: clock) }
    account = features.contains(.account) ? CurrentValue("ann") : nil
    environments = features.contains(.environments) ? EnvironmentStore(build: .develop, storage: .memory()) : nil
    var wire = try server.map { _ in try TransportKind.default.transport() } ?? stub
    let baseURL = server?.baseURL ?? URL(string: "https://api.example.com")
    let client = leftovers.token("the client's closures")
    if features.contains(.digest) {
      let origins = [baseURL.flatMap { Origin($0) }, Origin(host: "books-develop.example.com")].compactMap { $0 }
      wire = DigestTransport(wire, origins: Set(origins)) { [client] in
        withExtendedLifetime(client) { (user: "ann", password: "pw") }
      }
    }
    if features.contains(.circuitBreaker) { wire = CircuitBreaker(wire, failureLimit: 9, scheduler: clock) }
    var configuration = NetworkClient.Configuration(
      baseURL: baseURL, services: [Bookshop(defaultCommon: [])], transport: wire)
    configuration.scheduler = clock
    configuration.processing = server == nil ? .immediate : .global
    configuration.retryBudget = nil
    let start = Date()
    configuration.cache = ResponseCache { start.addingTimeInterval(clock.now / .seconds(1)) }
    configuration.account = account
    configuration.environments = environments
    for feature in features { try feature.configure(&configuration, client, requests, clock, reachability) }
    self.client = NetworkClient(configuration)
    leftovers.watch("the client", self.client)
    leftovers.watch("the transport", stub)
    leftovers.watch("the presenter", presenter)
    if let account { leftovers.watch("the account", account) }
    if let environments { leftovers.watch("the environments", environments) }
    if let lane { leftovers.watch("the lane", lane) }
    server?.route("*", "*") { [script] request in
      request.path.hasSuffix("token") ? .status(204) : LoopbackResponse(script.next())
    }
    stub.on("*", "*") { [script] request in
      request.url.lastPathComponent == "token" ? .status(204).delayed(by: .milliseconds(1)) : script.next()
    }
  }

  /// Sends a request and ends it.
  ///
  /// Its subscriptions are retained, its signals are not.
  func run(_ end: RequestEnd) async {
    script.set(answers(end))
    // A stored response becomes stale.
    clock.advance(by: .seconds(10))
    if features.contains(.connectivity) { reachability.set(.unreachable) }
    var owner: Lifetime? = Lifetime()
    var recorders: [SignalRecorder<Void, NetworkError>] = []
    do {
      let request = request()
      // The second one waits for the first one, shares its exchange or replaces it.
      let count = features.isDisjoint(with: [.concurrencyLimit, .coalescing]) && lane == nil ? 1 : 2
      for _ in 0..<count {
        var signal = inLane(signal(request))
        if end == .ownersDeinit, let owner { signal = signal.bound(to: owner) }
        recorders.append(SignalRecorder(observed(signal)))
      }
    }
    // Short, because the work of other threads takes no virtual time.
    let step = end == .failure ? Duration.seconds(1_000) : .milliseconds(100)
    self.recorders.withLock { $0 += recorders }
    if end == .disposalAtFirst { return dispose(recorders) }
    reachability.set(.reachable)
    await until {
      clock.advance(by: step)
      return end.isInFlight && script.isAtLast || recorders.allSatisfy(\.hasEnded)
    }
    expect(shows(end, recorders), "\(features.map(\.rawValue)) has not reached \(end)")
    switch end {
    case .ownersDeinit: owner = nil
    case .identityChange:
      account?.value = "ben"
      try? environments?.switch(to: .test)
    default: break
    }
    withExtendedLifetime(owner) {}
    // After a change of the identity, the next one in a lane begins.
    dispose(end == .disposal ? recorders : recorders.filter { end == .identityChange && !$0.hasEnded })
  }

  /// Removes what the transport has recorded, and lets the time of background work pass, which may begin after its request.
  func settle() {
    stub.forgetRequests()
    // A background refresh outlives the subscription, and a toast the failure.
    if features.contains(.staleWhileRevalidate) { clock.advance(by: .seconds(10_000)) }
    if features.contains(.presenter) { clock.advance(by: .seconds(10)) }
    // A token refresh outlives the requests that wait for it, at most to its total timeout.
    if features.contains(.recovery) { clock.advance(by: LifetimeRig.refreshTimeout) }
  }

  /// Returns whether the end is the planned one, unless the feature replaces failures.
  private func shows(_ end: RequestEnd, _ recorders: [SignalRecorder<Void, NetworkError>]) -> Bool {
    if features.contains(where: { $0.cachePolicy != nil || $0 == .pager }) { return true }
    if end.isInFlight { return script.isAtLast }
    return end == .success ? recorders.last?.isCompleted == true : recorders.last?.failure != nil
  }

  private func dispose(_ recorders: [SignalRecorder<Void, NetworkError>]) {
    for recorder in recorders { recorder.dispose() }
    settle()
  }

  /// The answers to the exchanges of a request, of which the last one repeats.
  private func answers(_ end: RequestEnd) -> [StubAnswer] {
    var answers: [StubAnswer] = []
    if features.contains(.digest) {
      let challenge = #"Digest realm="r", nonce="\#(clock.now)", qop="auth", stale=true"#
      answers.append(.status(401, headers: ["WWW-Authenticate": challenge]))
    }
    if features.contains(.recovery) { answers.append(.status(401)) }
    if !features.isDisjoint(with: [.retry, .retryBudget, .circuitBreaker]) { answers.append(.status(503)) }
    if features.contains(.redirect) { answers.append(.status(307, headers: ["Location": "target"])) }
    let cacheControl =
      features.contains(.staleWhileRevalidate) ? "max-age=1, stale-while-revalidate=999999" : "max-age=1"
    let fields: HTTPHeaders = [
      "Cache-Control": cacheControl, "Set-Cookie": "a=b", "Link": "<items?page=2>; rel=next", "ETag": "\"1\"",
    ]
    let hasTimeout = !features.isDisjoint(with: [.idleTimeout, .totalTimeout])
    switch end {
    case .success: answers.append(.json("[1]", headers: fields))
    case .status: answers.append(.status(features.contains(.onUnauthorized) ? 401 : 500))
    case .failure where hasTimeout: answers.append(.never)
    case .failure: answers.append(.failure(NetworkError(.connectionLost)))
    default: answers.append(.never)
    }
    return answers.map { $0.delayed(by: .milliseconds(1)) }
  }

  private func request() -> TokenRequest {
    var request = Request(features.contains(.upload) ? .post : .get, "items")
    // Every sent request retains it.
    request.options.redirects = .decide { [token = tokens.token("the redirect policy")] _, proposed in
      withExtendedLifetime(token) { .follow(proposed) }
    }
    for feature in features { feature.configure(&request, tokens) }
    return TokenRequest(request: request, token: tokens.token("the request"))
  }

  /// Returns the signal of a request in its form.
  private func signal(_ request: TokenRequest) -> Signal<Void, NetworkError> {
    let (client, lane, folder) = (client, lane, folder)
    let form = features.first(where: \.isForm)
    switch form {
    case .awaited: return .task { () async throws(NetworkError) in _ = try await client.send(request, as: [Int].self) }
    case .call: return client.call(request, as: [Int].self, in: lane).signal.map { _ in }
    case .pager:
      return .task { @MainActor () async throws(NetworkError) in
        let pager = Pager(client.pages(request: request, of: Int.self), in: lane)
        await pager.refresh()
      }
    case .stream: return client.stream(request: request).map { _ in }
    case .lines: return client.lines(request: request).map { _ in }
    case .file:
      return client.download(request: request, to: folder.appending(path: UUID().uuidString)).map { _ in }
    default: break
    }
    let transformed = client.enqueue(request: request) { [token = tokens.token("the transform")] response in
      withExtendedLifetime(token) { response.value.count }
    }
    switch form {
    case .batch: return Batch([transformed]).signal.map { _ in }
    case .chain:
      let chain = Chain()
      let first = chain.add { _ in transformed }
      chain.add(after: first) { [token = tokens.token("the step")] _ in withExtendedLifetime(token) { .just(1) } }
      return chain.signal.map { _ in }
    default: return transformed.map { _ in }
    }
  }

  private func inLane(_ signal: Signal<Void, NetworkError>) -> Signal<Void, NetworkError> {
    guard let lane, features.isDisjoint(with: [.call, .pager]) else { return signal }
    return lane.enqueue(signal)
  }

  /// Returns the signal with the closures of a subscriber; its failure retains no request.
  private func observed(_ signal: Signal<Void, NetworkError>) -> Signal<Void, NetworkError> {
    let token = tokens.token("the subscriber")
    let presenter = features.contains(.presenter) ? presenter : nil
    return signal.on(
      value: { [token] _ in withExtendedLifetime(token) {} },
      failure: { [token] error in withExtendedLifetime(token) { presenter?.present(error) } }
    ).mapError { NetworkError($0.code) }
  }
}

extension ClientFeature {
  fileprivate func configure(
    _ configuration: inout NetworkClient.Configuration, _ token: Leftovers.Token, _ requests: Leftovers,
    _ clock: VirtualScheduler, _ reachability: ManualReachability
  ) throws {
    switch self {
    case .cookies: configuration.cookies = try .inMemory
    case .recovery:
      let recovery = Recovery(totalTimeout: LifetimeRig.refreshTimeout, scheduler: clock) { [token] client in
        let request = Request(.post, "token", body: .stream(requests.stream("the refresh"), contentType: "text/plain"))
        return withExtendedLifetime(token) { client.enqueue(request: request) }
      }
      configuration.recoveries = [recovery]
    case .onUnauthorized: configuration.onUnauthorized = { [token] _ in withExtendedLifetime(token) {} }
    case .retryBudget:
      configuration.retry = Retry(limit: 2, backoff: .constant(.milliseconds(1)))
      configuration.retryBudget = RetryBudget(scheduler: clock)
    case .circuitBreaker: configuration.retry = Retry(limit: 2, backoff: .constant(.milliseconds(1)))
    case .concurrencyLimit: configuration.concurrencyLimit = 1
    case .monitors:
      let console = ConsoleMonitor(level: .bodies) { [token] _ in withExtendedLifetime(token) {} }
      configuration.monitors = [console, ActivityMonitor(scheduler: clock), TokenStage(token: token)]
    case .tracing: configuration.traceContext = { [token] _ in withExtendedLifetime(token) { TraceContext() } }
    case .middleware: configuration.middleware = [TokenStage(token: token)]
    case .connectivity:
      configuration.reachability = reachability
      configuration.waitsForConnectivity = true
    default: break
    }
  }

  fileprivate func configure(_ request: inout Request, _ tokens: Leftovers) {
    if let cachePolicy { request.options.cache = cachePolicy }
    switch self {
    case .environments: request.service = "books"
    case .retry:
      request.options.retry = Retry(limit: 2, backoff: .constant(.milliseconds(1))) {
        [token = tokens.token("the retry rule")] _, _ in withExtendedLifetime(token) { .default }
      }
    case .coalescing: request.options.isCoalesced = true
    case .middleware: request.options.middleware = [TokenStage(token: tokens.token("the middleware"))]
    case .stages:
      request.options.filters = [TokenStage(token: tokens.token("the filter"))]
      request.options.signer = TokenStage(token: tokens.token("the signer"))
      request.options.stages.validators = [TokenStage(token: tokens.token("the validator"))]
    case .totalTimeout: request.options.totalTimeout = .seconds(900)
    case .idleTimeout: request.options.idleTimeout = .seconds(900)
    case .upload:
      request.body = .stream(tokens.stream("the body"), contentType: "text/plain")
      request.options.isIdempotent = true
    default: break
    }
  }
}

extension Leftovers {
  /// Returns a body whose source and reader retain tokens.
  fileprivate func stream(_ name: String) -> BodyStream {
    let source = token("\(name)'s source")
    return BodyStream { [self, source] in
      let reader = token("\(name)'s reader")
      let next = withExtendedLifetime(source) { BodyStream.pieces(of: [Data("1".utf8)]) }
      return { [reader] in withExtendedLifetime(reader) { next() } }
    }
  }
}

/// The answers of a transport, of which the last one repeats.
private final class Script: Sendable {
  private let state = Guarded<(answers: [StubAnswer], isAtLast: Bool)>(([], false))

  var isAtLast: Bool { state.withLock { $0.isAtLast } }

  func set(_ answers: [StubAnswer]) { state.withLock { $0 = (answers, false) } }

  func next() -> StubAnswer {
    state.withLock { state in
      if state.answers.count > 1 { return state.answers.removeFirst() }
      state.isAtLast = true
      return state.answers.first ?? .never
    }
  }
}

extension LoopbackResponse {
  /// The response of an answer without its delay; without a head, it is never sent.
  fileprivate init(_ answer: StubAnswer) {
    self = .never
    let body = answer.steps.lazy.compactMap { if case .body(let data) = $0 { data } else { nil } }.first ?? Data()
    for case .head(let status, let headers) in answer.steps {
      self = .data(body, contentType: headers["Content-Type"] ?? "text/plain", status: status)
      for field in headers where field.name != "Content-Type" { self = header(field.name, field.value) }
    }
  }
}
