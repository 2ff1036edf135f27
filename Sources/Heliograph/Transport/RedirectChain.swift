import Foundation
import Signals
import Synchronization

/// A request on its way through redirects: one exchange after another, of which the last one is passed on.
///
/// One object for all of it: nearly every request has one exchange, and goes by here.
final class RedirectChain: Disposing {
  /// The exchange that is in flight, and what has come before.
  private struct State {
    /// Tells this exchange's events from those of one that was left.
    var number = 0
    var request: HTTPRequest
    /// How many redirects may still be followed.
    var remaining: Int
    /// Where it leads, once it turns out to be a redirect.
    var target: HTTPRequest?
    var droppedByteCount = 0
    /// Ends the waiting for a redirect's body.
    var timer: Disposable?
    /// What the exchanges before it cost.
    var earlier: Metrics?
    /// What it cost, once it turns out to be a redirect and has ended.
    var metrics: Metrics?
    var startedAt = SuspendingClock.now
    var handle: Disposable?
    var isOver = false
  }

  /// How much of a redirect's body is read, and for how long, so that its connection can be used again: more costs longer
  /// than another.
  static let droppedByteLimit = 65_536
  static let droppedBodyTime = Duration.milliseconds(250)

  typealias Receive = @Sendable (Event<TransportEvent, NetworkError>) -> Void

  private let transport: RedirectingTransport
  private let pressure: Pressure?
  private let receive: Receive
  private let state: Guarded<State>
  /// Whether the first exchange has turned out to be no redirect: all else of it is passed on as it comes.
  private let isPassing = Atomic(false)

  /// Makes it.
  ///
  /// - Parameters:
  ///   - transport: states the rules, and holds what carries each request.
  ///   - request: the first request.
  ///   - pressure: tells how much of what is passed on waits.
  ///   - receive: gets what is passed on; nothing must be made of what comes after the end.
  init(_ transport: RedirectingTransport, _ request: HTTPRequest, _ pressure: Pressure?, _ receive: @escaping Receive) {
    self.transport = transport
    self.pressure = pressure
    self.receive = receive
    state = Guarded(State(request: request, remaining: transport.limit(for: request)))
  }

  /// Sends the first request.
  func begin(_ request: HTTPRequest) {
    request.deadline?.activity = .exchange
    travel(request, 0)
  }

  var isDisposed: Bool { state.withLock { $0.isOver } }

  /// Cancels the exchange that is in flight.
  func dispose() {
    let (handle, timer) = state.withLock { state in
      state.isOver = true
      return (state.handle.take(), state.timer.take())
    }
    handle?.dispose()
    timer?.dispose()
  }

  private func travel(_ request: HTTPRequest, _ number: Int) {
    if request.isLeft { return }
    // The loop of references ends with the exchange: its transport frees the observer then, as it must.
    let handle = transport.next.send(request.withRemainingTime).subscribe(under: pressure) { [self] in
      take($0, of: number)
    }
    let isHeld = state.withLock { state in
      // Whoever has gone on from here meanwhile could not dispose it yet.
      guard state.number == number, !state.isOver else { return false }
      state.handle = handle
      return true
    }
    if !isHeld { handle.dispose() }
  }

  private func take(_ event: Event<TransportEvent, NetworkError>, of number: Int) {
    // Events of one exchange come one after another.
    if isPassing.load(ordering: .relaxed), number == 0 { return receive(event) }
    switch event {
    case .value(.head(let head)): start(head, of: number)
    case .value(.sent): if state.withLock({ $0.number == number }) { receive(event) }
    case .value(.body(let data)):
      switch drop(data.count, of: number) {
      case nil: receive(event)
      case let count? where count > RedirectChain.droppedByteLimit: follow(number)
      default: break
      }
    case .value(.metrics(let metrics)):
      if let sum = finish(metrics, of: number) { receive(.value(.metrics(sum))) }
    // The body of a redirect does not matter.
    case .failed(let error): if !follow(number) { receive(.failed(counted(error))) }
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
      state.withLock { if $0.number == number { $0.target = target } }
      limitWaiting(for: number)
    } catch {
      receive(.failed(counted(error)))
    }
  }

  /// Goes on when the body of a redirect takes too long.
  private func limitWaiting(for number: Int) {
    let scheduler: any SignalScheduler = .global
    let timer = scheduler.schedule(after: RedirectChain.droppedBodyTime) { [self] in follow(number) }
    let isKept = state.withLock { state in
      guard state.number == number, !state.isOver else { return false }
      state.timer = timer
      return true
    }
    if !isKept { timer.dispose() }
  }

  /// An error with the number of the redirects before it.
  private func counted(_ error: NetworkError) -> NetworkError {
    let (earlier, startedAt) = state.withLock { ($0.earlier, $0.startedAt) }
    guard let earlier else { return error }
    var error = error
    if error.domain == .client {
      error.metrics = (error.metrics ?? Metrics(endedAt: .now - startedAt)).following(earlier)
    } else {
      // Instants and bytes stay those of the last exchange: they tell how far it had come.
      error.metrics?.redirectCount = earlier.redirectCount + 1
    }
    return error
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
      if state.target == nil { return state.earlier.map { metrics.following($0) } ?? metrics }
      state.metrics = metrics
      return nil
    }
  }

  /// Goes on to where a redirect leads; `false` if the exchange is none.
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
      // Of one that was cut off, the time is known.
      let metrics = state.metrics ?? Metrics(endedAt: .now - state.startedAt)
      state = State(
        number: number + 1, request: target, remaining: state.remaining - 1,
        earlier: state.earlier.map { metrics.following($0) } ?? metrics, isOver: state.isOver)
      if !state.isOver { next = (target, number + 1) }
      return true
    }
    left?.dispose()
    timer?.dispose()
    if let next { travel(next.request, next.number) }
    return isRedirect
  }
}
