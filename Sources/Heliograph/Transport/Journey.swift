import Foundation
import Signals

/// A request on its way through redirects: one exchange after another, of which the last one is passed on.
final class Journey: Sendable {
  /// How much of a redirect's body is read, so that its connection can be used again: more costs longer than another.
  private static let droppedByteLimit = 65_536

  private let transport: RedirectingTransport
  private let observer: Observer<TransportEvent, NetworkError>
  private let current = Guarded<Hop?>(nil)

  init(_ transport: RedirectingTransport, _ observer: Observer<TransportEvent, NetworkError>) {
    self.transport = transport
    self.observer = observer
  }

  /// Sends the next request; what it costs is added to what was spent before.
  func travel(_ request: HTTPRequest, remaining: Int, after earlier: Metrics?) {
    let hop = Hop(request, remaining: remaining, after: earlier)
    current.withLock { $0 = hop }
    // The loop of references ends with the exchange: its transport frees the observer then, as it must.
    let handle = transport.next.send(request).subscribe(under: observer.pressure) { [self] in receive($0, on: hop) }
    // Whoever has gone on from this hop meanwhile could not dispose it yet.
    if !hop.hold(handle) || observer.isDisposed { handle.dispose() }
  }

  /// Cancels the exchange that is under way.
  func end() { current.withLock { $0 }?.leave() }

  private func receive(_ event: Event<TransportEvent, NetworkError>, on hop: Hop) {
    switch event {
    case .value(.head(let head)): start(head, on: hop)
    case .value(.sent(let byteCount)): observer.send(.sent(byteCount: byteCount))
    case .value(.body(let data)):
      if !hop.isRedirect { return observer.send(.body(data)) }
      if hop.drop(data.count) > Journey.droppedByteLimit { follow(hop) }
    case .value(.metrics(let metrics)):
      let sum = hop.finish(metrics)
      if !hop.isRedirect { observer.send(.metrics(sum)) }
    case .failed(let error): if !hop.hasLeft { observer.fail(error) }
    case .completed: if hop.isRedirect { follow(hop) } else { observer.complete() }
    }
  }

  private func start(_ head: HTTPResponse, on hop: Hop) {
    do throws(NetworkError) {
      guard let target = try transport.redirect(hop.request, head, remaining: hop.remaining) else {
        return observer.send(.head(head))
      }
      hop.start(target)
    } catch {
      observer.fail(error)
    }
  }

  private func follow(_ hop: Hop) {
    guard let target = hop.takeTarget() else { return }
    hop.leave()
    if observer.isDisposed { return }
    travel(target, remaining: hop.remaining - 1, after: hop.metrics)
  }
}

/// One exchange of a journey.
private final class Hop: Sendable {
  private struct State {
    var target: HTTPRequest?
    var isRedirect = false
    var hasLeft = false
    var droppedByteCount = 0
    var metrics: Metrics?
    var handle: Disposable?
  }

  let request: HTTPRequest
  /// How many redirects may still be followed.
  let remaining: Int
  private let earlier: Metrics?
  private let startedAt: ContinuousClock.Instant?
  private let state = Guarded(State())

  init(_ request: HTTPRequest, remaining: Int, after earlier: Metrics?) {
    self.request = request
    self.remaining = remaining
    self.earlier = earlier
    startedAt = request.deadline == nil ? nil : .now
  }

  var isRedirect: Bool { state.withLock { $0.isRedirect } }
  /// Whether what still comes of it is of no interest.
  var hasLeft: Bool { state.withLock { $0.hasLeft } }
  /// What it and those before it cost; if its body was not read to the end, only those before.
  var metrics: Metrics? { state.withLock { $0.metrics } ?? earlier }

  func start(_ target: HTTPRequest) {
    var target = target
    if let deadline = target.deadline, let startedAt { target.deadline = deadline - (.now - startedAt) }
    let next = target
    state.withLock { state in
      state.target = next
      state.isRedirect = true
    }
  }

  func finish(_ metrics: Metrics) -> Metrics {
    let sum = earlier.map { metrics.following($0) } ?? metrics
    state.withLock { $0.metrics = sum }
    return sum
  }

  func drop(_ count: Int) -> Int {
    state.withLock { state in
      state.droppedByteCount += count
      return state.droppedByteCount
    }
  }

  /// Where it leads; to the first who asks.
  func takeTarget() -> HTTPRequest? {
    state.withLock { state in
      let target = state.target
      state.target = nil
      return target
    }
  }

  /// Keeps what disposes it; `false` if that is due already.
  func hold(_ handle: Disposable) -> Bool {
    state.withLock { state in
      if !state.hasLeft { state.handle = handle }
      return !state.hasLeft
    }
  }

  /// Disposes it.
  func leave() {
    let handle = state.withLock { state in
      let handle = state.handle
      state.handle = nil
      state.hasLeft = true
      return handle
    }
    handle?.dispose()
  }
}
