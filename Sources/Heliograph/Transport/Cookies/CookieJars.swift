import Signals

// On Apple's systems all of it is in Foundation.
#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking
#else
  import Foundation
#endif

/// The cookies of each world, an environment and an account: what one has been given, no other sends.
///
/// The app's own storage is that of the world in which the client is made, without an account unless there is one already.
/// Each other world has one in memory, for as long as the client is there. Requirement P9.
final class CookieJars: Sendable {
  private struct World: Hashable {
    let environment: Environment?
    let account: String?
  }

  private let environments: EnvironmentStore?
  private let account: CurrentValue<String?>?
  private let jars: Guarded<[World: HTTPCookieStorage]>

  init(_ storage: HTTPCookieStorage, _ environments: EnvironmentStore?, _ account: CurrentValue<String?>?) {
    self.environments = environments
    self.account = account
    let world = World(environment: environments?.state.environment, account: account?.value)
    jars = Guarded([world: storage])
  }

  /// The cookies of the world as it is now.
  ///
  /// `nil` where the system has no storage in memory.
  var present: HTTPCookieStorage? {
    let world = World(environment: environments?.state.environment, account: account?.value)
    if let jar = jars.withLock({ $0[world] }) { return jar }
    guard let fresh = URLSessionConfiguration.ephemeral.httpCookieStorage else { return nil }
    return jars.withLock { jars in
      // Another thread may have been faster.
      let jar = jars[world] ?? fresh
      jars[world] = jar
      return jar
    }
  }
}
