import Foundation
import Heliograph
import HeliographTesting
import Testing

@testable import FirstDay

@MainActor
@Suite struct ShopClientTests {
  private let kit = TestKit()
  private let lamp = Product(id: 1, name: "Lamp", addedAt: Date(timeIntervalSince1970: 1_767_323_045))

  @Test func anOrderIsNotSentForTheNextUser() async throws {
    kit.stub.on(.post, "/orders", .status(401))
    kit.stub.on(.post, "/token/refresh", .never)
    let shop = try ShopClient(baseURL: #require(URL(string: "https://shop.example"))) {
      ($0.transport, $0.scheduler) = (kit.stub, kit.clock)
    }
    shop.account.value = "ada"
    shop.session.value = Session(token: "a", refreshToken: "ada")
    let order = Task { try await shop.order(lamp, on: .now) }
    await #expect(kit.stub.requested(2))
    shop.signOut()
    shop.account.value = "bob"
    shop.session.value = Session(token: "b", refreshToken: "bob")
    await #expect {
      try await order.value
    } throws: {
      ($0 as? NetworkError)?.code == .contextChanged
    }
    #expect(kit.stub.requests.map { $0.headers["Authorization"] } == ["Bearer a", "Bearer a"])
  }
}
