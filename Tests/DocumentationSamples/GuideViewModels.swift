import Foundation
import Heliograph
import HeliographTesting
import Observation
import TestSupport
import Testing

// sample: view-models-distinct
extension Pager where Item: Identifiable {
  var distinctItems: [Item] {
    var ids = Set<Item.ID>()
    return items.filter { ids.insert($0.id).inserted }
  }
}
// end sample

/// The engine and its view models of the article SignalsForViewModels.
@MainActor
struct ViewModelSamples {
  nonisolated struct Product: Codable, Sendable, Hashable, Identifiable {
    let id: Int
    let name: String
  }
  // sample: view-models-search-page
  nonisolated struct SearchPage: Codable, Sendable {
    let total: Int
    let items: [Product]
    let cursor: String?
  }
  // end sample
  nonisolated struct OrderLine: Codable, Sendable { let productID: Int }
  nonisolated struct Order: Codable, Sendable, Equatable { let id: Int }

  // sample: view-models-engine
  nonisolated struct ProductEngine {
    private let client: NetworkClient
    private let ordering = Lane(.exclusive(), name: "order")

    init(client: NetworkClient) { self.client = client }

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

  // sample: view-models-paged-search
  @MainActor @Observable final class PagedSearchModel {
    var text = "" {
      didSet { if text != oldValue { pager.replace(with: text.isEmpty ? nil : engine.found(text)) } }
    }
    var products: [Product] { pager.items }
    var total: Int? { pager.page?.value.total }
    var error: NetworkError? { pager.error }  // the rows of a former search are gone
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
      if order.isLoading { return }  // a form that is sent once
      engine.buy(line).load(into: \.order, on: self)
    }
  }
  // end sample

  private let kit = TestKit()
  private let lamp = Product(id: 7, name: "Lamp")
  private var engine: ProductEngine { ProductEngine(client: kit.client) }

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
    model.text = "a"
    await kit.clock.advance(by: .milliseconds(250))
    expectEqual(model.products, [lamp, chair], "an equal text searches for nothing")
  }

  @Test func anItemThatMovesIsShownOnce() async {
    let chair = Product(id: 8, name: "Chair")
    let pages = kit.client.pages(request: "/products", as: [Product].self) { response in
      response.url.query == nil ? Request(.get, "/products", query: ["page": 2]) : nil
    }
    kit.stub.on(.get, "/products", query: ["page": "2"], .json([lamp, chair]))
    kit.stub.on(.get, "/products", .json([lamp]))
    let pager = Pager(pages)
    await pager.refresh()
    await kit.clock.advance()
    pager.loadMore()
    await kit.clock.advance()
    expectEqual(pager.items, [lamp, lamp, chair])
    expectEqual(pager.distinctItems, [lamp, chair])
  }

  @Test func aCallOfAnEngineIsStartedForItsOwner() async {
    kit.stub.on(.post, "/visits", .status(204))
    let (owner, hasVisited) = (OrderModel(engine: engine), CurrentValue(false))
    engine.visit(7).start(for: owner) { _, _ in hasVisited.value = true }
    await kit.clock.advance()
    expect(hasVisited.value)
  }

  @Test func twoTapsSendOneOrder() async {
    kit.stub.on(.post, "/orders", .json(Order(id: 1)).delayed(by: .seconds(1)))
    let model = OrderModel(engine: engine)
    for _ in 0..<2 { model.submit(OrderLine(productID: 7)) }
    await kit.clock.advance(by: .seconds(1))
    expectEqual(model.order, .loaded(Order(id: 1)))
    expectEqual(kit.stub.requests.count, 1)
  }
}
