import Heliograph
import HeliographTesting
import Testing

@testable import Storefront

@MainActor
@Suite struct OrderModelTests {
  private let kit = TestKit()
  private let line = OrderLine(productID: 7, quantity: 2)
  private let session = Session(token: "token", renewal: "renewal")

  private var order: Order { Order(id: 2001, placedOn: "2025-04-01", lines: [line]) }
  private var keys: [String?] { kit.stub.requests.map { $0.headers["Idempotency-Key"] } }
  private var model: OrderModel { OrderModel(engine: CustomerEngine(client: kit.client), session: session) }

  @Test func twoTapsSendOneOrder() async throws {
    kit.stub.on(
      .post, "/orders", headers: ["Authorization": "Bearer token"], .json(order).delayed(by: .seconds(1)))
    let model = model
    for _ in 0..<2 { model.submit(line) }
    await kit.clock.advance()
    #expect(model.order == .loading(previous: nil))
    await kit.clock.advance(by: .seconds(1))
    #expect(model.order == .loaded(order))
    #expect(kit.stub.requests.count == 1 && kit.stub.cancelledCount == 0)
    try kit.stub.verify()
  }

  @Test func aFailedOrderMayBeSentAgain() async {
    kit.stub.on(.post, "/orders", .status(503), .json(order))
    let model = model
    model.submit(line)
    await kit.clock.advance()
    #expect(model.order.error?.code == .status(503))
    model.submit(line)
    await kit.clock.advance()
    #expect(model.order == .loaded(order) && kit.stub.requests.count == 2)
    #expect(Set(keys).count == 1, "the shop may have executed the first one")
    model.submit(line)
    await kit.clock.advance()
    #expect(Set(keys).count == 2, "another order")
  }

  @Test func anotherOrderAfterAFailureHasItsOwnKey() async {
    kit.stub.on(.post, "/orders", .status(503), .json(order))
    let model = model
    model.submit(line)
    await kit.clock.advance()
    model.submit(OrderLine(productID: 8, quantity: 1))
    await kit.clock.advance()
    #expect(Set(keys).count == 2)
    model.submit(line)
    await kit.clock.advance()
    #expect(keys.count == 3 && keys[2] == keys[0], "the shop may have executed the first one")
  }

  @Test(arguments: [StubAnswer.status(422), .json(#"{"code": 4001, "msg": "Sold out."}"#)])
  func aRefusedOrderIsAnotherOrderNextTime(_ refusal: StubAnswer) async {
    kit.stub.on(.post, "/orders", refusal, .json(order))
    let client = kit.makeClient { $0.stages.validators.append(ShopValidator()) }
    let model = OrderModel(engine: CustomerEngine(client: client), session: session)
    for _ in 0..<2 {
      model.submit(line)
      await kit.clock.advance()
    }
    #expect(model.order == .loaded(order))
    #expect(Set(keys).count == 2, "the shop may answer the former key with its refusal")
  }

  @Test func theEndOfASessionEndsItsOrder() async {
    kit.stub.on(.post, "/orders", .never)
    let engine = CustomerEngine(client: kit.client)
    var model: OrderModel? = OrderModel(engine: engine, session: session)
    model?.submit(line)
    await kit.clock.advance()
    #expect(kit.stub.activeCount == 1)
    model = nil
    await kit.clock.advance()
    #expect(kit.stub.cancelledCount == 1)
  }
}
