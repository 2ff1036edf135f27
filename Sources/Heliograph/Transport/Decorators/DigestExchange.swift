import Foundation
import Signals

/// A request whose Digest challenges are answered: a sequence of exchanges of which the last one is delivered.
final class DigestExchange: Disposing {
  /// The state of the exchange in flight, and the totals of the earlier ones.
  private struct State {
    /// The number of the current exchange; events of an earlier exchange carry a lower one.
    var number = 0
    /// The nonce that this exchange's `Authorization` field uses.
    var nonce: String?
    /// Whether the nonce was cached from an earlier request and may be stale.
    var isKept = false
    /// The challenge that the next exchange answers, once one was received.
    var challenge: DigestChallenge?
    var droppedByteCount = 0
    /// The timer that limits the wait for the body of a 401.
    var timer: Disposable?
    /// The combined metrics of the earlier exchanges.
    var earlier: Metrics?
    /// The metrics of this exchange, once it was challenged and has completed.
    var metrics: Metrics?
    var startedAt = SuspendingClock.now
    var handle: Disposable?
    var isTerminated = false
  }

  /// The maximum number of exchanges: a cached nonce, a new one, and one more if the new one is already stale.
  private static let exchangeLimit = 3

  private let transport: DigestTransport
  private let request: HTTPRequest
  private let origin: Origin
  private let observer: Observer<TransportEvent, NetworkError>
  private let state = Guarded(State())

  init(
    _ transport: DigestTransport, _ request: HTTPRequest, _ origin: Origin,
    _ observer: Observer<TransportEvent, NetworkError>
  ) {
    self.transport = transport
    self.request = request
    self.origin = origin
    self.observer = observer
  }

  /// Sends the first request, with an answer if a nonce for the origin is cached.
  func begin() { send(answering: nil, isKept: true, 0) }

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

  /// Sends the request.
  ///
  /// - Parameters:
  ///   - challenge: the challenge to answer, which may be of this request alone; `nil` for that of an earlier request.
  ///   - isKept: whether it is that of an earlier request.
  ///   - number: the number of the exchange.
  private func send(answering challenge: DigestChallenge?, isKept: Bool, _ number: Int) {
    if request.isStale { return }
    var request = request
    if let parameters = transport.nonces.next(for: origin, answering: challenge),
      let answering = transport.answering(parameters, request)
    {
      request = answering
      state.withLock { state in
        state.nonce = parameters.challenge.nonce
        state.isKept = isKept
      }
    }
    // The reference cycle breaks when the exchange terminates: its transport then has to release the observer.
    let handle = transport.next.send(request.withRemainingTime).subscribe(under: observer.pressure) { [self] in
      take($0, of: number)
    }
    let isHeld = state.withLock { state in
      guard state.number == number, !state.isTerminated else { return false }
      state.handle = handle
      return true
    }
    if !isHeld { handle.dispose() }
  }

  private func take(_ event: Event<TransportEvent, NetworkError>, of number: Int) {
    switch event {
    case .value(.head(let head)): start(head, of: number)
    case .value(.sent), .value(.source): if state.withLock({ $0.number == number }) { observer.send(event) }
    case .value(.body(let data)):
      switch drop(data.count, of: number) {
      case nil: observer.send(event)
      case let count? where count > RedirectChain.droppedByteLimit: follow(number)
      default: break
      }
    case .value(.metrics(let metrics)):
      if let sum = finish(metrics, of: number) { observer.send(.value(.metrics(sum))) }
    // The outcome of an answered 401's body does not matter.
    case .failed where request.deadline?.hasPassed == true: observer.send(event)
    case .failed, .completed: if !follow(number) { observer.send(event) }
    }
  }

  private func start(_ head: HTTPResponse, of number: Int) {
    noteNextNonce(head)
    guard head.statusCode == 401, let challenge = DigestChallenge(head.headers), isAnswered(challenge, of: number)
    else { return observer.send(.head(head)) }
    transport.nonces.note(challenge, for: origin)
    let scheduler: any SignalScheduler = .global
    let timer = scheduler.schedule(after: RedirectChain.droppedBodyTime) { [self] in follow(number) }
    let isWaiting = state.withLock { state in
      guard state.number == number, !state.isTerminated else { return false }
      state.challenge = challenge
      state.timer = timer
      return true
    }
    if !isWaiting { timer.dispose() }
  }

  /// Returns whether to answer a challenge: not if it rejects the answer that was just sent.
  private func isAnswered(_ challenge: DigestChallenge, of number: Int) -> Bool {
    guard number + 1 < DigestExchange.exchangeLimit, transport.nonces.accepts(challenge, for: origin),
      transport.credentials() != nil
    else { return false }
    let (nonce, isKept) = state.withLock { ($0.nonce, $0.isKept) }
    guard let nonce else { return true }
    return challenge.isStale || (isKept && challenge.nonce != nonce)
  }

  private func noteNextNonce(_ head: HTTPResponse) {
    guard head.statusCode != 401, let nonce = state.withLock({ $0.nonce }),
      let field = head.headers["Authentication-Info"],
      let next = AuthenticationChallenge.parameters(in: field)["nextnonce"]
    else { return }
    transport.nonces.note(next: next, after: nonce, for: origin)
  }

  /// Counts bytes of an answered 401's body; returns `nil` if the bytes are to be delivered.
  private func drop(_ count: Int, of number: Int) -> Int? {
    state.withLock { state in
      guard state.number == number else { return 0 }
      guard state.challenge != nil else { return nil }
      state.droppedByteCount += count
      return state.droppedByteCount
    }
  }

  /// Adds the metrics of an exchange; returns the sum if the exchange was the last one.
  private func finish(_ metrics: Metrics, of number: Int) -> Metrics? {
    state.withLock { state in
      guard state.number == number else { return nil }
      if state.challenge == nil { return state.earlier.map { metrics.adding($0) } ?? metrics }
      state.metrics = metrics
      return nil
    }
  }

  /// Sends the request with an answer to the challenge; returns `false` if there is no challenge.
  @discardableResult
  private func follow(_ number: Int) -> Bool {
    var before: (handle: Disposable?, timer: Disposable?)
    var next: (challenge: DigestChallenge?, number: Int)?
    let isAnswered = state.withLock { state in
      guard state.number == number else { return true }
      guard state.challenge != nil else { return false }
      before = (state.handle.take(), state.timer.take())
      // A cancelled exchange reports no metrics, but its duration is known.
      let metrics = state.metrics ?? Metrics(endedAt: .now - state.startedAt)
      if !state.isTerminated { next = (state.challenge, number + 1) }
      state = State(
        number: number + 1, earlier: state.earlier.map { metrics.adding($0) } ?? metrics,
        isTerminated: state.isTerminated)
      return true
    }
    before.handle?.dispose()
    before.timer?.dispose()
    if let next { send(answering: next.challenge, isKept: false, next.number) }
    return isAnswered
  }
}
