import HeliographTesting

extension Step {
  static let signIn = Step("Sign-in, profile and orders: three requests, one signal") { tour in
    let model = SessionModel(api: tour.api)
    model.signIn(Tour.credentials)
    await tour.wait { (model.account != nil || model.message != nil) && !model.isSigningIn }
    tour.report.check(
      model.account?.orders.isEmpty == false, "one command gave the whole account",
      model.account.map { "\($0.profile.name) with \($0.orders.count) orders" } ?? model.message ?? "nothing came")

    guard let shop = tour.shop, let account = model.account else { return }
    let requests = shop.front.log.requests
    tour.report.check(
      requests.map(\.path) == ["/session", "/profile", "/customers/\(account.profile.id)/orders"],
      "each request was made of the answer before", requests.map(\.path).joined(separator: " → "))
    let tokens = requests.map { $0.header("Authorization") }
    let expected = "Bearer \(account.session.token)"
    tour.report.check(
      tokens == [nil, expected, expected], "the first one's token is in the headers of the others",
      "Authorization: \(tokens.last.flatMap { $0 } ?? "none")")
  }
}
