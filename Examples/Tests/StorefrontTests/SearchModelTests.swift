import Heliograph
import HeliographTesting
import Testing

@testable import Storefront

@MainActor
@Suite struct SearchModelTests {
  private let kit = TestKit()
  private let lamp = Product(
    id: 1, name: "Desk Lamp", priceCents: 6450, category: "Lighting", stock: 1, description: "Dims to candlelight.")

  private var model: SearchModel { SearchModel(engine: ProductEngine(client: kit.client, scheduler: kit.clock)) }

  @Test func onlyTheLatestTextIsSearched() async throws {
    kit.stub.on(.get, "/search", query: ["q": "lamp"], .json([lamp]))
    let model = model
    for text in ["l", "la", "lamp"] { model.text = text }
    #expect(model.products == .loading(previous: nil))
    await kit.clock.advance(by: .milliseconds(250))
    #expect(model.products == .loaded([lamp]))
    #expect(kit.stub.requests.count == 1)
    try kit.stub.verify()
  }

  @Test func aSlowSearchIsCancelledByTheNextOne() async {
    kit.stub.on(.get, "/search", query: ["q": "la"], .json([Product]()).delayed(by: .seconds(5)))
    kit.stub.on(.get, "/search", query: ["q": "lamp"], .json([lamp]))
    let model = model
    for text in ["la", "lamp"] {
      model.text = text
      await kit.clock.advance(by: .milliseconds(250))
    }
    #expect(model.products == .loaded([lamp]))
    #expect(kit.stub.requests.count == 2 && kit.stub.cancelledCount == 1 && kit.stub.activeCount == 0)
  }

  @Test func aFailureKeepsTheProductsAndAnEmptyTextRemovesThem() async {
    kit.stub.on(.get, "/search", query: ["q": "lamp"], .json([lamp]))
    kit.stub.on(.get, "/search", query: ["q": "lamps"], .status(503))
    let model = model
    for text in ["lamp", "lamps"] {
      model.text = text
      await kit.clock.advance(by: .milliseconds(250))
    }
    #expect(model.products.value == [lamp])
    #expect(model.products.error?.message == "The server had a problem. Please try again later.")
    model.text = ""
    #expect(model.products == .loaded([]) && kit.stub.requests.count == 2)
  }

  @Test func aClosedScreenCancelsItsSearch() async {
    kit.stub.on(.get, "/search", .never)
    var model: SearchModel? = model
    model?.text = "lamp"
    await kit.clock.advance(by: .milliseconds(250))
    #expect(kit.stub.activeCount == 1)
    model = nil
    await kit.clock.advance()
    #expect(kit.stub.activeCount == 0 && kit.stub.cancelledCount == 1)
  }
}
