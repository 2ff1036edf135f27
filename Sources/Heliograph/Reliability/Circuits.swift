import Signals

/// The circuits of a ``CircuitBreaker``, by origin.
final class Circuits: Sendable {
  enum Verdict {
    case success
    case fault
    case unknown
  }

  /// A receipt for an admitted exchange, used to report its verdict.
  struct Ticket: Sendable {
    let origin: Origin
    /// The value of ``Circuit/generation`` at admission; a later one invalidates the ticket.
    let generation: Int
    /// The value of ``Circuit/nextProbe`` that the admission has set; `nil` if the circuit was closed.
    let nextProbe: Duration?

    var isProbe: Bool { nextProbe != nil }
  }

  enum Admission {
    case admitted(Ticket)
    /// The request is refused; the next probe is admitted after this time.
    case refused(Duration)
  }

  /// The state of one circuit.
  ///
  /// | state | `nextProbe` | a request | a fault | a success | an inconclusive result |
  /// |---|---|---|---|---|---|
  /// | closed | `nil` | is admitted | is counted; at the limit it opens | resets the count | – |
  /// | open | a cooldown after it opened | is refused until then; then it is a probe | – | – | – |
  /// | half open | a cooldown after the latest probe began | is refused until then; then it is a further probe | of any probe opens | of any probe closes | of the latest probe admits the next one at once |
  private struct Circuit: Equatable {
    var faultCount = 0
    /// The instant from which a probe is admitted; `nil` while the circuit is closed.
    var nextProbe: Duration?
    /// The number of times that the circuit has opened or closed.
    var generation = 0
  }

  /// The maximum number of entries, so that memory is bounded in an app with many origins.
  static let limit = 10_000

  let failureLimit: Int
  let cooldown: Duration
  private let scheduler: any SignalScheduler
  /// The circuits; an origin without an entry has a new one.
  private let circuits = Guarded<[Origin: Circuit]>([:])

  init(failureLimit: Int, cooldown: Duration, scheduler: any SignalScheduler) {
    self.failureLimit = failureLimit
    self.cooldown = cooldown
    self.scheduler = scheduler
  }

  /// The instant on a clock that includes sleep, in which a server may recover.
  var now: Duration { scheduler.continuousNow }
  var count: Int { circuits.withLock { $0.count } }

  func admit(to origin: Origin) -> Admission {
    let now = now
    return circuits.withLock { circuits in
      var circuit = circuits[origin] ?? Circuit()
      if let instant = circuit.nextProbe {
        if instant > now { return .refused(instant - now) }
        // The response may be slow, such as that to a long upload.
        circuit.nextProbe = now + cooldown
        circuits[origin] = circuit
      }
      return .admitted(Ticket(origin: origin, generation: circuit.generation, nextProbe: circuit.nextProbe))
    }
  }

  /// Closes a circuit whose probe succeeded; returns the ticket for the rest of that exchange.
  func close(_ probe: Ticket) -> Ticket {
    circuits.withLock { circuits in
      guard circuits[probe.origin]?.generation == probe.generation else { return probe }
      let closed = Circuit(generation: probe.generation + 1)
      circuits[probe.origin] = closed
      return Ticket(origin: probe.origin, generation: closed.generation, nextProbe: nil)
    }
  }

  func record(_ verdict: Verdict, _ ticket: Ticket) {
    let now = now
    circuits.withLock { circuits in
      var circuit = circuits[ticket.origin] ?? Circuit()
      guard ticket.generation == circuit.generation else { return }
      switch verdict {
      case .success: circuit = Circuit(generation: circuit.generation + (ticket.isProbe ? 1 : 0))
      case .unknown: if ticket.isProbe, ticket.nextProbe == circuit.nextProbe { circuit.nextProbe = now }
      case .fault:
        if circuits[ticket.origin] == nil { removeStale(&circuits, at: now) }
        circuit.faultCount += 1
        if ticket.isProbe || circuit.faultCount >= failureLimit {
          circuit = Circuit(nextProbe: now + cooldown, generation: circuit.generation + 1)
        }
      }
      circuits[ticket.origin] = circuit == Circuit() ? nil : circuit
    }
  }

  /// At the limit, removes all entries except circuits that refuse requests.
  private func removeStale(_ circuits: inout [Origin: Circuit], at now: Duration) {
    guard circuits.count >= Circuits.limit else { return }
    circuits = circuits.filter { $0.value.nextProbe.map { $0 > now } ?? false }
    // Too many circuits are open at once: all start again as closed.
    if circuits.count >= Circuits.limit { circuits.removeAll() }
  }
}
