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
  }
}
