import Heliograph
import HeliographTesting

extension Step {
  static let expiredToken = Step("A token that expires under twenty requests") { tour in
    let shop = try tour.ownShop()
    let session = CurrentValue(try await tour.customers.signIn(Tour.credentials).value())
    shop.expireTokens()
    let old = session.value.token
    let recorders = await tour.readTwentyTimes(shop, session)
    let names = Set(recorders.flatMap(\.values).map(\.name))
    tour.report.check(
      recorders.allSatisfy { $0.values.count == 1 && $0.isCompleted } && names.count == 1, "all twenty succeed",
      "\(recorders.count { $0.isCompleted }) times \(names.joined(separator: ", "))")

    let log = shop.front.log
    let tokens = log.requests(to: "/profile").map { $0.header("Authorization") }
    let counts = (
      expired: tokens.count { $0 == "Bearer \(old)" }, renewed: tokens.count { $0 == "Bearer \(session.value.token)" }
    )
    let renewalCount = log.requests(to: "/session/renewal").count
    tour.report.check(renewalCount == 1, "the token was renewed once for all of them", "\(renewalCount) renewal")
    tour.report.check(
      counts == (20, 20) && tokens.count == 40, "each was sent once more, with the new token",
      "the server saw \(counts.expired) requests with the expired token and \(counts.renewed) with the new one")
  }

  static let endedSession = Step("A session that cannot be renewed") { tour in
    let shop = try tour.ownShop()
    let session = CurrentValue(try await tour.customers.signIn(Tour.credentials).value())
    shop.endSessions()
    let recorders = await tour.readTwentyTimes(shop, session)
    let errors = recorders.compactMap(\.failure)
    let kinds = Set(errors.map { "\($0.domain) \($0.code), “\($0.message)”" })
    tour.report.check(
      errors.count == 20 && recorders.allSatisfy { $0.events.count == 1 }
        && errors.allSatisfy { $0.code == .api(1004) },
      "each of twenty requests fails once, with the renewal's error",
      "\(errors.count) errors: \(kinds.joined(separator: "; "))")
    let requestCount = shop.front.log.requests(to: "/profile").count
    let renewalCount = shop.front.log.requests(to: "/session/renewal").count
    tour.report.check(
      requestCount == 20 && renewalCount == 1, "nothing more was sent",
      "the server saw \(requestCount) requests and \(renewalCount) renewal")
  }
}

extension Tour {
  /// Reads the profile twenty times at once, and waits for all responses.
  fileprivate func readTwentyTimes(
    _ shop: ShopServer, _ session: CurrentValue<Session>
  ) async -> [SignalRecorder<Profile, NetworkError>] {
    let engine = MemberEngine(baseURL: shop.front.baseURL, session: session)
    let recorders = (0..<20).map { _ in SignalRecorder(engine.profile()) }
    for recorder in recorders { await recorder.waitForEnd() }
    return recorders
  }
}
