import Heliograph
import Observation

/// Signs a customer in and loads the account: three requests, each made of the answer before, as one signal.
@MainActor
@Observable
final class SessionModel {
  private(set) var account: Account?
  private(set) var isSigningIn = false
  private(set) var message: String?

  /// Refuses a second run while one is in flight, and ends the one in flight together with this model.
  private let signingIn: Action<Credentials, Account, NetworkError>
  private let bag = DisposeBag()

  init(api: ShopAPI) {
    // Nested, so that the last step still sees what the first two have brought.
    signingIn = Action { credentials in
      api.signIn(credentials).flatMap { session in
        api.profile(session).flatMap { profile in
          api.orders(of: profile.id, session).map { Account(session: session, profile: profile, orders: $0) }
        }
      }
    }
    signingIn.isExecuting.subscribeOnMain(onValue: { [weak self] in self?.isSigningIn = $0 }).disposed(by: bag)
    signingIn.values.subscribeOnMain(onValue: { [weak self] in self?.account = $0 }).disposed(by: bag)
    signingIn.failures.subscribeOnMain(onValue: { [weak self] in self?.message = $0.message }).disposed(by: bag)
  }

  func signIn(_ credentials: Credentials) {
    message = nil
    signingIn.execute(credentials)
  }
}
