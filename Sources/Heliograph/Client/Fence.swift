import Signals

// On Apple's systems all of it is in Foundation.
#if canImport(FoundationNetworking)
import FoundationNetworking
#else
import Foundation
#endif

/// The present identity of a client, and what ends the requests of a former one.
///
/// Account and environment are read anew for each request, so that a request which begins before all have been told of a
/// change already belongs to the new identity.
final class Fence: Sendable {
  private struct State {
    var identity: Identity
    var count = IdentityCount.Value()
    var jars: CookieJars?

    // The counts that all read change before the jars, so that nothing is sent with an emptied one.
    mutating func change(to new: Identity, telling now: IdentityCount) {
      if new == identity { return }
      if new.account != identity.account { count.account += 1 }
      if new.environment != identity.environment { count.environment += 1 }
      now.value = count
      jars?.change(from: identity, to: new)
      identity = new
    }
  }

  private let environments: EnvironmentStore?
  private let account: CurrentValue<String?>?
  private let state: Guarded<State>
  /// Changed before anybody is told, so that no request which waits takes the place of one that ends.
  private let count = IdentityCount()
  private let changes = PublishSubject<Void, Never>()
  private let watches = DisposeBag()

  /// Makes a fence that watches; `nil` if there is nothing to watch.
  init?(_ environments: EnvironmentStore?, _ account: CurrentValue<String?>?, cookies: HTTPCookieStorage?) {
    if environments == nil && account == nil { return nil }
    self.environments = environments
    self.account = account
    let identity = Identity(account: account?.value, environment: environments?.state)
    state = Guarded(State(identity: identity, jars: cookies.map { CookieJars($0, in: identity.environment) }))
    // The fence must not be kept by what it watches.
    if let environments {
      watches.add(environments.states.subscribe(onValue: { [weak self] _ in self?.update() }))
    }
    if let account {
      watches.add(account.signal.subscribe(onValue: { [weak self] in self?.update(passing: $0) }))
    }
  }

  /// The present identity, for a request that begins.
  func bind() -> IdentitySnapshot {
    update()
    return state.withLock { state in
      let jar = state.jars?.jar(in: state.identity.environment)
      return IdentitySnapshot(identity: state.identity, jar: jar, count: state.count, now: count)
    }
  }

  /// Fails if an identity is no longer the present one.
  func check(_ bound: BoundIdentity) throws(NetworkError) {
    update()
    if let failure = bound.failure(needsEnvironment: bound.needsEnvironment) { throw failure }
  }

  /// A signal that fails as soon as an identity is left.
  ///
  /// - Parameters:
  ///   - signal: what is done for the identity.
  ///   - bound: the identity.
  ///   - needsEnvironment: whether a change of environment counts.
  /// - Returns: the signal. What is in flight is disposed, and nothing is delivered after the failure.
  func guarding<Value>(
    _ signal: Signal<Value, NetworkError>, for bound: BoundIdentity, needsEnvironment: Bool
  ) -> Signal<Value, NetworkError> {
    // A value that another thread is about to deliver while the failures are on their way is too late, too.
    let current = signal.tryMap { (value) throws(NetworkError) in
      if let failure = bound.failure(needsEnvironment: needsEnvironment) { throw failure }
      return value
    }
    return current.take(
      until: Signal<Never, NetworkError> { [self] observer in
        let watch = changes.signal.subscribe(onValue: { _ in
          if let failure = bound.failure(needsEnvironment: needsEnvironment) { observer.fail(failure) }
        })
        // It may have been left before.
        update()
        if let failure = bound.failure(needsEnvironment: needsEnvironment) { observer.fail(failure) }
        // The client may be deallocated while its requests are in flight.
        return Disposable { withExtendedLifetime(self) { watch.dispose() } }
      })
  }

  /// Removes the cookies of the present account.
  func clearCookies() {
    for store in stores { store.clear() }
  }

  private var stores: [CookieStore] { state.withLock { $0.jars?.all ?? [] } }

  /// Follows account and environment as they are now, and tells the requests of a former identity.
  ///
  /// - Parameter passed: an account that there was meanwhile, though another may have followed by now: who has signed out and
  ///   in again has signed out.
  private func update(passing passed: String?? = .none) {
    let (before, now) = state.withLock { state in
      let before = state.count
      if let passed {
        state.change(to: Identity(account: passed, environment: state.identity.environment), telling: count)
      }
      state.change(to: Identity(account: account?.value, environment: environments?.state), telling: count)
      return (before, state.count)
    }
    if before == now { return }
    if before.account != now.account { for store in stores { store.sweep() } }
    changes.send(())
  }
}
