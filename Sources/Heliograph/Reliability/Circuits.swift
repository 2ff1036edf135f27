import Signals

/// The circuits of a ``CircuitBreaker``, by origin.
final class Circuits: Sendable {
  enum Verdict {
    case success
    case fault
    /// The result is inconclusive.
    case unknown
  }

  /// The proof of admission with which an exchange reports its verdict.
  struct Ticket: Sendable {
    let origin: Origin
    /// The number of changes at the admission; a later change of its circuit makes the ticket invalid.
    let changeCount: Int
    let isProbe: Bool
  }

  enum Admission {
    case admitted(Ticket)
    /// The request is refused for the remaining time; zero while a probe is in flight.
    case refused(Duration)
  }

  private struct Circuit {
    var faultCount = 0
    /// The instant at which the circuit was opened; `nil` while it is closed.
    var openedAt: Duration?
    var hasProbe = false
    /// The number of the circuit's last change; zero before the first.
    var changeCount = 0
  }

  private struct State {
    /// The circuits; an origin without an entry has a closed circuit without faults that has not changed.
    var circuits: [Origin: Circuit] = [:]
    /// The number of times that circuits have opened or closed.
    var changeCount = 0
    /// The number of the last change that removed an entry; older tickets are invalid for origins without an entry.
    var forgottenCount = 0

    func isValid(_ ticket: Ticket) -> Bool {
      ticket.changeCount >= circuits[ticket.origin]?.changeCount ?? forgottenCount
    }

    mutating func open(_ origin: Origin, at now: Duration) {
      changeCount += 1
      circuits[origin] = Circuit(openedAt: now, changeCount: changeCount)
    }

    mutating func close(_ origin: Origin) {
      changeCount += 1
      // The entry remains, so that earlier faults do not count.
      circuits[origin] = Circuit(changeCount: changeCount)
    }

    /// Resets the faults of a closed circuit.
    mutating func reset(_ origin: Origin) {
      guard let circuit = circuits[origin] else { return }
      circuits[origin] = circuit.changeCount > forgottenCount ? Circuit(changeCount: circuit.changeCount) : nil
    }

    /// Drops entries if there are too many, except circuits that were opened after an instant or are being probed.
    mutating func makeRoom(upTo limit: Int, before instant: Duration) {
      guard circuits.count >= limit else { return }
      changeCount += 1
      forgottenCount = changeCount
      circuits = circuits.filter { $0.value.hasProbe || $0.value.openedAt.map { $0 > instant } ?? false }
      // All of them are open: the oldest ones are useless in this state.
      if circuits.count >= limit { circuits.removeAll() }
    }
  }

  /// The number of origins with faults above which the older ones are dropped.
  static let limit = 10_000

  let failureLimit: Int
  let cooldown: Duration
  private let scheduler: any SignalScheduler
  private let state = Guarded(State())

  init(failureLimit: Int, cooldown: Duration, scheduler: any SignalScheduler) {
    self.failureLimit = failureLimit
    self.cooldown = cooldown
    self.scheduler = scheduler
  }

  /// The number of origins with an entry.
  var count: Int { state.withLock { $0.circuits.count } }

  func admit(to origin: Origin) -> Admission {
    let now = scheduler.now
    return state.withLock { state in
      let openedAt = state.circuits[origin]?.openedAt
      if let openedAt {
        let rest = openedAt + cooldown - now
        if rest > .zero || state.circuits[origin]?.hasProbe == true { return .refused(max(rest, .zero)) }
        state.circuits[origin]?.hasProbe = true
      }
      return .admitted(Ticket(origin: origin, changeCount: state.changeCount, isProbe: openedAt != nil))
    }
  }

  /// Closes a circuit whose probe succeeded; returns the ticket for the rest of that exchange.
  func close(_ probe: Ticket) -> Ticket {
    state.withLock { state in
      guard state.isValid(probe) else { return probe }
      state.close(probe.origin)
      return Ticket(origin: probe.origin, changeCount: state.changeCount, isProbe: false)
    }
  }

  /// Applies the verdict of an exchange.
  func note(_ verdict: Verdict, _ ticket: Ticket) {
    let now = scheduler.now
    state.withLock { state in
      guard state.isValid(ticket) else { return }
      switch verdict {
      case .success where ticket.isProbe: state.close(ticket.origin)
      case .success: state.reset(ticket.origin)
      case .unknown: if ticket.isProbe { state.circuits[ticket.origin]?.hasProbe = false }
      case .fault:
        if state.circuits[ticket.origin] == nil { state.makeRoom(upTo: Circuits.limit, before: now - cooldown) }
        let count = (state.circuits[ticket.origin]?.faultCount ?? 0) + 1
        if ticket.isProbe || count >= failureLimit { return state.open(ticket.origin, at: now) }
        state.circuits[ticket.origin, default: Circuit(changeCount: state.forgottenCount)].faultCount = count
      }
    }
  }
}
