import Heliograph
import HeliographTesting

extension Step {
  static let elements = Step("A catalogue, product by product, and only when it has changed") { tour in
    let responses = try await tour.products.catalogue().collect().value()
    let ids = Set(responses.map(\.value.id))
    tour.report.check(
      responses.count >= 200 && ids.count == responses.count && responses.allSatisfy { $0.statusCode == 200 },
      "a JSON array gives one Response for each element",
      "\(responses.count) of them, from \(responses.first?.value.name ?? "nothing") to "
        + "\(responses.last?.value.name ?? "nothing")")

    guard let etag = responses.first?.etag else { return tour.report.check(false, "it has an ETag", "there is none") }
    let again = try await tour.products.catalogue(newerThan: etag).first()
    let header = tour.shop?.front.log.requests.last?.header("If-None-Match")
    tour.report.check(
      again == nil && (tour.shop == nil || header == etag), "a 304 completes without a value",
      "sent with If-None-Match: \(etag), completed with \(again.map { $0.value.name } ?? "nothing")")
  }
}
