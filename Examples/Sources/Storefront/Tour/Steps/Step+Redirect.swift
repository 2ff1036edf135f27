import Heliograph
import HeliographTesting

extension Step {
  static let redirect = Step("A redirect to another origin, where the token does not follow") { tour in
    let (shop, api) = (try tour.ownShop(), tour.api)
    let invoice = try await api.signIn(Tour.credentials).flatMap { api.invoice(of: 1001, $0) }.value()
    tour.report.check(!invoice.isEmpty, "the invoice came from the file server", "“\(invoice)”")

    let asked = shop.front.log.requests(to: "/invoices/1001").map { $0.header("Authorization") }
    let followed = shop.files.log.requests(to: "/invoices/1001").map { $0.header("Authorization") }
    tour.report.check(
      asked.count == 1 && asked[0] != nil && followed == [nil], "the shop saw the token, the file server did not",
      "shop: \(asked.describingTokens), file server: \(followed.describingTokens)")
  }
}

extension [String?] {
  fileprivate var describingTokens: String {
    map { $0 == nil ? "no Authorization" : "Authorization: Bearer …" }.joined(separator: ", ")
  }
}
