import Heliograph
import HeliographTesting

extension Step {
  static let retry = Step("A server that is busy for a moment") { tour in
    let shop = try tour.ownShop()
    shop.endMaintenance(after: 2)
    let api = ShopAPI(baseURL: shop.front.baseURL) { $0.retry = Retry(limit: 3, backoff: .constant(.milliseconds(20))) }
    let response = try await api.deliverySlots().value()
    tour.report.check(
      response.value.count == 1, "the third try brought the answer",
      response.value.map { "\($0.day), \($0.hours)" }.joined(separator: "; "))
    let tries = response.metrics?.earlierAttempts ?? []
    let requests = shop.front.log.requests(to: "/delivery-slots")
    tour.report.check(
      tries.map(\.code) == [503, 503] && requests.count == 3,
      "its metrics tell of the two tries before, and the server's log of all three",
      tries.map { "\($0.domain) \($0.code) in \($0.duration?.inMilliseconds ?? "no time")" }.joined(separator: ", ")
        + "; \(requests.count) requests")
  }
}
