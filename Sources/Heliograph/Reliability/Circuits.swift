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
    /// The value of ``State/changeCount`` at admission; a later change of the circuit invalidates the ticket.
    let changeCount: Int
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
  private struct Circuit {
    var faultCount = 0
    /// The instant from which a probe is admitted; `nil` while the circuit is closed.
    var nextProbe: Duration?
    /// The value of ``State/changeCount`` after the circuit last opened or closed; zero before.
    var changeCount = 0
  }

  private struct State {
    /// The circuits; an origin without an entry has a closed circuit without faults.
    var circuits: [Origin: Circuit] = [:]
    /// The number of times that circuits have opened or closed.
    var changeCount = 0
    /// The value of ``changeCount`` when entries were last removed; it invalidates older tickets without an entry.
    var lastRemoval = 0

    func isValid(_ ticket: Ticket) -> Bool {
      ticket.changeCount >= circuits[ticket.origin]?.changeCount ?? lastRemoval
    }

    mutating func open(_ origin: Origin, until nextProbe: Duration) {
      changeCount += 1
      circuits[origin] = Circuit(nextProbe: nextProbe, changeCount: changeCount)
    }

    mutating func close(_ origin: Origin) {
      changeCount += 1
      // The entry remains, so that earlier faults do not count.
      circuits[origin] = Circuit(changeCount: changeCount)
    }

    mutating func reset(_ origin: Origin) {
      guard let circuit = circuits[origin] else { return }
      circuits[origin] = circuit.changeCount > lastRemoval ? Circuit(changeCount: circuit.changeCount) : nil
    }

    /// At the limit, removes all entries except circuits that refuse requests.
    mutating func removeStale(upTo limit: Int, at now: Duration) {
      guard circuits.count >= limit else { return }
      changeCount += 1
      lastRemoval = changeCount
      circuits = circuits.filter { $0.value.nextProbe.map { $0 > now } ?? false }
      // Too many circuits are open at once: all start again as closed.
      if circuits.count >= limit { circuits.removeAll() }
    }
  }

  /// The maximum number of entries, so that memory is bounded in an app with many origins.
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

  var count: Int { state.withLock { $0.circuits.count } }

  func admit(to origin: Origin) -> Admission {
    let now = scheduler.now
    return state.withLock { state in
      var nextProbe = state.circuits[origin]?.nextProbe
      if let instant = nextProbe {
        if instant > now { return .refused(instant - now) }
        // The response may be slow, such as that to a long upload.
        nextProbe = now + cooldown
        state.circuits[origin]?.nextProbe = nextProbe
      }
      return .admitted(Ticket(origin: origin, changeCount: state.changeCount, nextProbe: nextProbe))
    }
  }

  /// Closes a circuit whose probe succeeded; returns the ticket for the rest of that exchange.
  func close(_ probe: Ticket) -> Ticket {
    state.withLock { state in
      guard state.isValid(probe) else { return probe }
      state.close(probe.origin)
      return Ticket(origin: probe.origin, changeCount: state.changeCount, nextProbe: nil)
    }
  }

  func record(_ verdict: Verdict, _ ticket: Ticket) {
    let now = scheduler.now
    state.withLock { state in
      guard state.isValid(ticket) else { return }
      switch verdict {
      case .success where ticket.isProbe: state.close(ticket.origin)
      case .success: state.reset(ticket.origin)
      case .unknown:
        guard let nextProbe = ticket.nextProbe, state.circuits[ticket.origin]?.nextProbe == nextProbe else { return }
        state.circuits[ticket.origin]?.nextProbe = now
      case .fault:
        if state.circuits[ticket.origin] == nil { state.removeStale(upTo: Circuits.limit, at: now) }
        let count = (state.circuits[ticket.origin]?.faultCount ?? 0) + 1
        if ticket.isProbe || count >= failureLimit { return state.open(ticket.origin, until: now + cooldown) }
        state.circuits[ticket.origin, default: Circuit(changeCount: state.lastRemoval)].faultCount = count
      }
    }
  }
}
