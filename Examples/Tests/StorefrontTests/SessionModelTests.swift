import Heliograph
import HeliographTesting
import Testing

@testable import Storefront

@MainActor
@Suite struct SessionModelTests {
  @Test func aFailedSignInShowsNoFormerCustomer() async {
    let kit = TestKit()
    kit.stub.on(.post, "/session", .json(Session(token: "a", renewal: "r")).delayed(by: .seconds(1)), .status(401))
    kit.stub.on(.get, "/profile", .json(Profile(id: 7, name: "Ada", email: "ada@example.com")))
    kit.stub.on(.get, "/customers/7/orders", .json([Order]()))
    let model = SessionModel(engine: CustomerEngine(client: kit.client))
    for _ in 0..<2 { model.signIn(Credentials(email: "ada@example.com", password: "lovelace")) }
    await kit.clock.advance(by: .seconds(1))
    #expect(model.account.value?.profile.name == "Ada")
    #expect(kit.stub.requests(to: "/session").count == 1, "a second tap")
    model.signIn(Credentials(email: "bob@example.com", password: "wrong"))
    await kit.clock.advance()
    #expect(model.account.value == nil && model.account.error?.isUnauthorized == true)
  }
}
