import Heliograph
import HeliographTesting

extension Step {
  static let ownerReleased = Step("An owner that is released with three requests in flight") { tour in
    let shop = try tour.ownShop()
    let paths = ["/products/8", "/visits", "/products/8/reviews"]
    for (path, method) in zip(paths, [HTTPMethod.get, .post, .get]) { shop.hang(path, method: method) }

    var owner: Screen? = Screen()
    let callbacks = CurrentValue(0)
    if let owner {
      tour.products.product(8).bound(to: owner).subscribe { _ in callbacks.modify { $0 += 1 } }
      let (visit, reviews) = (tour.products.visit(8), Batch([tour.products.reviews(of: 8)]))
      visit.start(for: owner) { _, _ in
        callbacks.modify { $0 += 1 }
      } onFailure: { _, _ in
        callbacks.modify { $0 += 1 }
      }
      reviews.start(for: owner) { _, _ in
        callbacks.modify { $0 += 1 }
      } onFailure: { _, _ in
        callbacks.modify { $0 += 1 }
      }
    }
    let isInFlight: @Sendable (LoopbackRequest) -> Bool = { paths.contains($0.path) }
    let requests = await shop.front.log { $0.requests.filter(isInFlight).count == 3 }.requests.filter(isInFlight)

    let releasedAt = ContinuousClock.now
    owner = nil
    let log = await shop.front.log { $0.hasClientClosed(requests) }
    let delays = requests.compactMap { log.connection(of: $0).closedAt }.map { $0 - releasedAt }
    let isPrompt = delays.allSatisfy { (.zero..<Tour.releaseTime).contains($0) }
    tour.report.check(
      requests.count == 3 && log.hasClientClosed(requests) && isPrompt,
      "a signal, a call and a batch end with it: three connections are closed",
      "closed after: \(delays.inMilliseconds)")
    tour.report.check(callbacks.value == 0, "no callback runs", "\(callbacks.value) callbacks")
  }
}

/// The owner of the requests: it stores none of them.
@MainActor
private final class Screen {}
