public import Signals

/// Leaves a server alone for a while when it has failed several times in a row, over any transport.
///
/// | state | what happens | until |
/// |---|---|---|
/// | closed | requests pass | ``failureLimit`` faults in a row |
/// | open | requests fail at once with ``NetworkError/Code/circuitOpen``, nothing is sent | ``cooldown`` has passed |
/// | half open | one request passes, the others fail at once | its answer closes, its fault opens again |
///
/// A fault is a status from 500 on, or a `network` error that the server or the way to it causes: ``NetworkError/Code/timedOut``,
/// ``NetworkError/Code/cannotConnect``, ``NetworkError/Code/connectionLost`` and ``NetworkError/Code/invalidResponse``. A request
/// that timed out in the transport's own queue does not count. Any other answer
/// is a success, and ends a row of faults; other errors and disposed requests say nothing. Each ``Origin`` has
/// a circuit of its own. Inside ``RedirectingTransport`` each hop is judged by itself. (M. Nygard, "Release It!", "Circuit Breaker".)
public struct CircuitBreaker: Transport {
  /// What carries each request.
  public let next: any Transport
  /// After how many faults in a row a circuit opens.
  public var failureLimit: Int { circuits.failureLimit }
  /// How long it stays open.
  public var cooldown: Duration { circuits.cooldown }
  private let circuits: Circuits

  /// Makes the decorator; its copies share the circuits.
  ///
  /// - Parameters:
  ///   - next: what carries each request.
  ///   - failureLimit: after how many faults in a row a circuit opens; less than 1 counts as 1. Default: 5.
  ///   - cooldown: how long it stays open. Default: 30 seconds.
  ///   - scheduler: whose clock counts. Default: `.global`.
  public init(
    _ next: any Transport, failureLimit: Int = 5, cooldown: Duration = .seconds(30),
    scheduler: any SignalScheduler = .global
  ) {
    self.next = next
    circuits = Circuits(failureLimit: max(failureLimit, 1), cooldown: cooldown, scheduler: scheduler)
  }

  /// Whether what it holds needs a network.
  public var usesNetwork: Bool { next.usesNetwork }

  /// The exchange, unless its circuit is open.
  ///
  /// - Parameter request: what to send.
  /// - Returns: the signal. It fails on the subscriber's thread with a `client` error with the code
  ///   ``NetworkError/Code/circuitOpen`` while the circuit is open; disposing the request that tries a server lets the next one
  ///   try it.
  public func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    Signal { [next, circuits] observer in
      // A transport refuses what has no origin.
      guard let origin = Origin(request.url) else {
        return next.send(request).subscribe(under: observer.pressure) { observer.send($0) }
      }
      switch circuits.admit(to: origin) {
      case .refused(let rest):
        observer.fail(
          NetworkError(
            .client, .circuitOpen, reason: "\(origin) has failed too often and is left alone for \(rest)",
            request: request))
        return nil
      case .admitted(let ticket):
        let passage = Passage(ticket, circuits)
        let exchange = next.send(request).subscribe(under: observer.pressure) { event in
          // First, so that whoever is told finds the circuit as it is by then.
          passage.note(event)
          observer.send(event)
        }
        return Disposable {
          exchange.dispose()
          passage.end(.unknown)
        }
      }
    }
  }
}

/// One exchange through a circuit.
private final class Passage: Sendable {
  private struct State {
    /// `nil` once it is over.
    var ticket: Circuits.Ticket?
    var statusCode: Int?
  }

  private let state: Guarded<State>
  private let circuits: Circuits

  init(_ ticket: Circuits.Ticket, _ circuits: Circuits) {
    state = Guarded(State(ticket: ticket))
    self.circuits = circuits
  }

  func note(_ event: Event<TransportEvent, NetworkError>) {
    switch event {
    case .value(.head(let head)): note(head.statusCode)
    case .value: break
    case .failed(let error): end(error.isFault ? .fault : .unknown)
    case .completed: end(state.withLock { $0.statusCode }.map { $0 < 500 } == true ? .success : .fault)
    }
  }

  /// The head of a good answer to a probe is enough: others need not wait for all of its body.
  private func note(_ statusCode: Int) {
    let probe = state.withLock { state -> Circuits.Ticket? in
      state.statusCode = statusCode
      return state.ticket?.isProbe == true && statusCode < 500 ? state.ticket : nil
    }
    guard let probe else { return }
    let ticket = circuits.close(probe)
    // It may have been disposed meanwhile.
    state.withLock { state in
      if state.ticket != nil { state.ticket = ticket }
    }
  }

  /// Reports how it went; only the first time counts.
  func end(_ verdict: Circuits.Verdict) {
    guard let ticket = state.withLock({ $0.ticket.take() }) else { return }
    circuits.note(verdict, ticket)
  }
}

extension NetworkError {
  /// Whether the failure counts against the server, or the path to it.
  fileprivate var isFault: Bool {
    guard domain == .network else { return false }
    // It waited in our own queue to the end.
    if code == .timedOut, let metrics, metrics.startedAt == nil { return false }
    return [.timedOut, .cannotConnect, .connectionLost, .invalidResponse].contains(code)
  }
}
