import Heliograph
import HeliographTesting

extension Step {
  static let release = Step("A screen that is closed while it loads") { tour in
    let shop = try tour.ownShop()
    shop.hang("/products/7")
    shop.hang("/products/7/reviews")
    var model: ProductModel? = ProductModel(engine: tour.products, id: 7)
    let remaining = { [weak model] in model }
    model?.load()
    let requests = await shop.front.log { $0.requests.count == 2 }.requests

    let releasedAt = ContinuousClock.now
    model = nil
    tour.report.check(
      remaining() == nil, "nothing retains the view model",
      remaining() == nil ? "it was deallocated with its last reference" : "it is not deallocated")

    let log = await shop.front.log { $0.hasClientClosed(requests) }
    let delays = requests.compactMap { log.connection(of: $0).closedAt }.map { $0 - releasedAt }
    // Not before zero: a connection that was closed before proves nothing.
    let isPrompt = delays.allSatisfy { (.zero..<Tour.releaseTime).contains($0) }
    tour.report.check(
      requests.count == 2 && log.hasClientClosed(requests) && isPrompt,
      "the server saw both its connections closed within \(Tour.releaseTime.inMilliseconds)",
      "closed after: \(delays.inMilliseconds)")
  }
}

extension Tour {
  /// The maximum time from the deallocation of an owner until the server sees its connections closed.
  ///
  /// The cancellation takes up to 100 milliseconds on systems other than Apple's.
  static let releaseTime: Duration = .milliseconds(200)
}
