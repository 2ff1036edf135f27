import Signals
import Synchronization

/// How often account and environment have changed; read without a lock by whatever is about to send.
final class IdentityCount: Sendable {
  /// The counts at one time.
  struct Value: Sendable, Equatable {
    var account = 0
    var environment = 0
  }

  private let account = Atomic<Int>(0)
  private let environment = Atomic<Int>(0)

  /// Set inside the fence's lock only.
  var value: Value {
    get { Value(account: account.load(ordering: .acquiring), environment: environment.load(ordering: .acquiring)) }
    set {
      account.store(newValue.account, ordering: .releasing)
      environment.store(newValue.environment, ordering: .releasing)
    }
  }
}

/// The identity of a client at one time, with what belongs to it.
struct IdentitySnapshot: Sendable {
  let identity: Identity
  let jar: (any CookieJar)?
  let count: IdentityCount.Value
  /// The counts as they are now.
  let now: IdentityCount
}

/// The identity that a request began with, which the request keeps until it terminates.
final class BoundIdentity: RequestIdentity {
  let snapshot: IdentitySnapshot
  /// Whether a change of environment ends the request.
  let needsEnvironment: Bool
  /// The latest request that was built for it, for the error.
  private let latest = Guarded<HTTPRequest?>(nil)

  init(_ snapshot: IdentitySnapshot, needsEnvironment: Bool) {
    self.snapshot = snapshot
    self.needsEnvironment = needsEnvironment
  }

  var jar: (any CookieJar)? { snapshot.jar }
  var isLeft: Bool { change(needsEnvironment: needsEnvironment) != nil }

  /// The request of an attempt, which is sent for this identity.
  func bind(_ request: HTTPRequest) -> HTTPRequest {
    latest.withLock { $0 = request }
    var request = request
    request.binding.identity = self
    return request
  }

  /// What the request fails with once the identity has been left; `nil` before.
  func failure(needsEnvironment: Bool) -> NetworkError? {
    change(needsEnvironment: needsEnvironment).map { failure($0) }
  }

  func failure(_ what: String) -> NetworkError {
    NetworkError(
      .client, .contextChanged, reason: "the \(what) has changed while the request was in flight",
      request: latest.withLock { $0 })
  }

  private func change(needsEnvironment: Bool) -> String? {
    let now = snapshot.now.value
    if now.account != snapshot.count.account { return "account" }
    return needsEnvironment && now.environment != snapshot.count.environment ? "environment" : nil
  }
}
