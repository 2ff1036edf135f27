import HeliographTesting

extension Step {
  static let twoAtOnce = Step("A product and its reviews: two requests at once") { tour in
    let shop = try tour.ownShop()
    let model = ProductModel(api: tour.api, id: 1)
    model.load()
    await tour.wait { model.product != nil || model.message != nil }
    tour.report.check(
      model.product?.id == 1 && !model.reviews.isEmpty, "both came together",
      model.message ?? "\(model.product?.name ?? "no product") with \(model.reviews.count) reviews")

    let requests = shop.front.log.requests
    guard requests.count == 2 else { return tour.report.check(false, "two requests", "\(requests.count) came") }
    // No answer leaves before pageTime is over: what arrives within it arrives while the other is in flight.
    let distance = requests[1].receivedAt - requests[0].receivedAt
    tour.report.check(
      distance < ShopServer.pageTime && requests[0].connection != requests[1].connection,
      "the second was sent while the first was in flight",
      "it came \(distance.inMilliseconds) later, and an answer takes \(ShopServer.pageTime.inMilliseconds)")
  }
}
