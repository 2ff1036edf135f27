public import Signals

/// A transport decorator that stops sending to a server for a while after consecutive failures.
///
/// | state | behaviour | until |
/// |---|---|---|
/// | closed | requests pass | ``failureLimit`` consecutive faults |
/// | open | requests fail at once with ``NetworkError/Code/circuitOpen``, nothing is sent | ``cooldown`` has passed |
/// | half open | one request passes, and another after each ``cooldown`` without a result; the others fail at once | a success closes the circuit, a fault opens it again |
///
/// A fault is a status of 500 or above, or a `network` error caused by the server or the path to it:
/// ``NetworkError/Code/timedOut``, ``NetworkError/Code/cannotConnect``, ``NetworkError/Code/connectionLost`` and
/// ``NetworkError/Code/invalidResponse``. A request that timed out in the transport's own queue, whose total timeout
/// was mostly spent before its exchange, for which ``CurlTransport`` had no file descriptor or thread, or that
/// ``DigestTransport`` sends again on a new connection, does not count. Any other response is a success once it is
/// complete, and resets the count of faults; that of a half-open circuit closes it at its head. One that is read in
/// pieces, such as an event stream or a download to a file, is a success at its head, because proxies and mobile
/// networks cut long ones. Other errors and disposed requests have no effect, and neither has the total timeout of a
/// coalesced request: its exchange goes on for the others, and is disposed with the last one. A status of 500 or above
/// counts as soon as the head arrives, also if the request is disposed then, as by a cache that delivers a stored
/// response instead. Each ``Origin`` has its own circuit. Each request of a redirect chain counts separately. (M.
/// Nygard, "Release It!", "Circuit Breaker".)
public struct CircuitBreaker: Transport {
  /// The transport that sends each request.
  public let next: any Transport
  /// The number of consecutive faults that opens a circuit.
  public var failureLimit: Int { circuits.failureLimit }
  /// The time for which a circuit stays open.
  public var cooldown: Duration { circuits.cooldown }
  private let circuits: Circuits

  /// Creates the decorator; its copies share the circuits.
  ///
  /// - Parameters:
  ///   - next: The transport that sends each request.
  ///   - failureLimit: The number of consecutive faults that opens a circuit; values below 1 count as 1. Default: 5.
  ///   - cooldown: The time for which a circuit stays open, and then the time between probes without a result. With
  ///     zero, every request is a probe. Default: 30 seconds.
  ///   - scheduler: The scheduler that measures the cooldown. Default: `.global`.
  public init(
    _ next: any Transport, failureLimit: Int = 5, cooldown: Duration = .seconds(30),
    scheduler: any SignalScheduler = .global
  ) {
    self.next = next
    circuits = Circuits(failureLimit: max(failureLimit, 1), cooldown: cooldown, scheduler: scheduler)
  }

  /// Whether the wrapped transport needs a network.
  public var usesNetwork: Bool { next.usesNetwork }

  /// Sends the request, unless its circuit is open.
  ///
  /// - Parameter request: The request to send.
  /// - Returns: A signal of the exchange. While the circuit is open, it fails on the subscriber's thread with a
  ///   `client` error with the code ``NetworkError/Code/circuitOpen``. If the latest request that probes a half-open
  ///   circuit is disposed or ends silently, the next request probes it.
  public func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    Signal { [next, circuits] observer in
      // The transport rejects a URL without an origin.
      guard let origin = Origin(request.url) else {
        return next.send(request).subscribe(for: observer, under: observer.pressure) { observer.send($0) }
      }
      switch circuits.admit(to: origin) {
      case .refused(let remaining):
        observer.fail(
          NetworkError(
            .circuitOpen, reason: "circuit open for \(origin): too many failures, next attempt in \(remaining)",
            request: request))
        return nil
      case .admitted(let ticket):
        let circuitExchange = CircuitExchange(ticket, circuits, request)
        // A transport that ends silently frees the receiver and sends no event.
        let ending = EndAction { circuitExchange.end(.unknown) }
        // Not by the receiver alone, which outlives a disposal during a delivery.
        let handle = Disposable { circuitExchange.endDisposed() }
        observer.hold(handle)
        next.send(request).subscribe(with: handle, under: observer.pressure) { event in
          // Recorded first, so that the subscriber already finds the circuit in its new state.
          withExtendedLifetime(ending) { circuitExchange.record(event) }
          // Torn down before the end is delivered, which may start the next attempt.
          if event.isTerminal { handle.release() }
          observer.send(event)
        }
        return nil
      }
    }
  }
}

