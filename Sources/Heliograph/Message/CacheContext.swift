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
  /// Whether a signer may have set the `Authorization` field.
  package let isSigned: Bool
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
    isSigned: Bool = false, cookie: (@Sendable (HTTPRequest) -> String?)? = nil, decision: StoreDecision? = nil,
    observe: (@Sendable (CacheEvent) -> Void)? = nil,
    refresh: Refresh? = nil
  ) {
    self.account = account
    self.environment = environment
    self.service = service
    self.ignoredParameters = ignoredParameters
    self.isSigned = isSigned
    self.cookie = cookie
    self.decision = decision
    self.observe = observe
    self.refresh = refresh
  }
}

/// The decision of a response's reader whether the response is stored: only after it was validated and decoded.
package final class StoreDecision: Sendable {
  private struct State {
    var entry: (any StoreCandidate)?
    /// Whether the response came from the cache.
    var isStored = false
    var isAccepted = false
  }

  private let state = Guarded(State())

  package init() {}

  /// Whether the response came from the cache and has not been accepted.
  package var isUnreadable: Bool { state.withLock { $0.isStored && !$0.isAccepted } }

  /// Offers a response that has been received as a whole, or one from the cache.
  package func offer(_ entry: any StoreCandidate, isStored: Bool) {
    let before = state.withLock { state in
      let before = state.entry
      state.entry = entry
      state.isStored = isStored
      state.isAccepted = false
      return before
    }
    before?.discard()
  }

  /// Stores the response, before its first value is delivered.
  package func accept() {
    let entry = state.withLock { state -> (any StoreCandidate)? in
      if state.isAccepted { return nil }
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

/// What happens to a request below the cache: its header fields as sent, and the redirects that it follows.
package final class SendLog: Sendable {
  private struct State {
    var fields: HTTPHeaders?
    var redirects: [HTTPResponse] = []
    /// The number of invalidations of the cache, and the time, when the exchange began.
    var start: (invalidations: Int, at: Date)?
    /// The log of the shared exchange whose content this is.
    var shared: SendLog?
    var isStored = false
  }

  private let state = Guarded(State())

  package init() {}

  /// The heads of the redirects, in order.
  package var redirects: [HTTPResponse] { state.withLock { $0.redirects } }
  /// The header fields of the first request as sent, with those of middleware and cookies; `nil` if none were recorded.
  package var fields: HTTPHeaders? { state.withLock { $0.fields } }

  /// Adds the head of a redirect.
  package func add(redirect head: HTTPResponse) { state.withLock { $0.redirects.append(head) } }

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

  /// Records the header fields of the first request.
  package func note(_ fields: HTTPHeaders) { state.withLock { if $0.redirects.isEmpty { $0.fields = fields } } }
}
