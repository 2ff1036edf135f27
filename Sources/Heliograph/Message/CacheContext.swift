package import Foundation
import Signals

/// The part of a request's context that the cache uses.
package final class CacheContext: Sendable {
  /// The account and the environment, as texts: no response crosses them.
  package let account: String?
  package let environment: String?
  /// The identifier of the service.
  package let service: String?
  /// The parameters that are not a part of the key.
  package let ignoredParameters: Set<String>
  /// Whether the client has accounts, whether or not a user is signed in.
  package let hasAccounts: Bool
  /// Returns the `Cookie` field that is added to a request below the cache; `nil` if the client has no cookies.
  package let cookie: (@Sendable (HTTPRequest) -> String?)?
  /// The decision whether a received response is stored; `nil` if every complete one is.
  package let decision: StoreDecision?
  /// Observes the events of the cache.
  package let observe: (@Sendable (CacheEvent) -> Void)?
  /// Starts a request in the background that refreshes a stale response; `nil` if the cache does it itself.
  package let refresh: Refresh?

  /// A closure that starts a request in the background and calls another closure at its end.
  package typealias Refresh = @Sendable (_ ended: @escaping @Sendable () -> Void) -> Disposable

  package init(
    account: String? = nil, environment: String? = nil, service: String? = nil, ignoredParameters: Set<String> = [],
    hasAccounts: Bool = false, cookie: (@Sendable (HTTPRequest) -> String?)? = nil, decision: StoreDecision? = nil,
    observe: (@Sendable (CacheEvent) -> Void)? = nil,
    refresh: Refresh? = nil
  ) {
    self.account = account
    self.environment = environment
    self.service = service
    self.ignoredParameters = ignoredParameters
    self.hasAccounts = hasAccounts
    self.cookie = cookie
    self.decision = decision
    self.observe = observe
    self.refresh = refresh
  }
}

extension CacheContext {
  /// A copy for keys, without references to the client.
  package var identity: CacheContext {
    CacheContext(
      account: account, environment: environment, service: service, ignoredParameters: ignoredParameters,
      hasAccounts: hasAccounts)
  }
}

/// The decision of a response's reader whether the response is stored: only after it was validated and decoded.
package final class StoreDecision: Sendable {
  private struct State {
    var entry: (any StoreCandidate)?
    /// Whether the response came from the cache.
    var isStored = false
    var isAccepted = false
    /// Whether a later value may still fail.
    var isHeld = false
  }

  private let state = Guarded(State())

  package init() {}

  /// Whether the response came from the cache and has not been accepted.
  package var isUnreadable: Bool { state.withLock { $0.isStored && !$0.isAccepted } }

  /// Whether a received response is not stored yet when a value of it is accepted: a later one may fail.
  package var isHeld: Bool {
    get { state.withLock { $0.isHeld } }
    set { state.withLock { $0.isHeld = newValue } }
  }

  /// Offers a response that has been received as a whole, or one from the cache.
  package func offer(_ entry: any StoreCandidate, isStored: Bool) {
    let before = state.withLock { state in
      let before = state.entry
      state.entry = entry
      state.isStored = isStored
      state.isAccepted = false
      state.isHeld = false
      return before
    }
    before?.discard()
  }

  /// Stores the response: before its first value is delivered, or at its completion if it is held.
  package func accept() {
    let entry = state.withLock { state -> (any StoreCandidate)? in
      if state.isAccepted || state.isHeld && !state.isStored { return nil }
      state.isAccepted = true
      return state.entry
    }
    entry?.commit()
  }

  /// Drops the response, also one that was stored already.
  ///
  /// - Parameter isUnreadable: Whether its content is at fault; only then one that came from the cache is removed.
  package func reject(isUnreadable: Bool) {
    let entry = state.withLock { state in state.isStored && !isUnreadable ? nil : state.entry.take() }
    entry?.discard()
  }
}

/// A response that may be stored.
package protocol StoreCandidate: Sendable {
  /// Stores the response; called at most once.
  func commit()
  /// Drops the response, also after it was stored.
  func discard()
}

/// What happens to a request below the cache: how it is sent, and the redirects that it follows.
package final class SendLog: Sendable {
  /// A request as sent, with what middleware and cookies have changed.
  package struct Sent: Sendable {
    package let method: HTTPMethod
    package let url: URL
    package let fields: HTTPHeaders
    package let body: HTTPBody
  }

  private struct State {
    var sent: Sent?
    var redirects: [HTTPResponse] = []
    /// The number of invalidations of the cache, and the time, when the exchange began.
    var start: (invalidations: Int, at: Date)?
    /// The log of the shared exchange whose content this is.
    var shared: SendLog?
    var isStored = false
  }

  private let state = Guarded(State())
  private let onRedirect: (@Sendable (HTTPResponse) -> Void)?

  /// Creates an empty log.
  ///
  /// - Parameter onRedirect: Receives the head of each redirect before it is followed. Default: none.
  package init(onRedirect: (@Sendable (HTTPResponse) -> Void)? = nil) { self.onRedirect = onRedirect }

  /// The heads of the redirects, in order.
  package var redirects: [HTTPResponse] { state.withLock { $0.redirects } }
  /// The first request as sent; `nil` if it was not recorded.
  package var sent: Sent? { state.withLock { $0.sent } }
  /// The header fields of the first request as sent; `nil` if they were not recorded.
  package var fields: HTTPHeaders? { sent?.fields }

  /// Adds the head of a redirect.
  package func add(redirect head: HTTPResponse) {
    state.withLock { $0.redirects.append(head) }
    onRedirect?(head)
  }

  /// The number of invalidations of the cache, and the time, when the exchange began, for another request if it is shared.
  package var start: (invalidations: Int, at: Date)? {
    get { state.withLock { $0.start } }
    set { state.withLock { $0.start = newValue } }
  }

  /// Replaces the content by that of the log of a shared exchange.
  package func copy(_ other: SendLog) {
    var content = other.state.withLock { $0 }
    content.shared = other
    let before = state.withLock { state in
      defer { state = content }
      return state
    }
    withExtendedLifetime(before) {}
  }

  /// Returns whether the response is still to be stored: `true` once for all requests that share the exchange.
  package func claimStorage() -> Bool {
    let log = state.withLock { $0.shared } ?? self
    return log.state.withLock { state in
      defer { state.isStored = true }
      return !state.isStored
    }
  }

  /// Records the first request.
  package func note(_ request: HTTPRequest) {
    // Not the request itself, whose context has the log.
    let sent = Sent(method: request.method, url: request.url, fields: request.headers, body: request.body)
    let before = state.withLock { state -> Sent? in
      if !state.redirects.isEmpty { return sent }
      defer { state.sent = sent }
      return state.sent
    }
    withExtendedLifetime(before) {}
  }
}
