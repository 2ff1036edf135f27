import Signals

/// The counts of account and environment changes, read without a lock before each send.
///
/// They are those of the sources, because another client of the same account may be notified of a change first: its
/// requests fail, and a queue that both use would send one of this client.
struct IdentityCounts: Sendable {
  /// The counts at one instant.
  struct Value: Sendable, Equatable {
    var account = 0
    var environment = 0
  }

  /// The count of a client with accounts.
  let account: ChangeCount?
  /// The count of a client with environments.
  let environment: ChangeCount?
}

/// A snapshot of a client's identity, with its cookies and counts, shared by the requests until the identity changes.
final class IdentitySnapshot: RequestIdentity {
  let identity: Identity
  let jar: (any CookieJar)?
  let count: IdentityCounts.Value
  let current: IdentityCounts
  /// The environment as a component of keys; `nil` without environments.
  let environmentText: String?
  let text: String

  init(_ identity: Identity, _ jar: (any CookieJar)?, _ count: IdentityCounts.Value, current: IdentityCounts) {
    self.identity = identity
    self.jar = jar
    self.count = count
    self.current = current
    environmentText = identity.environment?.text
    var text = ""
    for component in [identity.account, environmentText] {
      text.appendComponent(component.map { "=" + $0 } ?? "")
    }
    self.text = text
  }

  var hasAccounts: Bool { current.account != nil }

  func changedComponent(needsEnvironment: Bool) -> String? {
    if let account = current.account, account.value != count.account { return "account" }
    guard needsEnvironment, let environment = current.environment else { return nil }
    return environment.value == count.environment ? nil : "environment"
  }
}

/// The identity of a request at its start, to which the request belongs until it terminates; it retains the request, so
/// the request's own context has only the snapshot.
final class BoundIdentity: Sendable {
  let snapshot: IdentitySnapshot
  /// Whether a change of environment fails the request.
  let needsEnvironment: Bool
  /// The request of the latest attempt, for errors.
  private let latest: Guarded<HTTPRequest?>

  init(_ snapshot: IdentitySnapshot, needsEnvironment: Bool, _ latest: HTTPRequest? = nil) {
    self.snapshot = snapshot
    self.needsEnvironment = needsEnvironment
    self.latest = Guarded(latest)
  }

  /// The identity for a refresh that the request begins, which every change fails.
  var ofRefresh: BoundIdentity { BoundIdentity(snapshot, needsEnvironment: true, latest.withLock { $0 }) }

  /// The failure of the request after the identity has changed; `nil` before.
  var staleFailure: NetworkError? {
    snapshot.changedComponent(needsEnvironment: needsEnvironment).map { component in
      NetworkError(contextChange: component, latest.withLock { $0 })
    }
  }

  func recordRequest(_ request: HTTPRequest) { latest.set(request) }
}

extension HTTPRequest {
  /// The failure of the request after its identity has changed; `nil` before, and without an identity.
  fileprivate var staleFailure: NetworkError? {
    binding.identity?.changedComponent(needsEnvironment: binding.needsEnvironment).map {
      NetworkError(contextChange: $0, self)
    }
  }
}

extension Response {
  /// The failure of the response after the identity of its request has changed; `nil` before, and without an identity.
  var staleFailure: NetworkError? { request?.staleFailure }
}

extension NetworkError {
  /// The failure to deliver in place of this one after the identity of its request has changed; `nil` otherwise.
  ///
  /// A rejection of the credentials, also by a refresh, remains: the app may have signed out because of it.
  var staleFailure: NetworkError? {
    if isCancelled || code == .contextChanged || isUnauthorized || statusCode == 401 { return nil }
    // The total timeout of the request itself may end during a refresh.
    if isOfRefresh, code != .timedOut { return nil }
    return (request ?? response?.request)?.staleFailure
  }

  fileprivate init(contextChange component: String, _ request: HTTPRequest?) {
    self.init(.contextChanged, reason: "the \(component) changed while the request was in flight", request: request)
  }
}
