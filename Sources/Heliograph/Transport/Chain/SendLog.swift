import Foundation
import Signals

/// A log of a request below the cache: how it was sent, and the redirects followed.
final class SendLog: Sendable {
  private struct State {
    /// The request as sent, with the changes of middleware and cookies.
    var sent: HTTPRequest?
    var redirects: [HTTPResponse] = []
    var hasResponse = false
    /// Whether a request after a redirect had cookies other than those of the first one, or of another origin.
    var hasOtherCookies = false
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

  /// How the request was sent so far.
  var content:
    (start: (invalidations: Int, at: Date)?, redirects: [HTTPResponse], sent: HTTPRequest?, hasOtherCookies: Bool)
  {
    state.withLock { ($0.start, $0.redirects, $0.sent, $0.hasOtherCookies) }
  }
  var sent: HTTPRequest? { state.withLock { $0.sent } }
  var storage: SharedStorage { state.withLock { $0.storage } }

  func add(redirect head: HTTPResponse) {
    state.withLock {
      $0.redirects.append(head)
      $0.hasResponse = false
    }
    onRedirect?(head)
  }

  var start: (invalidations: Int, at: Date)? {
    get { state.withLock { $0.start } }
    set { state.withLock { $0.start = newValue } }
  }

  /// Whether the request as sent has received a head that is not a redirect to follow.
  var hasResponse: Bool { state.withLock { $0.hasResponse } }

  func recordResponse() { state.withLock { $0.hasResponse = true } }

  /// Whether the request waits in the queue of the client's concurrency limit.
  var isQueued: Bool {
    get { state.withLock { $0.isQueued } }
    set { state.withLock { $0.isQueued = newValue } }
  }

  func copy(_ other: SendLog) { state.set(other.state.withLock { $0 }) }

  /// Begins the log of a request, which middleware may send more than once.
  func begin(_ request: HTTPRequest) {
    state.discardWithLock { state in
      defer {
        (state.sent, state.redirects) = (request, [])
        (state.hasResponse, state.hasOtherCookies) = (false, false)
      }
      return (state.sent, state.redirects)
    }
  }

  /// Records the cookies of a request, which is the first one or follows a redirect.
  func recordCookies(of request: HTTPRequest) {
    // Equal cookies of another origin are other ones: they change without those of the first request.
    let cookies = request.headers["Cookie"]
    state.withLock { state in
      guard let sent = state.sent else { return }
      if state.redirects.isEmpty {
        if cookies != sent.headers["Cookie"] { state.sent?.headers["Cookie"] = cookies }
      } else if cookies != nil, cookies != sent.headers["Cookie"] || Origin(sent.url) != Origin(request.url) {
        state.hasOtherCookies = true
      }
    }
  }
}
