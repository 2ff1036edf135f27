import Foundation
import Heliograph
import HeliographTesting
import Signals
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An app whose requests and state differ between two requests, and a server that numbers its responses.
package struct AskingApp {
  /// The way from the first response to the second request.
  package enum Way: CaseIterable, Sendable {
    case memory
    /// By a cache without a memory.
    case disk
    /// By a new cache in the same folder, whose memory is empty.
    case restart
    /// Both are in flight at once, with the option to share an exchange.
    case coalesced
  }

  /// All policies.
  package static let policies: [CachePolicy] = [
    .timeToLive(.seconds(3_600)), .http, .cacheThenNetwork, .networkThenCache, .onlyIfCached, .reload,
    .timeToLive(.zero, orStored: true), .none,
  ]

  /// The state of the app and of its server.
  private final class State: Sendable {
    let pair = CurrentValue<AskedPair?>(nil)
    let ask = CurrentValue(Ask())
    /// The number of responses.
    let count = CurrentValue(0)
    /// Whether the server has failed.
    let isDown = CurrentValue(false)
    /// Whether it is silent.
    let isSilent = CurrentValue(false)
    /// The number of exchanges with the server that were begun.
    let sentCount = CurrentValue(0)

    /// Returns the status and the header fields of the next response.
    func response(to path: String) -> (status: Int, headers: HTTPHeaders) {
      count.modify { $0 += 1 }
      var headers: HTTPHeaders = ["Cache-Control": "max-age=3600", "X-Number": "\(count.value)"]
      if let name = pair.value?.varies { headers["Vary"] = name }
      if isDown.value { return (503, headers) }
      if path == "/moved" { headers["Location"] = "/target" }
      return (path == "/moved" ? 301 : 200, headers)
    }
  }

  private let state = State()
  private let server: LoopbackServer?
  private let transport: any Transport
  private let base: URL
  private let root = FileManager.default.temporaryDirectory.appending(path: "cache-\(UUID().uuidString)")

  /// Creates an app over a transport to a real server, or over a stub.
  package init(_ kind: TransportKind?) throws {
    let state = state
    if let kind {
      let server = try LoopbackServer()
      server.route("*", "*") { request in
        let (status, headers) = state.response(to: request.path)
        return headers.reduce(LoopbackResponse.text("content", status: status)) { $0.header($1.name, $1.value) }
      }
      (self.server, base) = (server, server.baseURL)
      transport = Counting(next: try kind.transport(), count: state.sentCount)
    } else {
      let stub = StubTransport(scheduler: VirtualScheduler())
      for method in [HTTPMethod.get, .post, .put, .patch, .delete] {
        stub.on(method, "/*") { request in
          if state.isSilent.value { return .never }
          let (status, headers) = state.response(to: request.url.path)
          return .text("content", status: status, headers: headers)
        }
      }
      (server, base) = (nil, try require(URL(string: "https://a.example")))
      transport = Counting(next: stub, count: state.sentCount)
    }
  }

  /// Sends the requests of a pair, and checks whether the second one gets the response of the first.
  package func check(_ pair: AskedPair, _ policy: CachePolicy, _ way: Way) async throws {
    if way == .coalesced { return pair.isJoined ? () : await checkCoalesced(pair, policy) }
    let folder = way == .memory ? nil : root.appending(path: UUID().uuidString)
    defer { folder.map { try? FileManager.default.removeItem(at: $0) } }
    func makeCache() throws -> ResponseCache {
      try folder.map { try ResponseCache(folder: $0, memoryByteCount: way == .disk ? 0 : 1_000_000) } ?? ResponseCache()
    }
    state.pair.value = pair
    state.isDown.value = false
    let configuration = try configuration(of: pair)
    var cache = try makeCache()
    let first = send(pair.first, policy == .onlyIfCached ? .reload : policy, configuration, cache)
    await first.waitForEnd()
    if way == .restart { cache = try makeCache() }
    state.isDown.value = policy == .networkThenCache || policy == .timeToLive(.zero, orStored: true)
    let second = send(pair.second, policy, configuration, cache)
    await second.waitForEnd()
    let isFirst = numbers(first).last.map { numbers(second).contains($0) } ?? false
    expect(!isFirst || pair.isShared, "\(pair.name), \(policy), \(way): the response of the first")
    let isStored = policy != .reload && policy != .none
    expect(isFirst || !pair.isShared || !isStored, "\(pair.name), \(policy), \(way): not stored")
  }

  private func checkCoalesced(_ pair: AskedPair, _ policy: CachePolicy) async {
    state.pair.value = pair
    state.isDown.value = false
    state.isSilent.value = true
    state.sentCount.value = 0
    guard let configuration = try? configuration(of: pair) else { return expect(Bool(false)) }
    let client = NetworkClient(configuration)
    let first = send(pair.first, policy, configuration, nil, client)
    let count = state.sentCount.value
    let second = send(pair.second, policy, configuration, nil, client)
    let isShared = count == 1 && state.sentCount.value == 1
    expect(!isShared || pair.isShared, "\(pair.name), \(policy): the exchange is shared")
    if server != nil {
      for recorder in [first, second] { await recorder.waitForEnd() }
      let isFirst = numbers(first).last.map { numbers(second).contains($0) } ?? false
      expect(!isFirst || pair.isShared, "\(pair.name), \(policy), in flight: the response of the first")
    }
    for recorder in [first, second] { recorder.dispose() }
  }

  /// The numbers of the responses that a request has got.
  private func numbers(_ recorder: SignalRecorder<Response<Data>, NetworkError>) -> [String] {
    recorder.values.compactMap { $0.headers["X-Number"] }
      + [recorder.failure?.response?.headers["X-Number"]].compactMap(\.self)
  }

  private func configuration(of pair: AskedPair) throws -> NetworkClient.Configuration {
    var configuration = NetworkClient.Configuration(
      baseURL: base, services: [AskedService(id: "shop", base: base), AskedService(id: "signed", base: base)],
      transport: transport)
    configuration.processing = .immediate
    configuration.environments = EnvironmentStore(
      build: .test, choices: [.test, .release], storage: .memory())
    configuration.account = pair.hasAccount ? CurrentValue(nil) : nil
    configuration.cookies = pair.hasCookies ? try .inMemory : nil
    configuration.middleware = [Adding(current: state.ask)]
    return configuration
  }

  /// Sends a request in the state of the app that belongs to it; without a cache both have the same client.
  private func send(
    _ ask: Ask, _ policy: CachePolicy, _ configuration: NetworkClient.Configuration, _ cache: ResponseCache?,
    _ client: NetworkClient? = nil
  ) -> SignalRecorder<Response<Data>, NetworkError> {
    state.ask.value = ask
    if let account = configuration.account, account.value != ask.account { account.value = ask.account }
    if ask.environment != .test { try? configuration.environments?.switch(to: ask.environment) }
    if let value = ask.cookie, let cookies = configuration.cookies {
      let cookie = HTTPCookie(properties: [.domain: "a.example", .path: "/", .name: "session", .value: value])
      if let cookie { cookies.setCookie(cookie) }
    }
    var configuration = configuration
    if let cache { configuration.cache = cache }
    let request = Request(
      ask.method, RequestPath(ask.path), service: ask.service, headers: ask.headers, body: ask.body,
      cache: policy == .none ? policy : policy.version(ask.version),
      options: .with {
        $0.redirects = ask.redirects
        $0.isCoalesced = cache == nil
        $0.priority = ask.priority
      })
    return SignalRecorder((client ?? NetworkClient(configuration)).enqueue(request: request, resultType: Data.self))
  }
}

/// Middleware that adds what the state of the app says.
private struct Adding: Middleware {
  let current: CurrentValue<Ask>

  func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
    var request = request
    let ask = current.value
    for field in ask.added { request.headers[field.name] = field.value }
    if !ask.addedQuery.isEmpty, let url = URL(string: request.url.absoluteString + "?" + ask.addedQuery) {
      request.url = url
    }
    return next(request)
  }
}

/// Counts the exchanges that are begun.
private struct Counting: Transport {
  let next: any Transport
  let count: CurrentValue<Int>

  func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    next.send(request).on(start: { count.modify { $0 += 1 } })
  }
}

private struct AskedService: Service {
  let id: ServiceID
  let base: URL
  var ignoredParameters: Set<String> { ["t"] }
  var signer: (any Signer)? { id == "signed" ? Stamp() : nil }

  func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? { ServiceAddresses(base) }
}

/// A signature that differs each time.
private struct Stamp: Signer {
  func sign(_ draft: inout RequestDraft) throws(NetworkError) { draft.headers["X-Signature"] = UUID().uuidString }
}
