import Heliograph
import HeliographTesting

extension Step {
  static let twoAtOnce = Step("A product and its reviews: two requests at once") { tour in
    let shop = try tour.ownShop()
    let model = ProductModel(engine: tour.products, id: 1)
    model.load()
    await tour.wait { !model.details.isLoading }
    let details = model.details.value
    tour.report.check(
      details?.product.id == 1 && details?.reviews.isEmpty == false, "both are shown together",
      details.map { "\($0.product.name) with \($0.reviews.count) reviews" } ?? model.details.error?.message ?? "nothing"
    )

    let requests = shop.front.log.requests
    guard requests.count == 2 else { return tour.report.check(false, "two requests", "\(requests.count) came") }
    // No response is sent before pageTime: a request that arrives earlier arrives while the other one is in flight.
    let distance = requests[1].receivedAt - requests[0].receivedAt
    tour.report.check(
      distance < ShopServer.pageTime && requests[0].connection != requests[1].connection,
      "the second was sent while the first was in flight",
      "it arrived \(distance.inMilliseconds) later, and a response takes \(ShopServer.pageTime.inMilliseconds)")
  }
}
