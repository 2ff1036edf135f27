import Foundation
import Signals

/// A request on its way through redirects: one exchange after another, of which the last one is passed on.
///
/// One object for all of it: nearly every request has one exchange, and goes by here.
final class Journey: Sendable {
  /// The exchange that is under way, and what has come before.
  private struct State {
    /// Tells this exchange's events from those of one that was left.
    var number = 0
    var request: HTTPRequest
    /// How many redirects may still be followed.
    var remaining: Int
    /// Where it leads, once it turns out to be a redirect.
    var target: HTTPRequest?
    var droppedByteCount = 0
    /// What it and those before it cost; if its body was not read to the end, only those before.
    var metrics: Metrics?
    var handle: Disposable?
    var isOver = false
  }

  /// How much of a redirect's body is read, so that its connection can be used again: more costs longer than another.
  private static let droppedByteLimit = 65_536

  private let transport: RedirectingTransport
  private let observer: Observer<TransportEvent, NetworkError>
  private let state: Guarded<State>
  /// When all of it must be done at the latest.
  private let deadline: ContinuousClock.Instant?

  init(
    _ transport: RedirectingTransport, _ request: HTTPRequest, _ observer: Observer<TransportEvent, NetworkError>
  ) {
    self.transport = transport
    self.observer = observer
    state = Guarded(State(request: request, remaining: transport.limit))
    deadline = request.deadline.map { .now + $0 }
  }

  /// Sends the first request.
  func begin(_ request: HTTPRequest) { travel(request, 0) }

  /// Cancels the exchange that is under way.
  func end() {
    let handle = state.withLock { state in
      state.isOver = true
      return state.handle.take()
    }
    handle?.dispose()
  }

  private func travel(_ request: HTTPRequest, _ number: Int) {
    // The loop of references ends with the exchange: its transport frees the observer then, as it must.
    let handle = transport.next.send(request).subscribe(under: observer.pressure) { [self] in receive($0, of: number) }
    let isHeld = state.withLock { state in
      // Whoever has gone on from here meanwhile could not dispose it yet.
      guard state.number == number, !state.isOver else { return false }
      state.handle = handle
      return true
    }
    if !isHeld { handle.dispose() }
  }

  private func receive(_ event: Event<TransportEvent, NetworkError>, of number: Int) {
    switch event {
    case .value(.head(let head)): start(head, of: number)
    case .value(.sent(let byteCount)): observer.send(.sent(byteCount: byteCount))
    case .value(.body(let data)):
      switch drop(data.count, of: number) {
      case nil: observer.send(.body(data))
      case let count? where count > Journey.droppedByteLimit: follow(number)
      default: break
      }
    case .value(.metrics(let metrics)):
      if let sum = finish(metrics, of: number) { observer.send(.metrics(sum)) }
    case .failed(let error): if state.withLock({ $0.number == number }) { observer.fail(error) }
    case .completed: if !follow(number) { observer.complete() }
    }
  }

  private func start(_ head: HTTPResponse, of number: Int) {
    guard (300..<400).contains(head.statusCode) else { return observer.send(.head(head)) }
    let (request, remaining) = state.withLock { ($0.request, $0.remaining) }
    do throws(NetworkError) {
      guard let target = try transport.redirect(request, head, remaining: remaining) else {
        return observer.send(.head(head))
      }
      state.withLock { if $0.number == number { $0.target = target } }
    } catch {
      observer.fail(error)
    }
  }

  /// Counts what comes of a redirect's body; `nil` if it is none.
  private func drop(_ count: Int, of number: Int) -> Int? {
    state.withLock { state in
      guard state.number == number else { return 0 }
      guard state.target != nil else { return nil }
      state.droppedByteCount += count
      return state.droppedByteCount
    }
  }

  /// Adds what an exchange has cost; gives the sum if it was the last one.
  private func finish(_ metrics: Metrics, of number: Int) -> Metrics? {
    state.withLock { state in
      guard state.number == number else { return nil }
      let sum = state.metrics.map { metrics.following($0) } ?? metrics
      if state.target == nil { return sum }
      state.metrics = sum
      return nil
    }
  }

  /// Goes on to where a redirect leads; `false` if the exchange is none.
  @discardableResult
  private func follow(_ number: Int) -> Bool {
    var left: Disposable?
    var next: (request: HTTPRequest, number: Int)?
    let isRedirect = state.withLock { state in
      guard state.number == number else { return true }
      guard var target = state.target else { return false }
      if let deadline { target.deadline = deadline - .now }
      left = state.handle.take()
      state = State(
        number: number + 1, request: target, remaining: state.remaining - 1, metrics: state.metrics,
        isOver: state.isOver)
      next = (target, number + 1)
      return true
    }
    left?.dispose()
    if let next, !observer.isDisposed { travel(next.request, next.number) }
    return isRedirect
  }
}
