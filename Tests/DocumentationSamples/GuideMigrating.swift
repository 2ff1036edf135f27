import Foundation
import Heliograph
import HeliographTesting
import Observation
import TestSupport
import Testing

/// The new sides of the diffs in the articles for those who come from another library.
@MainActor struct MigratingSamples {
  nonisolated struct User: Decodable, Sendable { let name: String }
  nonisolated struct Product: Codable, Sendable, Equatable { let name: String }
  nonisolated struct Article: Codable, Sendable { let title: String }
  struct Price: Codable, Sendable { let cents: Int }

  // sample: coming-alamofire
  @MainActor @Observable final class ProfileModel {
    private(set) var user = Loadable<User>.idle
    private var id: Int?
    private let client: NetworkClient

    init(client: NetworkClient) { self.client = client }

    func load(_ id: Int) {
      if id != self.id { (self.id, user) = (id, .idle) }
      client.enqueue(request: "/users/\(id)", resultType: User.self).map(\.value).load(into: \.user, on: self)
    }
  }
  // end sample

  // sample: coming-moya
  enum ShopAPI: Endpoint {
    case search(String)
    var request: Request {
      switch self {
      case .search(let text): Request(.get, "/products", parameters: ["q": text])
      }
    }
  }

  final class SearchViewModel: Sendable {
    let query = CurrentValue("")
    let products: Signal<[Product], Never>
    let isLoading = CurrentValue(false)

    init(client: NetworkClient, scheduler: any SignalScheduler = .global) {
      products = query.signal
        .debounce(.milliseconds(300), on: scheduler)
        .distinctUntilChanged()
        .flatMap(.latest) { [isLoading] text in
          client.enqueue(request: ShopAPI.search(text), resultType: [Product].self)
            .map(\.value)
            .on(start: { isLoading.send(true) })
            .finally { isLoading.send(false) }
            .replaceFailure(with: [])
        }
        .share(replay: 1)
    }
  }
  // end sample

  // sample: coming-combine
  @MainActor final class NewsModel {
    private(set) var articles: [Article] = []
    private(set) var message: String?
    private let client: NetworkClient

    init(client: NetworkClient) { self.client = client }

    func load() {
      let request = Request(.get, "/articles", parameters: ["page": 1], retry: Retry(limit: 2))
      client.enqueue(request: request, resultType: [Article].self)
        .bound(to: self)
        .subscribeOnMain(
          onValue: { [weak self] in self?.articles = $0.value },
          onFailure: { [weak self] in self?.message = $0.message })
    }
  }
  // end sample

  // sample: coming-asynchttpclient
  func price(of product: Int, with client: NetworkClient) async throws(NetworkError) -> Price {
    let request = Request(.get, "/v1/prices/\(product)", totalTimeout: .seconds(5), retry: Retry(limit: 2))
    return try await client.value(of: request, as: Price.self)
  }
  // end sample

  @Test func aProfile() async {
    let kit = TestKit()
    kit.stub.on(.get, "/users/2", .json(#"{"name": "Ada"}"#))
    let model = ProfileModel(client: kit.client)
    model.load(1)
    model.load(2)
    await kit.clock.advance()
    expectEqual(model.user.value?.name, "Ada")
  }

  @Test func aSearch() async throws {
    let kit = TestKit()
    kit.stub.on(.get, "/products", query: ["q": "lamp"], .json([Product(name: "Lamp")]).delayed(by: .seconds(1)))
    kit.stub.on(.get, "/products", query: ["q": "desk"], .status(500))
    let model = SearchViewModel(client: kit.client, scheduler: kit.clock)
    let shown = CurrentValue<[[Product]]>([])
    let handle = model.products.subscribeOnMain(onValue: { products in shown.modify { $0.append(products) } })
    model.query.send("la")
    model.query.send("lamp")
    await kit.clock.advance(by: .milliseconds(300))
    expect(model.isLoading.value)
    await kit.clock.advance(by: .seconds(1))
    expect(!model.isLoading.value)
    model.query.send("desk")
    await kit.clock.advance(by: .milliseconds(300))
    expectEqual(shown.value, [[Product(name: "Lamp")], []])
    handle.dispose()
    try kit.stub.verify()
  }

  @Test func news() async {
    let kit = TestKit()
    kit.stub.on(.get, "/articles", query: ["page": "1"], .status(503), .json([Article(title: "Lamps")]), .status(404))
    let model = NewsModel(client: kit.client)
    model.load()
    await kit.clock.advance(by: .seconds(10))
    expectEqual(model.articles.map(\.title), ["Lamps"])
    model.load()
    await kit.clock.advance(by: .seconds(10))
    expectEqual(model.message, NetworkError(.status(404)).message)
  }

  @Test func valuesOfALoadComeOnTheMainThread() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/users/1") { _ in .json(#"{"name": "Ada"}"#) }
    let client = NetworkClient(baseURL: server.baseURL)
    let names = CurrentValue<[String]>([])
    client.load(Request(.get, "/users/1"), as: User.self).subscribe(
      onValue: { user in
        MainActor.assertIsolated()
        names.modify { $0.append(user.name) }
      }, onFailure: { _ in })
    await expectEqual(names.signal.filter { !$0.isEmpty }.first(), ["Ada"])
  }

  @Test func aPrice() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/v1/prices/7") { _ in .json(#"{"cents": 1200}"#) }
    try await expectEqual(price(of: 7, with: NetworkClient(baseURL: server.baseURL)).cents, 1200)
  }
}

// sample: coming-moya-main
extension NetworkClient {
  /// The value of a request, delivered on the main thread.
  func load<Value: Decodable & Sendable>(
    _ request: some RequestConvertible, as type: Value.Type
  ) -> Signal<Value, NetworkError> {
    enqueue(request: request, resultType: type).map(\.value).observe(on: .mainImmediate)
  }
}
// end sample
