import Foundation
import Signals
import Synchronization

/// A redirect chain in progress: a sequence of exchanges of which the last one is delivered.
///
/// A single object holds the whole chain: nearly every request passes through here, with one exchange.
final class RedirectChain: Disposing {
  /// The state of the exchange in flight, and the totals of the earlier ones.
  private struct State {
    /// The number of the current exchange; events of an earlier exchange carry a lower one.
    var number = 0
    var request: HTTPRequest
    /// The number of redirects that may still be followed.
    var remaining: Int
    /// The request that the redirect leads to, once the response turns out to be a redirect.
    var target: HTTPRequest?
    var droppedByteCount = 0
    /// The timer that limits the wait for a redirect's body.
    var timer: Disposable?
    /// The combined metrics of the earlier exchanges.
    var earlier: Metrics?
    /// The metrics of this exchange, once it turned out to be a redirect and has completed.
    var metrics: Metrics?
    var startedAt = SuspendingClock.now
    var handle: Disposable?
    var isTerminated = false
  }

  /// The maximum size and time for reading a redirect's body, so that its connection can be reused.
  ///
  /// Beyond them a new connection is cheaper.
  static let droppedByteLimit = 65_536
  static let droppedBodyTime = Duration.milliseconds(250)

  typealias Receive = @Sendable (Event<TransportEvent, NetworkError>) -> Void

  private let transport: RedirectingTransport
  private let pressure: Pressure?
  private let receive: Receive
  private let state: Guarded<State>
  /// Whether the first request may be repeated, and so the chain.
  private let isIdempotent: Bool
  /// Whether the first response is not a redirect: all further events are then passed on directly.
  private let isPassing = Atomic(false)

  /// Creates a redirect chain.
  ///
  /// - Parameters:
  ///   - transport: the transport with the rules, and with the wrapped transport that sends each request.
  ///   - request: the first request.
  ///   - pressure: the back-pressure of the consumer.
  ///   - receive: receives the delivered events; it must ignore events after the end.
  init(_ transport: RedirectingTransport, _ request: HTTPRequest, _ pressure: Pressure?, _ receive: @escaping Receive) {
    self.transport = transport
    self.pressure = pressure
    self.receive = receive
    isIdempotent = request.isIdempotent
    state = Guarded(State(request: request, remaining: transport.limit(for: request)))
  }

  /// Sends the first request.
  func begin(_ request: HTTPRequest) {
    request.deadline?.activity = .exchange
    request.context.log?.note(request)
    travel(request, 0)
  }

  var isDisposed: Bool { state.withLock { $0.isTerminated } }

  /// Cancels the exchange in flight.
  func dispose() {
    let (handle, timer) = state.withLock { state in
      state.isTerminated = true
      return (state.handle.take(), state.timer.take())
    }
    handle?.dispose()
    timer?.dispose()
  }

  private func travel(_ request: HTTPRequest, _ number: Int) {
    if request.isStale { return }
    // The reference cycle breaks when the exchange terminates: its transport then has to release the observer.
    let handle = transport.next.send(request.withRemainingTime).subscribe(under: pressure) { [self] in
      take($0, of: number)
    }
    let isHeld = state.withLock { state in
      // The next exchange may have started before this handle was stored: then it has to be disposed here.
      guard state.number == number, !state.isTerminated else { return false }
      state.handle = handle
      return true
    }
    if !isHeld { handle.dispose() }
  }

  private func take(_ event: Event<TransportEvent, NetworkError>, of number: Int) {
    // Events of one exchange are delivered serially.
    if isPassing.load(ordering: .relaxed), number == 0 { return receive(event) }
    switch event {
    case .value(.head(let head)): start(head, of: number)
    case .value(.sent), .value(.source): if state.withLock({ $0.number == number }) { receive(event) }
    case .value(.body(let data)):
      switch drop(data.count, of: number) {
      case nil: receive(event)
      case let count? where count > RedirectChain.droppedByteLimit: follow(number)
      default: break
      }
    case .value(.metrics(let metrics)):
      if let sum = finish(metrics, of: number) { receive(.value(.metrics(sum))) }
    // The outcome of a redirect's body does not matter, unless the total timeout has elapsed.
    case .failed(let error): if hasPassedDeadline(number) || !follow(number) { receive(.failed(counted(error))) }
    case .completed: if !follow(number) { receive(event) }
    }
  }

