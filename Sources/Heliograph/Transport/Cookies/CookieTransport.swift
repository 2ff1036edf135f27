import Foundation
import Signals

// Foundation contains these types on Apple's platforms.
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A decorator that stores a server's cookies and sends them back, by the same rules over every transport.
///
/// It is inside `RedirectingTransport`, so that it handles every request of a redirect chain.
/// ``NetworkClient/Configuration/cookies`` documents the rules.
final class CookieTransport: DecoratingTransport {
  /// The transport that sends each request; it must not handle cookies itself.
  let next: any ChainedTransport

  init(_ next: any Transport) { self.next = next.chained }

  func start(_ request: HTTPRequest, in context: ExchangeContext) {
    guard let jar = request.binding.jar else { return next.start(request, in: context) }
    let hasOwnCookies = request.headers.contains("Cookie")
    let request = request.withCookies
    if !hasOwnCookies, let field = request.headers["Cookie"] {
      context.attempt?.recorder?.record(.cookies(count: 1 + field.utf8.count { $0 == UInt8(ascii: ";") }))
    }
    context.log?.recordCookies(of: request)
    let receive = context.receive
    next.start(
      request,
      in: context.receiving { event in
        if case .value(.head(let head)) = event {
          let fields = head.headers.values(for: "Set-Cookie")
          if !fields.isEmpty { jar.save(fields, of: request) }
        }
        receive(event)
      })
  }
}

extension HTTPRequest {
  /// The request as it is sent: with the cookies of its jar, unless it has its own.
  var withCookies: HTTPRequest {
    guard let jar = binding.jar, !headers.contains("Cookie"), let field = jar.field(for: self) else { return self }
    var request = self
    request.headers["Cookie"] = field
    return request
  }
}

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
  ///
  /// After several changes of the account between them, one was left.
  mutating func switchIdentity(from old: Identity, to new: Identity, accountChangeCount: Int) {
    if accountChangeCount > 0 {
      let isSignIn = accountChangeCount == 1 && old.account == nil
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
