import Foundation
import Heliograph
import HeliographTesting
import Observation
import TestSupport
import Testing

#if canImport(Combine)
import Combine
#endif

/// The view models of the document ViewModels.
@MainActor
struct ViewModelSamples {
  struct Product: Codable, Sendable, Hashable, Identifiable {
    let id: Int
    let name: String
  }
  // sample: view-models-search-page
  struct SearchPage: Codable, Sendable {
    let total: Int
    let items: [Product]
    let cursor: String?
  }
  // end sample
  struct Review: Codable, Sendable, Equatable { let stars: Int }
  struct OrderLine: Codable, Sendable { let productID: Int }
  struct Order: Codable, Sendable, Equatable { let id: Int }

  // sample: view-models-engine
  struct ProductEngine {
    private let client: NetworkClient
    private let searching: Lane
    private let ordering = Lane(.exclusive(), name: "order")

    init(client: NetworkClient, scheduler: any SignalScheduler = .global) {
      self.client = client
      searching = Lane(.latestWins(debounce: .milliseconds(250)), name: "search", scheduler: scheduler)
    }

    func search(_ text: String) -> Signal<[Product], NetworkError> {
      if text.isEmpty { return .just([]) }
      let request = Request(.get, "/search", query: ["q": text])
      return searching.enqueue(client.enqueue(request: request, resultType: [Product].self).map(\.value))
    }

    func product(_ id: Product.ID) -> Signal<Product, NetworkError> {
      client.enqueue(request: "/products/\(id)", resultType: Product.self).map(\.value)
    }
    func reviews(of id: Product.ID) -> Signal<[Review], NetworkError> {
      client.enqueue(request: "/products/\(id)/reviews", resultType: [Review].self).map(\.value)
    }
    func list() -> Pages<[Product]> { client.pages(request: "/products", of: Product.self) }

    func found(_ text: String) -> Pages<SearchPage> {
      let request = Request(.get, "/catalogue", query: ["q": text])
      return client.pages(request: request.returning(SearchPage.self)) { page in
        page.value.cursor.map { Request(.get, "/catalogue", query: ["q": text, "cursor": $0]) }
      }
    }

    func buy(_ line: OrderLine) -> Signal<Order, NetworkError> {
      let request = Request(.post, "/orders", body: .json(line))
      return ordering.enqueue(client.enqueue(request: request, resultType: Order.self).map(\.value))
    }

    func visit(_ id: Product.ID) -> Call<NoContent> {
      client.call(Request(.post, "/visits", body: .json(["product": id])), as: NoContent.self)
    }
  }
  // end sample

  // sample: view-models-search
  @MainActor @Observable final class SearchModel {
    var text = "" {
      didSet { engine.search(text).load(into: \.products, on: self) }
    }
    private(set) var products = Loadable<[Product]>.idle
    private let engine: ProductEngine

    init(engine: ProductEngine) { self.engine = engine }
  }
  // end sample

  // sample: view-models-detail
  @MainActor @Observable final class ProductModel {
    struct Details: Equatable {
      let product: Product
      let reviews: [Review]
    }
    private(set) var details = Loadable<Details>.idle
    private let engine: ProductEngine

    init(engine: ProductEngine) { self.engine = engine }

    func load(_ id: Product.ID) {
      engine.product(id).zip(engine.reviews(of: id))
        .map { Details(product: $0, reviews: $1) }
        .load(into: \.details, on: self)
    }
  }
  // end sample

  // sample: view-models-list
  @MainActor @Observable final class ListModel {
    var products: [Product] { pager.items }
    var isRefreshing: Bool { pager.isRefreshing }
    var message: String? { pager.error?.message }
    private let pager: Pager<Product, [Product]>

    init(engine: ProductEngine) { pager = Pager(engine.list()) }

    func refresh() { pager.refresh() }  // when the list appears, and when it is pulled down
    func rowAppears(_ product: Product) { pager.loadMore(after: product) }
  }
  // end sample

  // sample: view-models-paged-search
  @MainActor @Observable final class PagedSearchModel {
    var text = "" {
      didSet { pager.replace(with: text.isEmpty ? nil : engine.found(text)) }
    }
    var products: [Product] { pager.items }
    var total: Int? { pager.page?.value.total }
    private let engine: ProductEngine
    private let pager: Pager<Product, SearchPage>

    init(engine: ProductEngine, searching: Lane = Lane(.latestWins(debounce: .milliseconds(250)))) {
      self.engine = engine
      pager = Pager(in: searching) { $0.value.items }
    }

    func rowAppears(_ product: Product) { pager.loadMore(after: product) }
  }
  // end sample

  // sample: view-models-order
  @MainActor @Observable final class OrderModel {
    private(set) var order = Loadable<Order>.idle
    private let engine: ProductEngine

    init(engine: ProductEngine) { self.engine = engine }

    func submit(_ line: OrderLine) {
      if order.isLoading { return }
      engine.buy(line).load(into: \.order, on: self)
    }
  }
  // end sample

