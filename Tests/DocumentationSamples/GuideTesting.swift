import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// The samples of the article Testing.
struct TestingSamples {
  nonisolated struct User: Codable, Sendable, Equatable { let name: String }

  @MainActor final class ProfileModel {
    private(set) var user = Loadable<User>.idle
    private let client: NetworkClient

    init(client: NetworkClient) { self.client = client }

    func load() {
      client.enqueue(request: "/users/1", resultType: User.self).map(\.value).load(into: \.user, on: self)
    }
  }

  // sample: testing-kit
  @MainActor @Test func aProfileIsLoaded() async throws {
    let kit = TestKit()
    kit.stub.on(.get, "/users/1", .json(User(name: "Ada")).delayed(by: .seconds(1)))
    let model = ProfileModel(client: kit.client)
    model.load()
    await kit.clock.advance(by: .seconds(1))  // no real time passes
    #expect(model.user.value?.name == "Ada")
    try kit.stub.verify()  // no unexpected request, no unused route
  }
  // end sample

  @Test("S0-43 S4-16 P10") func stubs() async throws {
    let kit = TestKit()
    let fixture = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).json")
    try Data("[1]".utf8).write(to: fixture)
    defer { try? FileManager.default.removeItem(at: fixture) }
    // sample: testing-stubs
    let stub = kit.stub
    stub.on(.get, "/users?page=2", .json([User(name: "Ada")]))  // or `query: ["page": "2"]`
    stub.on(.get, "/users", headers: ["Accept": "text/csv"], .text("name\nAda"))
    stub.on(.post, "/users", body: { $0.isEmpty }, .status(400))
    stub.on(.get, "/jobs/1", .status(202), .status(202), .json(#"{"done": true}"#))  // in turn; the last stays
    stub.on(.post, "/users") { request in
      .json(#"{"id": 1}"#, status: request.headers["Idempotency-Key"] == nil ? 201 : 200)
    }
    stub.on(.get, "/offline", .failure(NetworkError(.connectionLost)))
    stub.on(.get, "/stuck", .never)  // until a timeout or a cancellation
    stub.on(.get, "/catalogue", .file(fixture))  // or `.json(data)`: bytes as they are
    // end sample
    try await expectEqual(kit.client.value(of: "/catalogue", as: [Int].self), [1])
    let page = Request(.get, "/users", parameters: ["page": 2])
    try await expectEqual(kit.client.value(of: page, as: [User].self), [User(name: "Ada")])
    let csv = Request(.get, "/users", headers: ["Accept": "text/csv"])
    try await expectEqual(kit.client.value(of: csv, as: String.self), "name\nAda")
    let post = SignalRecorder(kit.client.enqueue(request: Request(.post, "/users"), resultType: JSON.self))
    expectEqual(post.failure?.statusCode, 400)
    let create = Request(.post, "/users", body: .json(User(name: "Ada")))
    try await expectEqual(kit.client.send(create, as: JSON.self).statusCode, 201)
    let codes = [202, 202, 200, 200]
    for code in codes {
      try await expectEqual(kit.client.send("/jobs/1", as: NoContent.self).statusCode, code)
    }
    let offline = SignalRecorder(kit.client.enqueue(request: "/offline", resultType: JSON.self))
    expectEqual(offline.failure?.code, .connectionLost)
  }

  @Test func recordedRequests() async throws {
    struct Order: Codable, Sendable, Equatable { let product: Int }
    let kit = TestKit()
    let stub = kit.stub
    stub.on(.post, "/orders", .status(201))
    _ = try await kit.client.send(Request(.post, "/orders", body: .json(Order(product: 7))), as: NoContent.self)
    // sample: testing-requests
    let order = try #require(stub.requests(to: "/orders", method: .post).first)
    #expect(try order.decode(as: Order.self) == Order(product: 7))  // `bodyData`: its bytes
    // end sample
  }

  // sample: testing-retry
  @Test(.timeLimit(.minutes(1))) func aRetryWaits() async throws {
    let kit = TestKit { $0.retry = Retry(limit: 2, backoff: .constant(.seconds(5))) }
    kit.stub.on(.get, "/users/1", .status(503), .json(User(name: "Ada")))
    let task = Task { try await kit.client.value(of: "/users/1", as: User.self) }
    await kit.stub.requested(1)
    while kit.clock.pendingCount == 0 { try await Task.sleep(for: .milliseconds(1)) }  // sleeps: until the retry waits
    await kit.clock.advance(by: .seconds(4))
    #expect(kit.stub.requests.count == 1)
    await kit.clock.advance(by: .seconds(1))
    #expect(try await task.value == User(name: "Ada"))
  }
  // end sample

  @MainActor @Test func aDebouncedRefresh() async throws {
    let kit = TestKit()
    kit.stub.on(.get, "/users", .json([User(name: "Ada")]))
    let pages = kit.client.pages(request: Request(.get, "/users"), as: [User].self)
    let lane = Lane(.latestWins(debounce: .milliseconds(300)), scheduler: kit.clock)
    let pager = Pager(pages, in: lane) { $0.value }
    // sample: testing-refresh
    let refresh = Task { await pager.refresh() }
    await kit.clock.advance(by: .milliseconds(300))
    await refresh.value
    #expect(pager.items == [User(name: "Ada")])
    // end sample
  }

  @MainActor @Test func anAppBuildsItsOwnClient() async throws {
    let kit = TestKit()
    kit.stub.on(.get, "/users/1", .status(503), .json(User(name: "Ada")), .json(User(name: "Grace")))
    func makeClient(_ change: (inout NetworkClient.Configuration) -> Void) -> NetworkClient {
      NetworkClient(baseURL: URL(string: "https://api.example.com")) {
        $0.retry = Retry(limit: 1, backoff: .constant(.seconds(5)))
        change(&$0)
      }
    }
    // sample: testing-own-client
    let start = Date()
    let client = makeClient {
      $0.transport = kit.stub
      $0.scheduler = kit.clock
      $0.retryBudget = RetryBudget(scheduler: kit.clock)
      $0.processing = .immediate
      $0.cache = ResponseCache { start + kit.clock.now / .seconds(1) }  // for times to live
    }
    // end sample
    let model = ProfileModel(client: client)
    model.load()
    await kit.clock.advance(by: .seconds(5))
    expectEqual(model.user.value, User(name: "Ada"))
    let minute = Request(.get, "/users/1", cache: .timeToLive(.seconds(60)))
    for _ in 1...2 { try await expectEqual(client.value(of: minute, as: User.self), User(name: "Grace")) }
    expectEqual(kit.stub.requests.count, 3)
    await kit.clock.advance(by: .seconds(61))
    _ = try await client.value(of: minute, as: User.self)
    expectEqual(kit.stub.requests.count, 4)
  }

  @Test func recordings() async throws {
    let kit = TestKit()
    kit.stub.on(.get, "/users/1", .json(User(name: "Ada")))
    // sample: testing-recorder
    let recorder = SignalRecorder(kit.client.enqueue(request: "/users/1", resultType: User.self).map(\.value))
    await recorder.waitForEnd()
    #expect(recorder.values == [User(name: "Ada")])
    #expect(recorder.failure == nil)
    // end sample
    kit.stub.on(.get, "/slow", .never)
    let slow = SignalRecorder(kit.client.enqueue(request: "/slow", resultType: User.self))
    slow.dispose()
    #expect(kit.stub.cancelledCount == 1 && kit.stub.activeCount == 0)
  }

  // sample: testing-deallocation
  @MainActor @Test func theRequestEndsWithItsModel() async {
    let kit = TestKit()
    kit.stub.on(.get, "/users/1", .never)
    var model: ProfileModel? = ProfileModel(client: kit.client)
    model?.load()
    #expect(kit.stub.activeCount == 1)
    model = nil
    await kit.clock.advance()  // without it, the cancellation takes up to 100 milliseconds on Linux
    #expect(kit.stub.cancelledCount == 1)
  }
  // end sample

  @Test func cassettes() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/users/1") { _ in .json(#"{"name": "Ada"}"#) }
    let apiURL = server.baseURL
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: file) }
    // sample: testing-cassette
    // Once, with the network: what the file does not have yet is sent and recorded.
    let recording = try CassetteTransport(file: file, recording: URLSessionTransport())
    _ = try await NetworkClient(.init(baseURL: apiURL, transport: recording)).value(of: "/users/1", as: User.self)

