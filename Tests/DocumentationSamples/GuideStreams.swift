import Foundation
import Heliograph
import HeliographTesting
import Observation
import TestSupport
import Testing

/// The samples of the article StreamingResponses, over a real socket.
struct StreamGuideSamples {
  nonisolated private struct Order: Decodable, Sendable { let amount: Int }
  nonisolated fileprivate struct Article: Codable, Sendable { let title: String }

  private let server: LoopbackServer
  private let client: NetworkClient

  init() throws {
    server = try LoopbackServer()
    server.route("GET", "/export") { _ in .data(Data(count: 300_000)) }
    server.route("GET", "/log") { _ in .text("INFO a\r\nERROR b\nINFO c") }
    server.route("GET", "/orders.ndjson") { _ in .text("{\"amount\":3}\n\n{\"amount\":4}\n") }
    client = NetworkClient(baseURL: server.baseURL)
  }

  /// Answers the first request with a stream and the next one with a 204.
  private func answer(_ method: HTTPMethod, _ path: String, _ text: String) {
    server.route(method, path) { request in
      request.header("Last-Event-ID") == "7"
        ? .status(204) : .data(Data(text.utf8), contentType: "text/event-stream")
    }
  }

  @Test func piecesOfABody() async throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    try Data().write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    let file = try FileHandle(forWritingTo: url)
    // sample: streams-pieces
    for try await piece in client.stream(request: "/export").values {
      try file.write(contentsOf: piece.value)
    }
    // end sample
    try file.close()
    try expectEqual(Data(contentsOf: url).count, 300_000)
  }

  @Test func linesOfALog() async throws {
    var problems: [String] = []
    // sample: streams-lines
    for try await line in client.lines(request: "/log").values {
      if line.contains("ERROR") { problems.append(line) }
    }
    // end sample
    expectEqual(problems, ["ERROR b"])
  }

  @Test func severalLinesAtOnce() async throws {
    server.route("GET", "/log") { _ in .text((1...20).map { "\($0)\n" }.joined()) }
    let (stored, active) = (CurrentValue<Set<String>>([]), CurrentValue([0, 0]))
    let store: @Sendable (String) async throws -> Void = { line in
      active.modify { $0 = [$0[0] + 1, max($0[1], $0[0] + 1)] }
      await Task.yield()
      stored.modify { _ = $0.insert(line) }
      active.modify { $0[0] -= 1 }
    }
    // sample: streams-lines-group
    try await withThrowingTaskGroup(of: Void.self) { group in
      var count = 0
      for try await line in client.lines(request: "/log").values {
        if count == 8 { try await group.next() } else { count += 1 }
        group.addTask { try await store(line) }
      }
      try await group.waitForAll()
    }
    // end sample
    expectEqual(stored.value.count, 20)
    expect(active.value[1] <= 8)
  }

  @Test func valuesOfLines() async throws {
    var total = 0
    // sample: streams-json
    for try await order in client.lines(request: "/orders.ndjson", of: Order.self).values {
      total += order.amount
    }
    // end sample
    expectEqual(total, 7)
  }

  // sample: streams-watch
  nonisolated struct Change: Decodable, Sendable {
    nonisolated struct Object: Decodable, Sendable { let metadata: Metadata?, code: Int? }
    nonisolated struct Metadata: Decodable, Sendable { let name: String?, resourceVersion: String? }
    let type: String  // ADDED, MODIFIED, DELETED, BOOKMARK, ERROR
    let object: Object
  }

  func watch(_ client: NetworkClient, from first: String, apply: (Change) -> Void) async throws {
    var (version, failures) = (first, 0)
    while true {
      let request = Request(
        .get, "/pods", query: ["watch": true, "resourceVersion": version, "timeoutSeconds": 300],
        idleTimeout: .seconds(330))  // the server ends it earlier
      do {
        for try await change in client.lines(request: request, of: Change.self).values {
          if change.type == "ERROR" { throw NetworkError(.status(change.object.code ?? 500)) }
          apply(change)
          (version, failures) = (change.object.metadata?.resourceVersion ?? version, 0)
        }
      } catch {
        guard let failure = error as? NetworkError,
          failure.isOffline || Retry.defaultCodes.contains(failure.code)
            || Retry.defaultStatuses.contains(where: { failure.code == .status($0) })
        else { throw error }  // such as 410, or an untrusted certificate
      }
      failures += 1
      let pause = Backoff.exponential(jitter: 1).delay(before: failures)
      _ = try await Signal<Void, NetworkError>.timer(after: pause).value()
    }
  }
  // end sample

  @Test func aWatchBeginsAgainAfterTheLastChange() async throws {
    server.route("GET", "/pods") { request in
      switch request.query.first(where: { $0.name == "resourceVersion" })?.value {
      case "1": .text(#"{"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"5"}}}"# + "\n")
      default: .text(#"{"type":"ERROR","object":{"kind":"Status","metadata":{},"code":410}}"# + "\n")
      }
    }
    var names: [String?] = []
    let error = await #expect(throws: NetworkError.self) {
      try await watch(client, from: "1") { names.append($0.object.metadata?.name) }
    }
    expectEqual(error?.code, .status(410))
    expectEqual(names, ["a"])
    expectEqual(server.log.requests.count, 2)
  }

  @Test func aWatchFailsAfterAPermanentFailure() async throws {
    server.route("GET", "/pods") { [log = CurrentValue(0)] _ in
      log.modify { $0 += 1 }
      switch log.value {
      case 1: return .status(503)
      case 2: return .text(String(repeating: " ", count: 3_000) + "\n")
      default: return .text(#"{"type":"ERROR","object":{"code":410}}"# + "\n")
      }
    }
    let client = NetworkClient(baseURL: server.baseURL) { $0.limits.lineByteCount = 2_000 }
    let error = await #expect(throws: NetworkError.self) { try await watch(client, from: "1") { _ in } }
    expectEqual(error?.code, .responseTooLarge)
    expectEqual(server.log.requests.count, 2)
  }

  @Test func eventsByTheirType() async throws {
    answer("GET", "/news", "retry: 1\nid: 7\nevent: article\ndata: {\"title\":\"Rain\"}\n\nevent: poll\ndata\n\n")
    var articles: [Article] = []
    // sample: streams-events
    for try await event in client.events(request: "/news").values {
      switch event.type {
      case "article": articles.append(try event.decode(Article.self))
      default: break  // a type of a later version
      }
    }
    // end sample
    expectEqual(articles.map(\.title), ["Rain"])
  }

  @Test func eventsAfterTheLastOne() async throws {
    answer("GET", "/news", "retry: 1\nid: 7\ndata: {\"title\":\"Rain\"}\n\n")
    var articles: [Article] = []
    let suite = "heliograph-\(UUID())"
    let defaults = try require(UserDefaults(suiteName: suite))
    defer { defaults.removePersistentDomain(forName: suite) }
    defaults.set("6", forKey: "news")
    // sample: streams-resume
    let options = EventStreamOptions(lastEventID: defaults.string(forKey: "news"), reconnectionTime: .seconds(1))
    for try await event in client.events(request: "/news", options: options).values {
      articles.append(try event.decode(Article.self))
      defaults.set(event.id, forKey: "news")
    }
    // end sample
    expectEqual(articles.count, 1)
    expectEqual(defaults.string(forKey: "news"), "7")
    expectEqual(server.log.requests.map { $0.header("Last-Event-ID") }, ["6", "7"])
  }

  @Test func theAnswerOfAModel() async throws {
    answer("POST", "/chat", "data: {\"text\":\"Hello\"}\n\ndata: {\"text\":\" you\"}\n\ndata: [DONE]\n\n")
    let prompt = "Say hello"
    var answer = ""
    // sample: streams-model-answer
    struct Question: Encodable { let prompt: String, stream = true }
    struct Delta: Decodable { let text: String }

    let question = Request(.post, "/chat", body: .json(Question(prompt: prompt)), idleTimeout: .seconds(120))
    var isComplete = false
    for try await event in client.events(request: question).values {
      isComplete = event.data == "[DONE]"
      if isComplete { break }
      answer += try event.decode(Delta.self).text
    }
    if !isComplete { answer += " …" }  // the server has ended the response early
    // end sample
    expectEqual(answer, "Hello you")
    expectEqual(server.log.requests.count, 1)
  }

  @Test func aQuestionIsSentAgainAfterARateLimit() async throws {
    server.route("POST", "/chat") { [log = CurrentValue(0)] _ in
      log.modify { $0 += 1 }
      return log.value == 1
        ? .status(429).header("Retry-After", "0") : .data(Data("data: a\n\n".utf8), contentType: "text/event-stream")
    }
    // sample: streams-rate-limit
    let retry = Retry(limit: 3) { error, _ in
      [429, 503, 529].contains(error.statusCode) ? .retry() : .default
    }
    // end sample
    let question = Request(.post, "/chat", body: .json(["prompt": "hello"]), retry: retry)
    var events: [String] = []
    for try await event in client.events(request: question).values { events.append(event.data) }
    expectEqual(events, ["a"])
  }

  /// As the article says of a response of another type.
  @Test func aResponseOfAnotherTypeFails() async throws {
    server.route("POST", "/chat") { _ in .json(#"{"error": "busy"}"#) }
    let recorder = SignalRecorder(client.events(request: Request(.post, "/chat")))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .unacceptableType)
    expectEqual(recorder.failure?.response?.value, Data())
  }

  // sample: streams-view-model
  @MainActor @Observable final class NewsModel {
    private(set) var headlines: [String] = []
    private(set) var problem: String?
    private var news: Disposable?
    private let client: NetworkClient

    init(client: NetworkClient) { self.client = client }

    func follow() {
      news?.dispose()  // a second stream would send each headline twice
      problem = nil
      news = client.events(request: "/news")
        .filter { $0.type == "article" }
        .tryMap { (event) throws(NetworkError) in try event.decode(Article.self).title }
        .bound(to: self)  // the connection is closed when the model is deallocated
        .subscribeOnMain(
          onValue: { [weak self] in self?.show($0) },
          onFailure: { [weak self] in self?.problem = $0.message })
    }

    private func show(_ headline: String) { headlines = (headlines + [headline]).suffix(100) }
  }
  // end sample

  @MainActor @Test func aModelShowsEventsUntilItIsDeallocated() async throws {
    server.route("GET", "/news") { _ in
      let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
      return .script([.text(head + "event: article\ndata: {\"title\":\"Rain\"}\n\n"), .hold])
    }
    var model: NewsModel? = NewsModel(client: client)
    model?.follow()
    model?.follow()
    let headlines = SignalRecorder(Signal<[String], Never>.observing { [weak model] in model?.headlines ?? [] })
    await expect(headlines.wait { $0.contains { $0.value == ["Rain"] } })
    await expect(server.wait { $0.openConnectionCount == 1 })
    headlines.dispose()
    model = nil
    await expect(server.wait { $0.openConnectionCount == 0 })
  }
}
