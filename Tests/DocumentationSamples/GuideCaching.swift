import Foundation
import Heliograph
import HeliographTesting
import Observation
import TestSupport
import Testing

/// The samples of the article Caching.
struct CachingGuideSamples {
  // sample: caching-service
  struct Shop: Service {
    let id: ServiceID = "shop"
    let cache = CachePolicy.http  // for its GET and HEAD requests that state no policy
    let ignoredParameters: Set<String> = ["time"]  // differs in each request

    func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
      URL(string: "https://shop.example.com").map { ServiceAddresses($0) }
    }
  }
  // end sample

  struct CacheLog: Monitor {
    let write: @Sendable (String) -> Void

    func observe(_ event: MonitorEvent) {
      guard case .cache(let request, let event) = event else { return }
      write("\(request.url.path): \(event)")  // /provinces: cache miss: expired
    }
  }

  struct Province: Codable, Sendable, Equatable { let name: String }
  nonisolated struct Product: Codable, Sendable, Equatable { let name: String }
  nonisolated struct Article: Codable, Sendable, Equatable { let title: String }

  @Test("S3-11") func provincesForAMonth() async throws {
    let kit = TestKit()
    kit.stub.on(.get, "/provinces", .json([Province(name: "Anhui")]))
    let client = kit.client
    func load() async throws -> ResponseSource {
      // sample: caching-provinces
      let provinces = Request(.get, "/provinces", cache: .timeToLive(.seconds(30 * 86_400)))
      let response = try await client.send(provinces, as: [Province].self)
      print(response.source)  // network; a day later: cache, 86400 s old
      // end sample
      expectEqual(response.value, [Province(name: "Anhui")])
      return response.source
    }
    try await expectEqual(load(), .network)
    await kit.clock.advance(by: .seconds(86_400))
    let later = try await load()
    guard case .cache(let age) = later else { return expect(Bool(false), "\(later)") }
    // The times are dates, which are rounded.
    expect(age > .seconds(86_399))
    expect(age < .seconds(86_401))
    expectEqual(kit.stub.requests.count, 1)
    await kit.clock.advance(by: .seconds(29 * 86_400 + 1))
    try await expectEqual(load(), .network)
  }

  // sample: caching-model
  @MainActor @Observable final class ProductsModel {
    private(set) var list = Loadable<Response<[Product]>>.idle
    private let client: NetworkClient

    var products: [Product] { list.value?.value ?? [] }  // the stored ones stay after a failure
    var isCurrent: Bool { list.error == nil && [.network, .revalidated].contains(list.value?.source) }

    init(client: NetworkClient) { self.client = client }

    func load() {
      let request = Request(.get, "/products", cache: .cacheThenNetwork)
      client.enqueue(request: request, resultType: [Product].self).load(into: \.list, on: self)
    }
  }
  // end sample

  @MainActor @Test("S3-3") func productsAreShownAtOnceAndThenRefreshed() async {
    let kit = TestKit()
    let (old, new) = ([Product(name: "Lamp")], [Product(name: "Lamp"), Product(name: "Desk")])
    kit.stub.on(
      .get, "/products", .json(old), StubAnswer.json(new).delayed(by: .seconds(1)),
      StubAnswer.status(503).delayed(by: .seconds(1)))
    let first = ProductsModel(client: kit.client)
    first.load()
    await kit.clock.advance()
    expectEqual(first.products, old)
    expect(first.isCurrent)

    let second = ProductsModel(client: kit.client)
    second.load()
    await kit.clock.advance()
    expectEqual(second.products, old)
    expect(!second.isCurrent)
    await kit.clock.advance(by: .seconds(1))
    expectEqual(second.products, new)
    expect(second.isCurrent)
    expectNil(second.list.error)

    let third = ProductsModel(client: kit.client)
    third.load()
    await kit.clock.advance(by: .seconds(1))
    expectEqual(third.products, new)
    expect(!third.isCurrent)
    expect(third.list.error != nil)
  }

  @Test("S3-4") func offlineReading() async throws {
    let network = ManualReachability(.reachable)
    let kit = TestKit { $0.reachability = network }
    kit.stub.on(.get, "/articles/*", .json(Article(title: "Rain")))
    let client = kit.client
    func read(_ id: Int) async throws -> Article {
      // sample: caching-offline
      let article = Request(.get, "/articles/\(id)", cache: .networkThenCache)
      let response = try await client.send(article, as: Article.self)  // without a network the stored one
      if case .cache(let age) = response.source { print("\(age.components.seconds) s old") }
      // end sample
      return response.value
    }
    try await expectEqual(read(1).title, "Rain")
    network.set(.unreachable)
    try await expectEqual(read(1).title, "Rain")
    await #expect(throws: NetworkError.self) { try await read(2) }
    var isMissing = false
    let id = 2
    do {
      let stored = Request(.get, "/articles/\(id)", cache: .onlyIfCached)  // never the network
      let article = try await client.value(of: stored, as: Article.self)
      print(article.title)
    } catch {
      isMissing = error.code == .notCached
    }
    expect(isMissing)
    expectEqual(kit.stub.requests.count, 1)
  }

  /// As the article says of a change by the user.
  @Test func aChangeRemovesTheStoredResponse() async throws {
    let network = ManualReachability(.reachable)
    let kit = TestKit { $0.reachability = network }
    kit.stub.on(.get, "/articles/1", .json(Article(title: "Rain")))
    kit.stub.on(.patch, "/articles/1", .status(204))
    func read(_ cache: CachePolicy) async throws -> Article {
      try await kit.client.value(of: Request(.get, "/articles/1", cache: cache), as: Article.self)
    }
    _ = try await read(.networkThenCache)
    _ = try await kit.client.value(of: Request(.patch, "/articles/1", body: .json(["a": 1])), as: NoContent.self)
    network.set(.unreachable)
    await #expect(throws: NetworkError.self) { try await read(.networkThenCache) }
    network.set(.reachable)
    _ = try await read(.reload)
    network.set(.unreachable)
    try await expectEqual(read(.networkThenCache).title, "Rain")
  }

  /// As the article says of two signals with stored values.
  @Test func twoSignalsAreJoinedByCombineLatest() async throws {
    let kit = TestKit()
    kit.stub.on(.get, "/job", .json(1), .json(2).delayed(by: .seconds(1)), .json(3).delayed(by: .seconds(1)))
    kit.stub.on(.get, "/me", .json(10))
    func read(_ path: RequestPath, _ cache: CachePolicy = .cacheThenNetwork) -> Signal<Int, NetworkError> {
      kit.client.enqueue(request: Request(.get, path, cache: cache), resultType: Int.self).map(\.value)
    }
    _ = try await read("/job").value()
    let zipped = SignalRecorder(read("/job").zip(read("/me", .none)).map { $0 * 100 + $1 })
    await kit.clock.advance(by: .seconds(1))
    expectEqual(zipped.values, [110])
    expect(zipped.isCompleted)
    let combined = SignalRecorder(read("/job").combineLatest(read("/me", .none)).map { $0 * 100 + $1 })
    await kit.clock.advance(by: .seconds(1))
    expectEqual(combined.values.last, 310)
  }

  @Test func theRulesOfHTTPOnDisk() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/news") { request in
      request.header("If-None-Match") == "\"v1\""
        ? .status(304).header("ETag", "\"v1\"")
        : .json([Article(title: "Rain")]).header("ETag", "\"v1\"").header("Cache-Control", "no-cache")
    }
    let apiURL = server.baseURL
    let cachesFolder = FileManager.default.temporaryDirectory.appending(path: "guide-\(UUID())")
    defer { try? FileManager.default.removeItem(at: cachesFolder) }
    // sample: caching-http
    let cache = try ResponseCache(folder: cachesFolder.appending(path: "responses"))
    let client = NetworkClient(baseURL: apiURL) {
      $0.cache = cache
      $0.cachePolicy = .http  // for GET and HEAD; a request's own policy takes precedence
    }
    let news = try await client.send("/news", as: [Article].self)
    print(news.source)  // network; the next time: cache, revalidated
    // end sample
    expectEqual(news.source, .network)
    try await expectEqual(client.send("/news", as: [Article].self).source, .revalidated)
    expectEqual(server.log.requests.count, 2)
  }

  @Test("S3-3") func outcomes() async throws {
    let kit = TestKit()
    kit.stub.on(.get, "/news", .json([Article(title: "Rain")]), .json([Article(title: "Rain")]), .json("[]"))
    let client = kit.client
    func load() async throws -> [String] {
      var lines: [String] = []
      // sample: caching-outcomes
      let news = Request(.get, "/news", cache: .cacheThenNetwork)
      for try await outcome in client.outcomes(of: news, as: Article.self).values {
        switch outcome {
        case .value(let response): lines.append(response.value.title)
        case .unchanged: lines.append("nothing new")
        case .emptyList(let response): if !response.isUnchanged { lines.append("no news at all") }
        case .noContent, .notModified: break
        }
      }
      // end sample
      return lines
    }
    try await expectEqual(load(), ["Rain"])
    try await expectEqual(load(), ["Rain", "nothing new"])
    for lines in [["Rain", "no news at all"], ["no news at all"]] { try await expectEqual(load(), lines) }
  }

  @Test func removal() async throws {
    let kit = TestKit { $0.services = ServiceRegistry([Shop()]) }
    kit.stub.on(.get, "/*", .json(Article(title: "Rain")))
    let client = kit.client
    func isStored(_ request: Request) async -> Bool {
      (try? await client.value(of: request, as: Article.self)) != nil
    }
    let stored = Request(.get, "/news", cache: .onlyIfCached)
    func store() async throws {
      _ = try await client.value(of: Request(.get, "/news", cache: .reload), as: Article.self)
    }
    try await store()
    await expect(isStored(stored))
    // sample: caching-removal
    try client.removeCachedResponses(of: "/news")  // of this method and URL: all queries, all accounts
    let cache = client.configuration.cache
    cache.removeAll(ofService: "shop")
    cache.removeAll(ofAccount: "ada")
    cache.removeAll()
    // end sample
    await expectEqual(isStored(stored), false)
    try await store()
    try client.removeCachedResponses(of: Request(.get, "/news"))
    await expectEqual(isStored(stored), false)
  }

  @Test func aServiceAndItsStatistics() async throws {
    let lines = CurrentValue<[String]>([])
    let log = CacheLog { line in lines.modify { $0.append(line) } }
    let kit = TestKit {
      $0.services = ServiceRegistry([Shop()])
      $0.monitors = [log]
    }
    let fresh: HTTPHeaders = ["Cache-Control": "max-age=60"]
    kit.stub.on(.get, "/lamps", .json(#"[{"name": "Lamp"}]"#, headers: fresh))
    let client = kit.client
    for time in 1...2 {
      let lamps = Request(.get, "/lamps", service: "shop", query: ["time": time])
      _ = try await client.value(of: lamps, as: [Product].self)
    }
    expectEqual(kit.stub.requests.count, 1)
    expectEqual(lines.value.first, "/lamps: cache miss: nothing stored")
    expectEqual(lines.value.last, "/lamps: cache hit, 0 s old")
    // sample: caching-statistics
    let statistics = client.configuration.cache.statistics.value
    print(statistics.hitCount, statistics.missCount, statistics.misses[.expired] ?? 0)  // 1 1 0
    // end sample
    expectEqual(statistics.hitCount, 1)
    expectEqual(statistics.missCount, 1)
    expectNil(statistics.misses[.expired])
  }
}
