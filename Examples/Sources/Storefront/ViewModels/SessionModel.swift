import Heliograph
import Observation

/// The sign-in screen: signs a customer in and loads the account, with three requests that depend on each other.
@MainActor
@Observable
final class SessionModel {
  private(set) var account = Loadable<Account>.idle

  private let engine: CustomerEngine

  init(engine: CustomerEngine) {
    self.engine = engine
  }

  func signIn(_ credentials: Credentials) {
    if account.isLoading { return }
    account = .idle  // the former customer's
    // Nested, so that the last step can use the results of the first two.
    engine.signIn(credentials).flatMap { [engine] session in
      engine.profile(session).flatMap { profile in
        engine.orders(of: profile.id, session).map { Account(session: session, profile: profile, orders: $0) }
      }
    }
    .load(into: \.account, on: self)
  }
}
