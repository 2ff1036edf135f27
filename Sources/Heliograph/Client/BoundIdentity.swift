import Signals
import Synchronization

/// The counters of account and environment changes, read without a lock before each send.
final class IdentityCount: Sendable {
  /// The counters at one instant.
  struct Value: Sendable, Equatable {
    var account = 0
    var environment = 0
  }

  private let account = Atomic<Int>(0)
  private let environment = Atomic<Int>(0)

  /// The current counters; set only inside the fence's lock.
  var value: Value {
    get { Value(account: account.load(ordering: .acquiring), environment: environment.load(ordering: .acquiring)) }
    set {
      account.store(newValue.account, ordering: .releasing)
      environment.store(newValue.environment, ordering: .releasing)
    }
  }
}

/// A snapshot of a client's identity, with its cookies and counters.
final class IdentitySnapshot: Sendable {
  let identity: Identity
  let jar: (any CookieJar)?
  let count: IdentityCount.Value
  /// The current counters.
  let current: IdentityCount

  init(_ identity: Identity, _ jar: (any CookieJar)?, _ count: IdentityCount.Value, current: IdentityCount) {
    self.identity = identity
    self.jar = jar
    self.count = count
    self.current = current
  }
}

/// The identity of a request at its start, to which the request belongs until it terminates.
final class BoundIdentity: RequestIdentity {
  let snapshot: IdentitySnapshot
  /// Whether a change of environment fails the request.
  let needsEnvironment: Bool
  /// The request of the latest attempt, for errors.
  private let latest = Guarded<HTTPRequest?>(nil)

  init(_ snapshot: IdentitySnapshot, needsEnvironment: Bool) {
    self.snapshot = snapshot
    self.needsEnvironment = needsEnvironment
  }

  var isStale: Bool { changedComponent(needsEnvironment: needsEnvironment) != nil }
  /// The failure of the request after the identity has changed; `nil` before.
  var staleFailure: NetworkError? { failure(needsEnvironment: needsEnvironment) }
  var text: String {
    var text = ""
    for component in [snapshot.identity.account, snapshot.identity.environment?.text] {
      text.appendComponent(component.map { "=" + $0 } ?? "")
    }
    return text
  }

  func recordRequest(_ request: HTTPRequest) {
    let previous = latest.withLock { latest in
      defer { latest = request }
      return latest
    }
    withExtendedLifetime(previous) {}
  }

  /// Returns the failure of the request after the identity has changed; `nil` before.
  func failure(needsEnvironment: Bool) -> NetworkError? {
    changedComponent(needsEnvironment: needsEnvironment).map { failure(ofChanged: $0) }
  }

  func failure(ofChanged component: String) -> NetworkError {
    NetworkError(
      .contextChanged, reason: "the \(component) changed while the request was in flight",
      request: latest.withLock { $0 })
  }

  private func changedComponent(needsEnvironment: Bool) -> String? {
    let now = snapshot.current.value
    if now.account != snapshot.count.account { return "account" }
    return needsEnvironment && now.environment != snapshot.count.environment ? "environment" : nil
  }
}

extension NetworkError {
  /// The failure to deliver in place of this one after the identity of its request has changed; `nil` otherwise.
  ///
  /// A rejection of the credentials, also by a refresh, remains: the app may have signed out because of it.
  var staleFailure: NetworkError? {
    if isCancelled || code == .contextChanged || isUnauthorized || statusCode == 401 || isOfRefresh { return nil }
    return ((request ?? response?.request)?.binding.identity as? BoundIdentity)?.staleFailure
  }
}

extension Response {
  /// The identity to which its request belongs; `nil` if the client has none.
  var identity: BoundIdentity? { request?.binding.identity as? BoundIdentity }
}
