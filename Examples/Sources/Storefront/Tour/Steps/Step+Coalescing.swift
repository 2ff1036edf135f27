import Heliograph
import HeliographTesting

extension Step {
  static let coalescing = Step("Coalescing: five screens, one request") { tour in
    let shop = try tour.ownShop()
    // Each screen has its own engine; the client is the same.
    let screens = (0..<5).map { _ in SignalRecorder(tour.products.product(11)) }
    _ = await shop.front.log { !$0.requests.isEmpty }
    screens[0].dispose()
    for screen in screens.dropFirst() { await screen.waitForEnd() }
    let products = screens.map { $0.values.map(\.id) }
    tour.report.check(
      products == [[], [11], [11], [11], [11]], "the first one is cancelled, and the four others are answered",
      products.map { $0.isEmpty ? "nothing" : "a product" }.joined(separator: ", "))
    let requestCount = shop.front.log.requests.count
    tour.report.check(requestCount == 1, "the server saw one request", "\(requestCount) request")
  }
}
