import HeliographTesting

extension Step {
  static let release = Step("A page that is left while it loads") { tour in
    let shop = try tour.ownShop()
    shop.hang("/products/7")
    shop.hang("/products/7/reviews")
    var model: ProductModel? = ProductModel(api: tour.api, id: 7)
    let leftBehind = { [weak model] in model }
    model?.load()
    let requests = await shop.front.log { $0.requests.count == 2 }.requests

    let releasedAt = ContinuousClock.now
    model = nil
    tour.report.check(
      leftBehind() == nil, "nothing keeps the view model",
      leftBehind() == nil ? "it is gone with its last reference" : "it is still there")

    let log = await shop.front.log { $0.hasClientClosed(requests) }
    let delays = requests.compactMap { log.connection(of: $0).closedAt }.map { $0 - releasedAt }
    // Not before zero: a connection that had closed by itself would prove nothing.
    let isPrompt = delays.allSatisfy { (.zero ..< .milliseconds(100)).contains($0) }
    tour.report.check(
      requests.count == 2 && log.hasClientClosed(requests) && isPrompt,
      "the server saw both its connections closed within 100 ms",
      "closed after: \(delays.inMilliseconds)")
  }
}
