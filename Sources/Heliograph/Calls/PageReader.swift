import Foundation
import Signals

/// The state of one reading of pages: the position, and the identity of its requests; one page is read at a time.
final class PageReader<Body: Decodable & Sendable>: Sendable {
  private enum Position {
    /// Before a request that is unsent, in flight or failed.
    case before(any RequestConvertible)
    case after(any RequestConvertible, Response<Body>)
    /// After the last page; with the request to which the server has responded that nothing has changed.
    case end(unmodified: (any RequestConvertible)? = nil)
  }

  private struct State {
    var position: Position
    var history = PageHistory()
    var count = 0
  }

  let scope: ClientScope
  /// The app's own rule for the next page; `nil` if pages are linked.
  private let next: Pages<Body>.Next?
  private let state: Guarded<State>

  init(_ pages: Pages<Body>) {
    scope = pages.scope.bound
    next = pages.next
    state = Guarded(State(position: .before(pages.request)))
  }

  private init(_ scope: ClientScope, _ next: Pages<Body>.Next?, _ state: State) {
    self.scope = scope
    self.next = next
    self.state = Guarded(state)
  }

  /// Returns a reader at the same position and with the same identity.
  func copy() -> PageReader { PageReader(scope, next, state.withLock { $0 }) }

  /// Whether there may be another page, according to the last page that was read.
  var hasNext: Bool {
    do throws(NetworkError) {
      return try nextRequest() != nil
    } catch {
      // Reading the next page reports the error.
      return true
    }
  }

  /// Returns the next page, as a signal that reads the page on subscription and is empty at the end; after a failure or
  /// a disposal it reads the same page again.
  func page() -> Signal<Response<Body>, NetworkError> {
    .deferred { [self] in
      do throws(NetworkError) {
        guard let request = try nextRequest() else { return .empty }
        let count = state.withLock { $0.count }
        return scope.interpret(request, expectsOneValue: true, allowsNotModified: true) {
          $1.read(Body.self, from: $0, into: $2)
        }
        .results(as: Body.self)
        .on(
          value: { [self] in move(to: .after(request, $0), from: count, adding: 1) },
          // Without effect after a page.
          completion: { [self] in move(to: .end(unmodified: request), from: count, adding: 0) })
      } catch {
        return .fail(error)
      }
    }
  }

  /// Returns all pages from the next one on, each as a signal; a page is read when the previous one has completed.
  func pages<Output: Sendable>(
    _ deliver: @escaping @Sendable (Response<Body>) -> Signal<Output, NetworkError>
  ) -> Signal<Output, NetworkError> {
    page().flatMap(.concat, deliver).concat(.emptyUnderLowPressure).concat(
      .deferred { [self] in isAtEnd ? .empty : pages(deliver) })
  }

  /// Performs work of the reader, whose failure gets the app's message.
  private func withAppMessage<Output>(_ work: () throws(NetworkError) -> Output) throws(NetworkError) -> Output {
    do throws(NetworkError) {
      return try work()
    } catch {
      throw withAppMessage(error)
    }
  }

  func withAppMessage(_ error: NetworkError) -> NetworkError {
    request.map { scope.withAppMessage(error, for: $0) } ?? error
  }

  /// Returns the error to deliver for one that has waited for the caller's actor.
  func delivered(_ error: NetworkError) -> NetworkError { request.map { scope.delivered(error, for: $0) } ?? error }

  /// The request of the current page; `nil` at the end.
  private var request: (any RequestConvertible)? {
    switch state.withLock({ $0.position }) {
    case .before(let request), .after(let request, _): request
    case .end(let request): request
    }
  }

  /// The failure of a request without a page after its identity has changed; `nil` otherwise.
  var staleFailure: NetworkError? {
    guard case .end(let request?) = state.withLock({ $0.position }) else { return nil }
    return scope.staleFailure(of: request)
  }

  private var isAtEnd: Bool { if case .end = state.withLock({ $0.position }) { true } else { false } }

  /// Moves to a position, unless the reader has already moved past the page.
  private func move(to position: Position, from count: Int, adding added: Int) {
    state.discardWithLock { state -> Position? in
      guard state.count == count else { return nil }
      state.count += added
      defer { state.position = position }
      return state.position
    }
  }

  /// Returns the next request, or `nil` at the end; the same request until its page has been read.
  private func nextRequest() throws(NetworkError) -> (any RequestConvertible)? {
    let (position, count) = state.withLock { ($0.position, $0.count) }
    switch position {
    case .before(let request):
      if count == 0, next != nil {
        let page = try withAppMessage { () throws(NetworkError) in PageFingerprint(try request.asRequest()) }
        if let page { state.withLock { $0.history.insert(page) } }
      }
      return request
    case .after(let request, let page):
      let following = try following(request, page)
      move(to: following.map { .before($0) } ?? .end(), from: count, adding: 0)
      return following
    case .end: return nil
    }
  }

  private func following(
    _ request: any RequestConvertible, _ page: Response<Body>
  ) throws(NetworkError) -> (any RequestConvertible)? {
    guard let next else { return try withAppMessage { () throws(NetworkError) in try linked(request, page) } }
    let following: (any RequestConvertible)?
    do {
      following = try next(page)
    } catch let error as NetworkError {
      // An error of the app is delivered unchanged.
      throw error
    } catch {
      throw withAppMessage(NetworkError(transform: error))
    }
    guard let following else { return nil }
    try withAppMessage { () throws(NetworkError) in
      let described = try following.asRequest()
      try add(PageFingerprint(described), described)
    }
    return following
  }

  private func linked(
    _ request: any RequestConvertible, _ page: Response<Body>
  ) throws(NetworkError) -> (any RequestConvertible)? {
    guard let next = try LinkedRequest(after: page, of: request) else { return nil }
    if let sent = page.request, sent.method == .get {
      let addresses = [PageFingerprint(sent.url), PageFingerprint(page.url)]
      state.withLock { state in
        for address in addresses { state.history.insert(address) }
      }
    }
    try add(PageFingerprint(next.url), next)
    return next
  }

  private func add(_ page: PageFingerprint?, _ request: any RequestConvertible) throws(NetworkError) {
    guard let page, !state.withLock({ $0.history.add(page) }) else { return }
    throw NetworkError(
      .pageLoop, reason: "page loop: \(request.signalName) has already been read, with the same query and body")
  }
}

extension Signal {
  /// A signal that completes once few values are buffered downstream.
  fileprivate static var emptyUnderLowPressure: Signal {
    Signal { observer in
      guard let pressure = observer.pressure, pressure.isHigh else {
        observer.complete()
        return nil
      }
      pressure.continueWhenLow { observer.complete() }
      return nil
    }
  }
}
