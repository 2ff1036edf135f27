import Signals

/// The circuits of a ``CircuitBreaker``, by the origin of the addresses.
final class Circuits: Sendable {
  enum Verdict {
    case success
    case fault
    /// It says nothing about the server.
    case unknown
  }

  /// What an exchange was admitted with.
  struct Ticket: Sendable {
    let origin: Origin
    /// How often the circuit had changed; what comes of a ticket from before counts no more.
    let changeCount: Int
    let isProbe: Bool
  }

  enum Admission {
    case admitted(Ticket)
    /// For how long still; zero while one request tries the server.
    case refused(Duration)
  }

  private struct Circuit {
    var faultCount = 0
    /// `nil` while it is closed.
    var openedAt: Duration?
    var hasProbe = false
    var changeCount = 0

    mutating func open(_ now: Duration) {
      openedAt = now
      hasProbe = false
      changeCount += 1
    }
  }

  let failureLimit: Int
  let cooldown: Duration
  private let scheduler: any Scheduler
  /// A server that is not here is closed and without faults, and has always been.
  private let circuits = Guarded<[Origin: Circuit]>([:])

  init(failureLimit: Int, cooldown: Duration, scheduler: any Scheduler) {
    self.failureLimit = failureLimit
    self.cooldown = cooldown
    self.scheduler = scheduler
  }

  func admit(to origin: Origin) -> Admission {
    let now = scheduler.now
    return circuits.withLock { circuits in
      let circuit = circuits[origin] ?? Circuit()
      if let openedAt = circuit.openedAt {
        let rest = openedAt + cooldown - now
        if rest > .zero || circuit.hasProbe { return .refused(max(rest, .zero)) }
        circuits[origin]?.hasProbe = true
      }
      return .admitted(
        Ticket(origin: origin, changeCount: circuit.changeCount, isProbe: circuit.openedAt != nil))
    }
  }

  /// Closes a circuit whose probe was answered; returns the ticket for the rest of that exchange.
  func close(_ probe: Ticket) -> Ticket {
    circuits.withLock { circuits in
      guard let circuit = circuits[probe.origin], circuit.changeCount == probe.changeCount else { return probe }
      let ticket = Ticket(origin: probe.origin, changeCount: circuit.changeCount + 1, isProbe: false)
      circuits[probe.origin] = Circuit(changeCount: ticket.changeCount)
      return ticket
    }
  }

  /// Counts how an exchange went.
  func note(_ verdict: Verdict, _ ticket: Ticket) {
    let now = scheduler.now
    circuits.withLock { circuits in
      var circuit = circuits[ticket.origin] ?? Circuit()
      guard circuit.changeCount == ticket.changeCount else { return }
      switch verdict {
      case .success: circuit = Circuit(changeCount: circuit.changeCount + (ticket.isProbe ? 1 : 0))
      case .unknown:
        if ticket.isProbe { circuit.hasProbe = false }
      case .fault:
        circuit.faultCount += 1
        if ticket.isProbe || circuit.faultCount >= failureLimit { circuit.open(now) }
      }
      let isNew = circuit.changeCount == 0 && circuit.faultCount == 0
      circuits[ticket.origin] = isNew ? nil : circuit
    }
  }
}
