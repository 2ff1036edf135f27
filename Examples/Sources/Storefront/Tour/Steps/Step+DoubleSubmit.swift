import Heliograph
import HeliographTesting

extension Step {
  static let doubleSubmit = Step("A button that is tapped twice") { tour in
    let shop = try tour.ownShop()
    let session = try await tour.customers.signIn(Tour.credentials).value()
    let model = OrderModel(engine: tour.customers, session: session)
    let line = OrderLine(productID: 7, quantity: 1)
    for _ in 0..<2 { model.submit(line) }
    await tour.wait { !model.order.isLoading }
    let orderCount = shop.front.log.requests(to: "/orders").count
    tour.report.check(
      model.order.value?.lines == [line] && orderCount == 1, "two taps send one order",
      "order \(model.order.value.map { "\($0.id)" } ?? "none"), the server saw \(orderCount)")

    model.submit(line)
    await tour.wait { !model.order.isLoading }
    let laterCount = shop.front.log.requests(to: "/orders").count
    tour.report.check(laterCount == 2, "a later tap sends another one", "the server saw \(laterCount) in all")

    shop.orders.loseNextResponse()
    model.submit(line)
    await tour.wait { !model.order.isLoading }
    // On a connection in use, the client itself has sent it again; otherwise, the customer taps again.
    if model.order.error != nil { model.submit(line) }
    await tour.wait { !model.order.isLoading }
    tour.report.check(
      model.order.value?.id == 2003 && shop.orders.count == 3, "an order whose response is lost is executed once",
      "order \(model.order.value.map { "\($0.id)" } ?? "none"), the shop executed \(shop.orders.count)")
  }
}
