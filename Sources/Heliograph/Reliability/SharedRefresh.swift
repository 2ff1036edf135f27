import Signals

/// A refresh that is done once for all requests of one identity that wait for it.
///
/// `Sender` is what a refresh sends its own requests with.
final class SharedRefresh<Sender: Sendable>: Sendable {
  typealias Outcome = Result<Void, NetworkError>
  typealias Start = @Sendable (Sender, @escaping @Sendable (Outcome) -> Void) -> Disposable

  private struct Flight {
    let number: Int
    var waiting: [Int: Observer<Void, NetworkError>] = [:]
    /// Disposes the refresh; `nil` while it is being begun.
    var handle: Disposable?
    /// How it has ended, while it was being begun.
    var outcome: Outcome?
  }

  /// The refreshes of one identity.
  private struct Lane {
    var flight: Flight?
    var beginnings: [Duration] = []
    /// What ``State/endedCount`` was after the last one had ended; zero if none has.
    var endedAt = 0
    var lastOutcome: Outcome = .success(())

    /// Whether something of it still counts.
    func isInUse(at now: Duration, _ window: Duration) -> Bool {
      flight != nil || beginnings.last.map { now - $0 < window } == true
    }

    mutating func admit(
      _ observer: Observer<Void, NetworkError>, _ key: Int, since endedCount: Int, at now: Duration,
      _ limit: (count: Int, window: Duration)
    ) -> Admission {
      if let number = flight?.number {
        flight?.waiting[key] = observer
        return .waiting(flight: number, key: key)
      }
      if endedAt > endedCount { return .over(lastOutcome) }
      beginnings.removeAll { now - $0 >= limit.window }
      if beginnings.count >= limit.count { return .refused }
      beginnings.append(now)
      flight = Flight(number: key, waiting: [key: observer])
      return .waiting(flight: key, key: key)
    }

    /// Ends the flight of a number; `nil` if it has ended, or is still being begun.
    mutating func land(_ number: Int, _ outcome: Outcome, at count: Int) -> Flight? {
      guard flight?.number == number else { return nil }
      guard flight?.handle != nil else {
        flight?.outcome = outcome
        return nil
      }
      endedAt = count
      lastOutcome = outcome
      return flight.take()
    }

    /// Gives the observer that has left, and the flight if it was the last one.
    mutating func leave(_ number: Int, _ key: Int) -> (Observer<Void, NetworkError>?, Flight?) {
      guard flight?.number == number else { return (nil, nil) }
      let observer = flight?.waiting.removeValue(forKey: key)
      guard flight?.waiting.isEmpty == true else { return (observer, nil) }
      // The only one that can be in flight is the last that was begun.
      _ = beginnings.popLast()
      return (observer, flight.take())
    }
  }

  private struct State {
    var lanes: [Identity: Lane] = [:]
    var endedCount = 0
    var lastNumber = 0
  }

  private enum Admission {
    /// The first of a flight has the number of the flight as its key, and begins it.
    case waiting(flight: Int, key: Int)
    case over(Outcome)
    case refused
  }

  private let limit: Int
  private let window: Duration
  private let scheduler: any SignalScheduler
  private let start: Start
  private let state = Guarded(State())

  init(limit: Int, window: Duration, scheduler: any SignalScheduler, start: @escaping Start) {
    self.limit = limit
    self.window = window
    self.scheduler = scheduler
    self.start = start
  }

  /// Whether the caller is a part of a refresh in flight, on the same thread or in a task of it: it would wait for itself.
  var isBeginningHere: Bool {
    let numbers = RefreshMark.here.filter { $0.refresh == ObjectIdentifier(self) }.map(\.flight)
    if numbers.isEmpty { return false }
    return state.withLock { $0.lanes.values.contains { $0.flight.map { numbers.contains($0.number) } ?? false } }
  }

  /// How many have ended, of whatever identity and in whatever way: to be asked for before a request begins.
  var endedCount: Int { state.withLock { $0.endedCount } }

  /// Waits for the refresh that is in flight, or that has ended since; begins one if there is none.
  ///
  /// - Parameters:
  ///   - identity: the identity that the request belongs to.
  ///   - sender: sends what a refresh sends that is begun here.
  ///   - error: what the request has failed with.
  ///   - endedCount: that of before the request had begun.
  /// - Returns: a signal that completes or fails as the refresh does.
  func joined(
    as identity: Identity, with sender: Sender, after error: NetworkError, since endedCount: Int
  ) -> Signal<Void, NetworkError> {
    Signal { [self] observer in
      switch admit(observer, identity, since: endedCount) {
      case .waiting(let flight, let key):
        if flight == key { begin(flight, of: identity, sender) }
        return Disposable { self.leave(flight, key, of: identity) }
      case .over(let outcome): observer.end(outcome)
      case .refused:
        observer.fail(
          NetworkError(
            .client, .recoveryRefused, reason: "there were \(limit) refreshes within \(window) already",
            request: error.request, response: error.response, metrics: error.metrics, underlying: error))
      }
      return nil
    }
  }

  private func admit(
    _ observer: Observer<Void, NetworkError>, _ identity: Identity, since endedCount: Int
  ) -> Admission {
    let now = scheduler.now
    return state.withLock { state in
      state.lastNumber += 1
      // Identities come and go: those whose refreshes count no more are forgotten.
      if state.lanes[identity] == nil { state.lanes = state.lanes.filter { $0.value.isInUse(at: now, window) } }
      return state.lanes[identity, default: Lane()]
        .admit(observer, state.lastNumber, since: endedCount, at: now, (limit, window))
    }
  }

  private func begin(_ flight: Int, of identity: Identity, _ sender: Sender) {
    // If it ends meanwhile, that is told afterwards: what those who are told of it send is no part of it.
    let mark = RefreshMark(refresh: ObjectIdentifier(self), flight: flight)
    let handle = RefreshMark.$here.withValue(RefreshMark.here + [mark]) {
      start(sender) { self.finish(flight, of: identity, $0) }
    }
    let (isAbandoned, outcome) = state.withLock { state -> (Bool, Outcome?) in
      guard state.lanes[identity]?.flight?.number == flight else { return (true, nil) }
      state.lanes[identity]?.flight?.handle = handle
      return (false, state.lanes[identity]?.flight?.outcome)
    }
    if isAbandoned { handle.dispose() }
    if let outcome { finish(flight, of: identity, outcome) }
  }

  private func finish(_ number: Int, of identity: Identity, _ outcome: Outcome) {
    let flight = state.withLock { state -> Flight? in
      let flight = state.lanes[identity]?.land(number, outcome, at: state.endedCount + 1)
      if flight != nil { state.endedCount += 1 }
      return flight
    }
    // In the order in which they came.
    for (_, observer) in (flight?.waiting ?? [:]).sorted(by: { $0.key < $1.key }) { observer.end(outcome) }
  }

  private func leave(_ number: Int, _ key: Int, of identity: Identity) {
    let (observer, flight) = state.withLock { state in state.lanes[identity]?.leave(number, key) ?? (nil, nil) }
    withExtendedLifetime(observer) {}
    flight?.handle?.dispose()
  }
}

/// What marks the thread on which a refresh is begun, and the tasks that it starts.
private struct RefreshMark: Sendable {
  let refresh: ObjectIdentifier
  let flight: Int

  @TaskLocal static var here: [RefreshMark] = []
}

extension Observer where Value == Void, Failure == NetworkError {
  fileprivate func end(_ outcome: Result<Void, NetworkError>) {
    switch outcome {
    case .success: complete()
    case .failure(let error): fail(error)
    }
  }
}
