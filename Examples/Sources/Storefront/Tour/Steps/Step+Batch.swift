import Heliograph
import HeliographTesting

extension Step {
  static let batch = Step("A batch: six products, two at a time") { tour in
    let shop = try tour.ownShop()
    let ids = [6, 1, 5, 2, 4, 3]
    let batch = try await Batch(ids.map { tour.products.product($0) }, concurrencyLimit: 2).signal.value()
    tour.report.check(
      batch.values.map(\.id) == ids, "the values are in the order of the requests",
      batch.values.map { "\($0.id)" }.joined(separator: ", "))
    let arrivals = shop.front.log.requests.map(\.receivedAt)
    // A third request in flight would arrive before the response of the first, which is sent after pageTime.
    let waits = zip(arrivals.dropFirst(2), arrivals).map { $0 - $1 }
    tour.report.check(
      waits.count == 4 && waits.allSatisfy { $0 >= ShopServer.pageTime }, "the server never saw a third one in flight",
      "each arrived after the second last: \(waits.inMilliseconds)")

    let mixed = Batch([1, 9999, 2].map { tour.products.product($0) }, mode: .collect)
    _ = try await mixed.signal.value()
    let statuses = mixed.results.map { result in
      if case .failure(let error)? = result { "status \(error.code)" } else { "a product" }
    }
    tour.report.check(
      statuses == ["a product", "status 404", "a product"], "it can collect failures", statuses.joined(separator: ", "))
  }
}
