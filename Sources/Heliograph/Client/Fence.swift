import Signals

// Foundation contains these types on Apple's platforms.
#if canImport(FoundationNetworking)
import FoundationNetworking
#else
import Foundation
#endif

/// The current identity of a client; it fails the requests of a previous identity.
///
/// The counts of the changes of account and environment are compared at the start of each request. A request that starts
/// after a change already belongs to the new identity, even if not all observers have been notified.
final class Fence: Sendable {
  private struct State {
    var identity: Identity
    var count: IdentityCounts.Value
    var jars: CookieJars?
    /// The snapshot that requests of the current identity share; `nil` before the first one.
    var snapshot: IdentitySnapshot?

    // The counts of the sources have changed before the jars, so no request is sent with an emptied jar.
    mutating func setIdentity(_ new: Identity, _ next: IdentityCounts.Value) {
      if next == count { return }
      jars?.switchIdentity(from: identity, to: new, accountChangeCount: next.account - count.account)
      (identity, count) = (new, next)
      snapshot = nil
    }
  }

  /// The requests in flight, which are failed in the order of their starts.
  private struct Requests {
    var entries: [ObjectIdentifier: (number: Int, failIfStale: @Sendable () -> Void)] = [:]
    var lastNumber = 0
  }

  private let environments: EnvironmentStore?
  private let account: CurrentValue<String?>?
  private let counts: IdentityCounts
  private let state: Guarded<State>
  private let requests = Guarded(Requests())
  private let subscriptions = DisposeBag()

  /// Creates a fence that observes account and environment; `nil` if there is neither.
  init?(_ environments: EnvironmentStore?, _ account: CurrentValue<String?>?, cookies: HTTPCookieStorage?) {
    if environments == nil && account == nil { return nil }
    self.environments = environments
    self.account = account
    counts = IdentityCounts(account: account?.countChanges(), environment: environments?.changes)
    let (identity, count) = Fence.read(environments, account)
    state = Guarded(
      State(identity: identity, count: count, jars: cookies.map { CookieJars($0, in: identity.environment) }))
    // The observed sources must not retain the fence.
    if let environments {
      subscriptions.add(environments.states.subscribe(onValue: { [weak self] _ in self?.update() }))
    }
    if let account {
      subscriptions.add(account.signal.subscribe(onValue: { [weak self] _ in self?.update(removesCookies: true) }))
    }
  }

  /// Returns the current identity with the counts of its changes; signing out and in again counts as signing out, even
  /// if the account is not read in between.
  private static func read(
    _ environments: EnvironmentStore?, _ account: CurrentValue<String?>?
  ) -> (Identity, IdentityCounts.Value) {
    let (environment, account) = (environments?.counted, account?.counted)
    return (
      Identity(account: account?.value, environment: environment?.state),
      IdentityCounts.Value(account: account?.changeCount ?? 0, environment: environment?.changeCount ?? 0)
    )
  }

  /// Returns the current identity, for a request that starts.
  func takeSnapshot() -> IdentitySnapshot {
    // Usually nothing has changed since the previous request.
    let latest = state.withLock { $0.snapshot }
    if let latest, latest.changedComponent(needsEnvironment: true) == nil { return latest }
    update()
    return state.withLock { state in
      if let snapshot = state.snapshot { return snapshot }
      let jar = state.jars?.jar(in: state.identity.environment)
      let snapshot = IdentitySnapshot(state.identity, jar, state.count, current: counts)
      state.snapshot = snapshot
      return snapshot
    }
  }

  /// Returns a signal that fails as soon as an identity changes, unless `isGuarded` says that the work does so itself;
  /// on a change, work in flight is disposed, and nothing is delivered after the failure.
  @inline(__always)
  func guarding<Value>(
    _ signal: Signal<Value, NetworkError>, for bound: BoundIdentity, unless isGuarded: Once? = nil
  ) -> Signal<Value, NetworkError> {
    signal.interrupted(
      // Also for each value and failure, because another thread may deliver one after the change but before this failure.
      check: { own in own.map(\.staleFailure) ?? bound.staleFailure },
      enter: { [self] key, fail in enter(key, for: bound, unless: isGuarded, fail) },
      // It retains the fence: the client may be deallocated while its requests are in flight.
      leave: { [self] key in leave(key) })
  }

  /// Fails work when its identity changes, or now if it has changed, until the work leaves.
  func enter(
    _ key: AnyObject, for bound: BoundIdentity, unless isGuarded: Once? = nil,
    _ fail: @escaping @Sendable (NetworkError) -> Void
  ) {
    let failIfStale = { @Sendable in
      if let failure = bound.staleFailure { fail(failure) }
    }
    requests.withLock { requests in
      requests.lastNumber += 1
      let number = requests.lastNumber
      requests.entries[ObjectIdentifier(key)] = (number, { if isGuarded?.isClaimed != true { failIfStale() } })
    }
    failIfStale()
  }

  /// Returns whether another account, or the same one after a sign-out, has taken the place of that of an identity.
  func hasReplaced(_ identity: IdentitySnapshot?) -> Bool {
    identity?.changedComponent(needsEnvironment: false) != nil && account?.value != nil
  }

  func leave(_ key: AnyObject) {
    requests.discardWithLock { $0.entries.removeValue(forKey: ObjectIdentifier(key)) }
  }

  func clearCookies() {
    for store in stores { store.clear() }
  }

  private var stores: [CookieStore] { state.withLock { $0.jars?.all ?? [] } }

  /// Reads the current account and environment and fails the requests of a previous identity.
  ///
  /// - Parameter removesCookies: Whether hidden cookies are removed, even if another thread has noticed the change first:
  ///   on the thread that leaves the account, so that no request waits. Default: `false`.
  private func update(removesCookies: Bool = false) {
    let (before, now) = state.withLock { state in
      let before = state.count
      let (identity, count) = Fence.read(environments, account)
      state.setIdentity(identity, count)
      return (before, state.count)
    }
    if removesCookies { for store in stores { store.removeHiddenCookies() } }
    if before == now { return }
    let inFlight = requests.withLock { $0.entries.values.sorted { $0.number < $1.number } }
    for request in inFlight { request.failIfStale() }
  }
}
