import Heliograph
import HeliographTesting

extension Step {
  static let redirect = Step("A redirect to another origin, where the token does not follow") { tour in
    let (shop, customers) = (try tour.ownShop(), tour.customers)
    let data = try await customers.signIn(Tour.credentials).flatMap { customers.invoice(of: 1001, $0) }.value()
    let invoice = String(decoding: data, as: UTF8.self)
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