private final class CircuitExchange: Sendable {
  private struct State {
    /// The ticket; `nil` after the verdict.
    var ticket: Circuits.Ticket?
    /// Whether the head of a response below 500 has arrived.
    var hasResponse = false
  }

  private let state: Guarded<State>
  private let circuits: Circuits
  private let isStreamed: Bool
  private let deadline: Deadline?
  /// The part of the total timeout that had elapsed at the start.
  private let elapsedAtStart: Duration?

  init(_ ticket: Circuits.Ticket, _ circuits: Circuits, _ request: HTTPRequest) {
    state = Guarded(State(ticket: ticket))
    self.circuits = circuits
    isStreamed = request.isStreamed
    deadline = request.deadline
    elapsedAtStart = deadline?.elapsed
  }

  func record(_ event: Event<TransportEvent, NetworkError>) {
    switch event {
    case .value(.head(let head)): record(head.statusCode)
    case .value: break
    case .failed(let error): end(error.isFault && !isCutShort(error) ? .fault : .unknown)
    case .completed: end(state.withLock { $0.hasResponse } ? .success : .fault)
    }
  }

  /// Ends a disposed exchange: a fault if its total timeout has passed, because the client disposes an exchange that
  /// does not end by itself then.
  func endDisposed() {
    guard let deadline, deadline.hasPassed, let elapsedAtStart else { return end(.unknown) }
    end(deadline.elapsed - elapsedAtStart > deadline.duration / 2 ? .fault : .unknown)
  }

  /// Returns whether a total timeout has passed of which the exchange had at most half: the rest was spent in queues,
  /// middleware or earlier attempts.
  private func isCutShort(_ error: NetworkError) -> Bool {
    guard let deadline, deadline.hasPassed, error.code == .timedOut, let metrics = error.metrics else { return false }
    return metrics.endedAt - (metrics.startedAt ?? .zero) <= deadline.duration / 2
  }

  /// Records the status: a fault ends here, because its body need not be read, and a successful probe closes the
  /// circuit here, so that other requests need not wait for its body.
  private func record(_ statusCode: Int) {
    if statusCode >= 500 { return end(.fault) }
    if isStreamed { return end(.success) }
    let probe = state.withLock { state -> Circuits.Ticket? in
      state.hasResponse = true
      return state.ticket?.isProbe == true ? state.ticket : nil
    }
    guard let probe else { return }
    let ticket = circuits.close(probe)
    // The exchange may have been disposed in the meantime.
    state.withLock { state in
      if state.ticket != nil { state.ticket = ticket }
    }
  }

  /// Reports the verdict; only the first call counts.
  func end(_ verdict: Circuits.Verdict) {
    guard let ticket = state.withLock({ $0.ticket.take() }) else { return }
    circuits.record(verdict, ticket)
  }
}

extension NetworkError {
  /// Whether the failure counts against the server or the path to it.
  fileprivate var isFault: Bool {
    // With the party client, the transport could not even create a socket.
    guard domain == .network, assignedParty != .client else { return false }
    // Its sender repeats it, as a transport repeats other requests on a closed connection.
    if marks.isOfClosedConnection, request?.isRepeatableOnNewConnection == true { return false }
    // The request timed out in the transport's own queue.
    if code == .timedOut, let metrics, metrics.startedAt == nil { return false }
    return [.timedOut, .cannotConnect, .connectionLost, .invalidResponse].contains(code)
  }
}
