// On Apple's systems all of it is in Foundation.
#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

/// The cookies of a client's account, a store for each environment; no other account ever sees them.
struct CookieJars: Sendable {
  /// The app's own storage, and the environment that it is for: that in which the client was made.
  private let home: (environment: EnvironmentStore.State?, store: CookieStore)
  private var stores: [EnvironmentStore.State?: CookieStore]

  init(_ storage: HTTPCookieStorage, in environment: EnvironmentStore.State?) {
    home = (environment, CookieStore(storage))
    stores = [environment: home.store]
  }

  /// All stores that are in use.
  var all: [CookieStore] { Array(stores.values) }

  /// The jar of the present account in an environment; made at the first request.
  mutating func jar(in environment: EnvironmentStore.State?) -> any CookieJar {
    if let store = stores[environment] { return store.jar }
    let store = environment == home.environment ? home.store : CookieStore()
    stores[environment] = store
    return store.jar
  }

  /// Follows a change of identity.
  ///
  /// | from | to | cookies |
  /// |---|---|---|
  /// | nobody | an account | are the account's from now on |
  /// | an account | nobody, or another account | are removed |
  /// | an environment | another one | stay with their environment |
  mutating func change(from old: Identity, to new: Identity) {
    if old.account != new.account {
      let isSignIn = old.account == nil
      for (environment, store) in stores {
        if isSignIn || store === home.store {
          store.beginPeriod(keepingCookies: isSignIn)
        } else {
          store.drop()
          stores[environment] = nil
        }
      }
    }
    guard let environment = new.environment, environment != old.environment, environment.environment == .custom else {
      return
    }
    // An address that was typed in is left for good when another one is: so the number of stores is bounded.
    for (other, store) in stores where other?.environment == .custom && other != environment && store !== home.store {
      store.drop()
      stores[other] = nil
    }
  }
}
