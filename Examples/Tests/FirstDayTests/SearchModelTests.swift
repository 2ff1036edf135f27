import Foundation
import Heliograph
import HeliographTesting
import Testing

@testable import FirstDay

@MainActor
@Suite struct SearchModelTests {
  private let lamp = Product(id: 1, name: "Lamp", addedAt: Date(timeIntervalSince1970: 1_767_323_045))

  @Test func onlyTheLatestTextIsSearched() async throws {
    let kit = TestKit()
    kit.stub.on(.get, "/products", query: ["q": "lamp"], .json([lamp]))
    let model = SearchModel(client: kit.client, scheduler: kit.clock)
    for text in ["l", "la", "lamp"] { model.text = text }
    await kit.clock.advance(by: .milliseconds(300))
    #expect(model.products == .loaded([lamp]))
    #expect(kit.stub.requests.count == 1)
    model.text = ""
    await kit.clock.advance()
    #expect(model.products == .loaded([]) && kit.stub.requests.count == 1)
    try kit.stub.verify()
  }

  @Test func aFailureIsShown() async {
    let kit = TestKit()
    kit.stub.on(.get, "/products", .status(503))
    let model = SearchModel(client: kit.client, scheduler: kit.clock)
    model.text = "lamp"
    await kit.clock.advance(by: .seconds(1))
    #expect(model.products.error?.message == "The server had a problem. Please try again later.")
  }
}