    // From then on without it.
    let replayed = try CassetteTransport(file: file)
    let client = NetworkClient(.init(baseURL: apiURL, transport: replayed))
    #expect(try await client.value(of: "/users/1", as: User.self) == User(name: "Ada"))
    // end sample
    expectEqual(server.log.requests.count, 1)
  }

  @Test func cassettesWithKeptNames() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/country") { .text($0.queryValue("code") ?? "") }
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: file) }
    // sample: testing-keeping
    let kept: Set = ["code", "key"]  // of countries and issues
    let recording = try CassetteTransport(file: file, recording: URLSessionTransport(), keeping: kept)
    // end sample
    for code in ["DE", "FR"] {
      let client = NetworkClient(.init(baseURL: server.baseURL, transport: recording))
      try await expectEqual(client.value(of: "/country?code=\(code)", as: String.self), code)
    }
    let replayed = try CassetteTransport(file: file, keeping: kept)
    let client = NetworkClient(.init(baseURL: server.baseURL, transport: replayed))
    try await expectEqual(client.value(of: "/country?code=FR", as: String.self), "FR")
  }

  @Test func cassettesWithComparedRequests() async throws {
    let server = try LoopbackServer()
    server.route("POST", "/orders") { .text($0.header("Accept-Language") ?? "") }
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: file) }
    // sample: testing-comparing
    let sent = CurrentValue<[String]>([])
    let compared: @Sendable (HTTPRequest) -> HTTPRequest = { request in
      sent.modify { $0.append(request.url.path) }
      var request = request
      if request.url.path == "/orders" { request.body = .empty }  // it has a new identifier each time
      request.url.append(queryItems: [URLQueryItem(name: "language", value: request.headers["Accept-Language"])])
      return request
    }
    let recording = try CassetteTransport(file: file, recording: URLSessionTransport(), comparing: compared)
    // end sample
    for isRecording in [true, false] {
      let transport = isRecording ? recording : try CassetteTransport(file: file, comparing: compared)
      let client = NetworkClient(.init(baseURL: server.baseURL, transport: transport))
      for language in ["en", "de"] {
        let body = RequestBody.json(["id": UUID().uuidString])
        let request = Request(.post, "/orders", headers: ["Accept-Language": language], body: body)
        try await expectEqual(client.value(of: request, as: String.self), language)
      }
    }
    expectEqual(server.log.requests.count, 2)
    expectEqual(sent.value, Array(repeating: "/orders", count: 4))
  }

  // sample: testing-server
  @Test func aBrokenConnectionIsAnError() async throws {
    let server = try LoopbackServer()  // a real HTTP server on 127.0.0.1
    server.route("GET", "/users/1") { request in
      request.header("Accept-Language") == "en" ? .json(#"{"name": "Ada"}"#) : .status(406)
    }
    server.route("GET", "/cut") { _ in .json(#"{"name": "Ada"}"#).cut(afterBodyByteCount: 6) }
    let client = NetworkClient(baseURL: server.baseURL) { $0.headers["Accept-Language"] = "en" }
    #expect(try await client.value(of: "/users/1", as: User.self) == User(name: "Ada"))
    await #expect(throws: NetworkError.self) { try await client.value(of: "/cut", as: User.self) }
    #expect(server.log.requests.count == 2)
  }
  // end sample

  private let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).film")

  // sample: testing-resume
  @Test func aDownloadResumes() async throws {
    let server = try LoopbackServer()
    let film = Data(repeating: 7, count: 100_000)
    server.route("GET", "/film") { request in
      guard let start = request.header("Range").flatMap({ Int($0.dropFirst(6).dropLast()) }) else {  // "bytes=50000-"
        return .data(film).header("ETag", "\"1\"").cut(afterBodyByteCount: 50_000)
      }
      return .data(film.suffix(from: start), status: 206).header("ETag", "\"1\"")
        .header("Content-Range", "bytes \(start)-99999/100000")
    }
    let client = NetworkClient(baseURL: server.baseURL)
    await #expect(throws: NetworkError.self) { try await client.download("/film", to: file) }
    _ = try await client.download("/film", to: file)
    #expect(try Data(contentsOf: file) == film)
  }
  // end sample
}
