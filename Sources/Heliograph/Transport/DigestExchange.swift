import Foundation
import Signals

/// A request whose challenges are answered: one exchange after another, of which the last one is passed on.
final class DigestExchange: Disposing {
  /// The exchange in flight, and what has come before.
  private struct State {
    /// Tells this exchange's events from those of an earlier one.
    var number = 0
    /// The nonce that it answers.
    var nonce: String?
    /// Whether the nonce was kept from an earlier request, and so may be too old.
    var isKept = false
    /// The challenge to answer next, once there is one.
    var challenge: DigestChallenge?
    var droppedByteCount = 0
    /// Ends the waiting for the body of a 401.
    var timer: Disposable?
    /// What the exchanges before it cost.
    var earlier: Metrics?
    /// What it cost, once it has a challenge and has ended.
    var metrics: Metrics?
    var startedAt = SuspendingClock.now
    var handle: Disposable?
    var isOver = false
  }

  /// A kept nonce, the new one, and one more if that has become stale meanwhile.
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

  /// Sends the first request: with an answer, where there is a nonce.
  func begin() { send(isKept: true, 0) }

  var isDisposed: Bool { state.withLock { $0.isOver } }

  /// Cancels the exchange in flight.
  func dispose() {
    let (handle, timer) = state.withLock { state in
      state.isOver = true
      return (state.handle.take(), state.timer.take())
    }
    handle?.dispose()
    timer?.dispose()
  }

  private func send(isKept: Bool, _ number: Int) {
    if request.isLeft { return }
    var request = request
    if let (challenge, count) = transport.nonces.next(for: origin),
      let answering = transport.answering(challenge, count: count, request)
    {
      request = answering
      state.withLock { state in
        state.nonce = challenge.nonce
        state.isKept = isKept
      }
    }
    // The loop of references ends with the exchange: its transport frees the observer then, as it must.
    let handle = transport.next.send(request.withRemainingTime).subscribe(under: observer.pressure) { [self] in
      take($0, of: number)
    }
    let isHeld = state.withLock { state in
      guard state.number == number, !state.isOver else { return false }
      state.handle = handle
      return true
    }
    if !isHeld { handle.dispose() }
  }

  private func take(_ event: Event<TransportEvent, NetworkError>, of number: Int) {
    switch event {
    case .value(.head(let head)): start(head, of: number)
    case .value(.sent): if state.withLock({ $0.number == number }) { observer.send(event) }
    case .value(.body(let data)):
      switch drop(data.count, of: number) {
      case nil: observer.send(event)
      case let count? where count > RedirectChain.droppedByteLimit: follow(number)
      default: break
      }
    case .value(.metrics(let metrics)):
      if let sum = finish(metrics, of: number) { observer.send(.value(.metrics(sum))) }
    // The body of a 401 that is answered does not matter.
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
      guard state.number == number, !state.isOver else { return false }
      state.challenge = challenge
      state.timer = timer
      return true
    }
    if !isWaiting { timer.dispose() }
  }

  /// Whether a challenge is to be answered, and is not the refusal of an answer.
  private func isAnswered(_ challenge: DigestChallenge, of number: Int) -> Bool {
    guard number + 1 < DigestExchange.exchangeLimit, transport.credentials() != nil else { return false }
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

  /// Counts what comes of the body of a 401 that is answered; `nil` if it is none.
  private func drop(_ count: Int, of number: Int) -> Int? {
    state.withLock { state in
      guard state.number == number else { return 0 }
      guard state.challenge != nil else { return nil }
      state.droppedByteCount += count
      return state.droppedByteCount
    }
  }

  /// Adds what an exchange has cost; gives the sum if it was the last one.
  private func finish(_ metrics: Metrics, of number: Int) -> Metrics? {
    state.withLock { state in
      guard state.number == number else { return nil }
      if state.challenge == nil { return state.earlier.map { metrics.adding($0) } ?? metrics }
      state.metrics = metrics
      return nil
    }
  }

  /// Goes on with an answer; `false` if there is none to give.
  @discardableResult
  private func follow(_ number: Int) -> Bool {
    var before: (handle: Disposable?, timer: Disposable?)
    var next: Int?
    let isAnswered = state.withLock { state in
      guard state.number == number else { return true }
      guard state.challenge != nil else { return false }
      before = (state.handle.take(), state.timer.take())
      // Of one that was cut off, the time is known.
      let metrics = state.metrics ?? Metrics(endedAt: .now - state.startedAt)
      state = State(
        number: number + 1, earlier: state.earlier.map { metrics.adding($0) } ?? metrics, isOver: state.isOver)
      if !state.isOver { next = number + 1 }
      return true
    }
    before.handle?.dispose()
    before.timer?.dispose()
    if let next { send(isKept: false, next) }
    return isAnswered
  }
}
