import Foundation
import Heliograph
import HeliographTesting
import Signals

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Runs one case with a client and a cache of its own, and collects the differences from what the case expects.
struct CaseRunner {
  private let item: Case
  private let path: String
  private let server: CaseServer
  private let client: NetworkClient
  private let clock = CaseClock()
  private let account = CurrentValue<String?>(nil)
  private let environments = EnvironmentStore(build: .develop, storage: .memory())
  private let monitor = EndMonitor()
  private let added = AddedFields()
  private var stored: [StoredAnswer] = []

  /// Creates a runner.
  ///
  /// - Parameters:
  ///   - item: the case.
  ///   - number: a number that no other case at the server has.
  ///   - server: the server.
  ///   - transport: the transport under the client.
  ///   - folder: the folder of the cache, which keeps nothing in memory then. Default: none; it keeps all in memory.
  /// - Throws: the reason why the folder cannot be used.
  init(_ item: Case, number: Int, at server: CaseServer, over transport: any Transport, folder: URL? = nil) throws {
    self.item = item
    self.server = server
    path = "/case-\(number)"
    let cookies = URLSessionConfiguration.ephemeral.httpCookieStorage
    let now: @Sendable () -> Date = { [clock] in clock.now }
    let cache =
      try folder.map { try ResponseCache(folder: $0, memoryByteCount: 0, now: now) } ?? ResponseCache(now: now)
    client = NetworkClient(baseURL: server.baseURL) { [account, environments, monitor, added] in
      $0.transport = transport
      $0.cache = cache
      $0.cachePolicy = .http
      $0.account = account
      $0.builder.environments = environments
      $0.idleTimeout = .seconds(600)
      $0.monitors = [monitor]
      $0.cookies = cookies
      $0.middleware = [added]
    }
  }

  /// Runs all exchanges and returns the problems, each with the number of its exchange.
  mutating func run() async -> [String] {
    var problems: [String] = []
    for (index, exchange) in item.exchanges.enumerated() {
      problems += await run(exchange, number: index + 1).map { "exchange \(index + 1): \($0)" }
    }
    return problems
  }
}

/// An answer that the cache may have stored.
private struct StoredAnswer {
  let number: Int
  let target: String
  let method: HTTPMethod
  let answer: Answer
}

extension CaseRunner {
  private mutating func run(_ exchange: Exchange, number: Int) async -> [String] {
    clock.advance(by: exchange.pause)
    if let next = exchange.account { account.value = next }
    if let environment = exchange.environment {
      do { try environments.switch(to: environment) } catch { return ["\(error)"] }
    }
    added.headers = exchange.added
    let texts = placeholders
    prepare(exchange, number: number, texts)
    let before = server.requests(below: path).count
    let ended = monitor.endedCount
    let result = await send(exchange, texts)
    var problems: [String] = []
    if exchange.background != nil {
      if await server.waitForRequests(before + 1, below: path) {
        if await !monitor.wait(forEndedCount: ended + 2) { problems.append("the background request does not end") }
      } else {
        problems.append("there is no background request")
      }
    }
    let seen = Array(server.requests(below: path).dropFirst(before))
    let outcome = Outcome(
      exchange: exchange, number: number, texts: texts, result: result, seen: seen,
      stored: storedAnswer(for: exchange))
    problems += outcome.problems
    remember(exchange, number: number)
    return problems
  }

  private var placeholders: Placeholders {
    Placeholders(
      start: CaseClock.start, now: clock.now, path: path, origin: server.baseURL.absoluteString,
      second: server.secondURL.absoluteString)
  }

  /// Returns the path or URL of a request, with its query.
  private func target(_ exchange: Exchange, _ texts: Placeholders) -> String {
    exchange.path.hasPrefix("{") ? texts.expand(exchange.path) : path + texts.expand(exchange.path)
  }

  private func prepare(_ exchange: Exchange, number: Int, _ texts: Placeholders) {
    var answers: [String: LoopbackResponse] = [:]
    func response(_ answer: Answer) -> LoopbackResponse { answer.response(number: number, expand: texts.expand) }
    for (path, answer) in exchange.hops { answers[self.path + path] = response(answer) }
    let isValidation = exchange.expectation.kind == .validated
    if let answer = exchange.background ?? exchange.answer ?? (isValidation ? Answer(304) : nil) {
      answers[requestPath(exchange, texts)] = response(answer)
    } else if [.network, .forwarded, .any].contains(exchange.expectation.kind) {
      answers[requestPath(exchange, texts)] = response(Answer())
    }
    server.prepare(answers) { [clock] in clock.advance(by: exchange.duration) }
  }

  /// Returns the decoded path of the request, as the server sees it.
  private func requestPath(_ exchange: Exchange, _ texts: Placeholders) -> String {
    let target = target(exchange, texts)
    let url = URL(string: target, relativeTo: server.baseURL)
    return url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: true)?.path } ?? target
  }

  private func send(_ exchange: Exchange, _ texts: Placeholders) async -> Result<Response<Data>, NetworkError> {
    var request = Request(exchange.method, RequestPath(target(exchange, texts)))
    for field in exchange.headers { request.headers.add(texts.expand(field.value), for: field.name) }
    if let content = exchange.content { request.body = .data(Data(content.utf8), contentType: "text/plain") }
    request.options.redirects = exchange.redirects
    do throws(NetworkError) {
      guard let response = try await client.exchange(request: request).first() else {
        return .failure(NetworkError(.noValue))
      }
      return .success(response)
    } catch {
      return .failure(error)
    }
  }

  /// Returns the answer that the cache is expected to reuse.
  private func storedAnswer(for exchange: Exchange) -> (number: Int, answer: Answer)? {
    if let origin = exchange.expectation.origin {
      return stored.last { $0.number == origin }.map { ($0.number, $0.answer) }
    }
    let target = target(exchange, placeholders)
    let candidates = stored.filter { $0.target == target && ($0.method == .get || $0.method == exchange.method) }
    return candidates.last.map { ($0.number, $0.answer) }
  }

  private mutating func remember(_ exchange: Exchange, number: Int) {
    let kinds: [Expectation.Kind] = [.network, .forwarded, .validated, .any]
    let foreground = kinds.contains(exchange.expectation.kind) ? exchange.answer ?? Answer() : nil
    guard let answer = exchange.background ?? foreground, answer.status != 304 else { return }
    if exchange.expectation.kind == .validated, exchange.answer == nil { return }
    stored.append(
      StoredAnswer(
        number: number, target: target(exchange, placeholders), method: exchange.method, answer: answer))
  }
}