  @MainActor @Observable final class VisitModel {
    private(set) var hasVisited = false
    private(set) var message: String?
    private let engine: ProductEngine

    init(engine: ProductEngine) { self.engine = engine }

    func visit() {
      // sample: view-models-call
      engine.visit(7).start(for: self) { model, call in
        model.hasVisited = true
      } onFailure: { model, call in
        model.message = call.error?.message
      }
      // end sample
    }
  }

  #if canImport(Combine)
  // sample: view-models-observable-object
  @MainActor final class ProductScreenModel: ObservableObject {
    @Published private(set) var product = Loadable<Product>.idle

    func load(_ id: Product.ID, from engine: ProductEngine) { engine.product(id).load(into: \.product, on: self) }
  }
  // end sample
  #endif

  private let kit = TestKit()
  private let lamp = Product(id: 7, name: "Lamp")
  private var engine: ProductEngine { ProductEngine(client: kit.client, scheduler: kit.clock) }

  @Test func searchAsYouType() async {
    kit.stub.on(.get, "/search", query: ["q": "lamp"], .json([lamp]).delayed(by: .seconds(1)))
    let model = SearchModel(engine: engine)
    for text in ["l", "la", "lamp"] { model.text = text }
    expect(model.products.isLoading)
    await kit.clock.advance(by: .milliseconds(1250))  // the debounce, and the delay of the response
    expectEqual(model.products, .loaded([lamp]))
    expectEqual(kit.stub.requests.count, 1)  // "l" and "la" were never sent
    model.text = ""
    expectEqual(model.products, .loaded([]))
  }

  @Test func aProductAndItsReviewsAreShownTogether() async {
    kit.stub.on(.get, "/products/7", .json(lamp))
    kit.stub.on(.get, "/products/7/reviews", .json([Review(stars: 4)]).delayed(by: .seconds(1)))
    let model = ProductModel(engine: engine)
    model.load(7)
    await kit.clock.advance()
    expectEqual(model.details, .loading(previous: nil))
    expectEqual(kit.stub.requests.count, 2)
    await kit.clock.advance(by: .seconds(1))
    expectEqual(model.details, .loaded(.init(product: lamp, reviews: [Review(stars: 4)])))
  }

  @Test func theListIsReadPageByPage() async {
    let chair = Product(id: 8, name: "Chair")
    kit.stub.on(.get, "/products", .json([lamp], headers: ["Link": "</products?page=2>; rel=next"]))
    kit.stub.on(.get, "/products", query: ["page": "2"], .json([chair]))
    let model = ListModel(engine: engine)
    model.refresh()
    await kit.clock.advance()
    expectEqual(model.products, [lamp])
    expectEqual(kit.stub.requests.count, 1)
    model.rowAppears(lamp)
    await kit.clock.advance()
    expectEqual(model.products, [lamp, chair])
    expect(!model.isRefreshing)
    expectNil(model.message)
  }

  @Test func aSearchIsReadPageByPage() async {
    let chair = Product(id: 8, name: "Chair")
    kit.stub.on(.get, "/catalogue", query: ["q": "a"], .json(SearchPage(total: 2, items: [lamp], cursor: "x")))
    kit.stub.on(
      .get, "/catalogue", query: ["q": "a", "cursor": "x"], .json(SearchPage(total: 2, items: [chair], cursor: nil)))
    let model = PagedSearchModel(
      engine: engine, searching: Lane(.latestWins(debounce: .milliseconds(250)), scheduler: kit.clock))
    model.text = "a"
    await kit.clock.advance(by: .milliseconds(250))
    expectEqual(model.products, [lamp])
    expectEqual(model.total, 2)
    model.rowAppears(lamp)
    await kit.clock.advance()
    expectEqual(model.products, [lamp, chair])
  }

  @Test func aCallOfAnEngineIsStartedForItsOwner() async {
    kit.stub.on(.post, "/visits", .status(503), .status(204))
    let model = VisitModel(engine: engine)
    model.visit()
    await kit.clock.advance()
    expect(model.message != nil)
    expect(!model.hasVisited)
    model.visit()
    await kit.clock.advance()
    expect(model.hasVisited)
  }

  @Test func twoTapsSendOneOrder() async {
    kit.stub.on(.post, "/orders", .json(Order(id: 1)).delayed(by: .seconds(1)))
    let model = OrderModel(engine: engine)
    for _ in 0..<2 { model.submit(OrderLine(productID: 7)) }
    await kit.clock.advance(by: .seconds(1))
    expectEqual(model.order, .loaded(Order(id: 1)))
    expectEqual(kit.stub.requests.count, 1)
  }

  #if canImport(Combine)
  @Test func anObservableObjectIsLoaded() async {
    kit.stub.on(.get, "/products/7", .json(lamp))
    let model = ProductScreenModel()
    model.load(7, from: engine)
    await kit.clock.advance()
    expectEqual(model.product, .loaded(lamp))
  }
  #endif
}