  private func start(_ head: HTTPResponse, of number: Int) {
    guard (300..<400).contains(head.statusCode) else {
      if number == 0 { isPassing.store(true, ordering: .relaxed) }
      return receive(.value(.head(head)))
    }
    let (request, remaining) = state.withLock { ($0.request, $0.remaining) }
    do throws(NetworkError) {
      guard let target = try transport.redirect(request, head, remaining: remaining) else {
        return receive(.value(.head(head)))
      }
      request.context.log?.add(redirect: head)
      state.withLock { if $0.number == number { $0.target = target } }
      limitWaiting(for: number)
    } catch {
      receive(.failed(counted(error)))
    }
  }

  /// Follows the redirect when its body takes too long.
  private func limitWaiting(for number: Int) {
    let scheduler: any SignalScheduler = .global
    let timer = scheduler.schedule(after: RedirectChain.droppedBodyTime) { [self] in follow(number) }
    let isKept = state.withLock { state in
      guard state.number == number, !state.isTerminated else { return false }
      state.timer = timer
      return true
    }
    if !isKept { timer.dispose() }
  }

  private func hasPassedDeadline(_ number: Int) -> Bool {
    state.withLock { $0.number == number ? $0.request : nil }?.deadline?.hasPassed == true
  }

  /// Returns an error with its request, and with the number of the redirects before it.
  private func counted(_ error: NetworkError) -> NetworkError {
    let (request, earlier, startedAt) = state.withLock { ($0.request, $0.earlier, $0.startedAt) }
    guard let earlier else { return error }
    var error = error
    error.request = error.request ?? request
    // A retry repeats the whole chain, from the first request.
    error.request?.isIdempotent = isIdempotent
    if error.domain == .client {
      error.metrics = (error.metrics ?? Metrics(endedAt: .now - startedAt)).following(earlier)
    } else {
      // Instants and byte counts stay those of the last exchange: they show how far it got.
      error.metrics?.redirectCount = earlier.redirectCount + 1
    }
    return error
  }

  /// Counts bytes of a redirect's body; returns `nil` if the bytes are to be delivered.
  private func drop(_ count: Int, of number: Int) -> Int? {
    state.withLock { state in
      guard state.number == number else { return 0 }
      guard state.target != nil else { return nil }
      state.droppedByteCount += count
      return state.droppedByteCount
    }
  }

  /// Adds the metrics of an exchange; returns the sum if the exchange was the last one.
  private func finish(_ metrics: Metrics, of number: Int) -> Metrics? {
    state.withLock { state in
      guard state.number == number else { return nil }
      if state.target == nil { return state.earlier.map { metrics.following($0) } ?? metrics }
      state.metrics = metrics
      return nil
    }
  }

  /// Follows the redirect; returns `false` if the response is not a redirect.
  @discardableResult
  private func follow(_ number: Int) -> Bool {
    var left: Disposable?
    var timer: Disposable?
    var next: (request: HTTPRequest, number: Int)?
    let isRedirect = state.withLock { state in
      guard state.number == number else { return true }
      guard let target = state.target else { return false }
      left = state.handle.take()
      timer = state.timer.take()
      // A cancelled exchange reports no metrics, but its duration is known.
      let metrics = state.metrics ?? Metrics(endedAt: .now - state.startedAt)
      state = State(
        number: number + 1, request: target, remaining: state.remaining - 1,
        earlier: state.earlier.map { metrics.following($0) } ?? metrics, isTerminated: state.isTerminated)
      if !state.isTerminated { next = (target, number + 1) }
      return true
    }
    left?.dispose()
    timer?.dispose()
    if let next { travel(next.request, next.number) }
    return isRedirect
  }
}
