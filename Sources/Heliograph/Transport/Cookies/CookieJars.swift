// Foundation contains these types on Apple's platforms.
#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

/// The cookie stores of a client's account, one per environment; no other account can access them.
struct CookieJars: Sendable {
  /// The store of the app's own storage, for the environment in which the client was created.
  private let appStore: (environment: EnvironmentStore.State?, store: CookieStore)
  private var stores: [EnvironmentStore.State?: CookieStore]

  init(_ storage: HTTPCookieStorage, in environment: EnvironmentStore.State?) {
    appStore = (environment, CookieStore(storage))
    stores = [environment: appStore.store]
  }

  var all: [CookieStore] { Array(stores.values) }

  /// Returns the jar of the current account in an environment; creates its store at the first request.
  mutating func jar(in environment: EnvironmentStore.State?) -> any CookieJar {
    if let store = stores[environment] { return store.jar }
    let store = environment == appStore.environment ? appStore.store : CookieStore()
    stores[environment] = store
    return store.jar
  }

  /// Updates the stores after a change of identity.
  ///
  /// | from | to | cookies |
  /// |---|---|---|
  /// | signed out | an account | remain, and belong to the account |
  /// | an account | signed out, or another account | are removed |
  /// | an environment | another one | stay with their environment |
  mutating func switchIdentity(from old: Identity, to new: Identity) {
    if old.account != new.account {
      let isSignIn = old.account == nil
      for (environment, store) in stores {
        if isSignIn || store === appStore.store {
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
    // An earlier custom URL is not used again, and removing its store bounds the number of stores.
    for (other, store) in stores
    where other?.environment == .custom && other != environment && store !== appStore.store {
      store.drop()
      stores[other] = nil
    }
  }
}
