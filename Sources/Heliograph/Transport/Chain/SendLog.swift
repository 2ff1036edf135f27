import Foundation
import Signals

/// A log of a request below the cache: how it was sent, and the redirects followed.
final class SendLog: Sendable {
  private struct State {
    /// The request as sent, with the changes of middleware and cookies.
    var sent: HTTPRequest?
    var redirects: [HTTPResponse] = []
    /// The number of the cache's invalidations and the time at the start of the exchange, perhaps by another request.
    var start: (invalidations: Int, at: Date)?
    /// The same for all requests of a shared exchange.
    var storage = SharedStorage()
    var isQueued = false
  }

  private let state = Guarded(State())
  private let onRedirect: (@Sendable (HTTPResponse) -> Void)?

  /// `onRedirect` receives the head of each redirect before it is followed.
  init(onRedirect: (@Sendable (HTTPResponse) -> Void)? = nil) { self.onRedirect = onRedirect }

  /// How the request was sent so far: the start of the exchange, the heads of its redirects in order, and the request.
  var content: (start: (invalidations: Int, at: Date)?, redirects: [HTTPResponse], sent: HTTPRequest?) {
    state.withLock { ($0.start, $0.redirects, $0.sent) }
  }
  var sent: HTTPRequest? { state.withLock { $0.sent } }
  var storage: SharedStorage { state.withLock { $0.storage } }

  func add(redirect head: HTTPResponse) {
    state.withLock { $0.redirects.append(head) }
    onRedirect?(head)
  }

  var start: (invalidations: Int, at: Date)? {
    get { state.withLock { $0.start } }
    set { state.withLock { $0.start = newValue } }
  }

  /// Whether the request waits in the queue of the client's concurrency limit.
  var isQueued: Bool {
    get { state.withLock { $0.isQueued } }
    set { state.withLock { $0.isQueued = newValue } }
  }

  func copy(_ other: SendLog) {
    let content = other.state.withLock { $0 }
    state.set(content)
  }

  /// Begins the log of a request, which middleware may send more than once.
  func begin(_ request: HTTPRequest) {
    state.discardWithLock { state in
      defer { (state.sent, state.redirects) = (request, []) }
      return (state.sent, state.redirects)
    }
  }

  /// Records the first request again, with the cookies that were added; the requests after a redirect are not recorded.
  func record(_ request: HTTPRequest) {
    state.discardWithLock { state -> HTTPRequest? in
      if !state.redirects.isEmpty { return nil }
      defer { state.sent = request }
      return state.sent
    }
  }
}
