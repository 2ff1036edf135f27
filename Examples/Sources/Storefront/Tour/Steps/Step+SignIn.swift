import Heliograph
import HeliographTesting

extension Step {
  static let signIn = Step("Sign-in, profile and orders: three requests, one signal") { tour in
    let model = SessionModel(engine: tour.customers)
    model.signIn(Tour.credentials)
    await tour.wait { !model.account.isLoading }
    let account = model.account.value
    tour.report.check(
      account?.orders.isEmpty == false, "one command loaded the whole account",
      account.map { "\($0.profile.name) with \($0.orders.count) orders" } ?? model.account.error?.message ?? "nothing")

    guard let shop = tour.shop, let account else { return }
    let requests = shop.front.log.requests
    tour.report.check(
      requests.map(\.path) == ["/session", "/profile", "/customers/\(account.profile.id)/orders"],
      "each request uses the response before it", requests.map(\.path).joined(separator: " → "))
    let tokens = requests.map { $0.header("Authorization") }
    let expected = "Bearer \(account.session.token)"
    tour.report.check(
      tokens == [nil, expected, expected], "the first one's token is in the headers of the others",
      "Authorization: \(tokens.last.flatMap { $0 } ?? "none")")
  }
}
