import Heliograph
import HeliographTesting

extension Step {
  static let retry = Step("A server that is busy for a moment") { tour in
    let shop = try tour.ownShop()
    shop.endMaintenance(after: 2)
    let client = NetworkClient.shop(baseURL: shop.front.baseURL) {
      $0.retry = Retry(limit: 3, backoff: .constant(.milliseconds(20)))
    }
    let response = try await ProductEngine(client: client).deliverySlots().value()
    tour.report.check(
      response.value.count == 1, "the third attempt succeeded",
      response.value.map { "\($0.day), \($0.hours)" }.joined(separator: "; "))
    let attempts = response.metrics?.earlierAttempts ?? []
    let requests = shop.front.log.requests(to: "/delivery-slots")
    tour.report.check(
      attempts.map(\.code) == [503, 503] && requests.count == 3,
      "its metrics contain the two earlier attempts, and the log of the server all three",
      attempts.map { "\($0.domain) \($0.code) in \($0.duration?.inMilliseconds ?? "no time")" }.joined(separator: ", ")
        + "; \(requests.count) requests")
  }
}
