import Signals

/// A token refresh that runs once for all waiting requests of one identity.
///
/// `Sender` sends the requests of the refresh itself.
final class SharedRefresh<Sender: Sendable>: Sendable {
  typealias Outcome = Result<Void, NetworkError>
  typealias Start = @Sendable (Sender, @escaping @Sendable (Outcome) -> Void) -> Disposable

  private struct Flight {
    let number: Int
    var waiting: [Int: Observer<Void, NetworkError>] = [:]
    /// Disposes the refresh; `nil` while it is being started.
    var handle: Disposable?
    /// The first outcome; it may arrive while the refresh is being started.
    var outcome: Outcome?
  }

  /// The refreshes of one identity.
  private struct Lane {
    var flight: Flight?
    var beginnings: [Duration] = []
    /// The value of ``State/endedCount`` after the last refresh; zero before the first.
    var endedAt = 0
    /// The outcome for requests that began before the last refresh ended.
    var lastOutcome: Outcome = .success(())

    /// Whether a refresh is in flight or still counts towards the limit.
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

    /// Ends the refresh with a number; `nil` if it has already ended or is still being started.
    mutating func land(_ number: Int, _ outcome: Outcome, at count: Int) -> Flight? {
      guard flight?.number == number else { return nil }
      // The first outcome applies: afterwards the refresh also reports its end.
      if flight?.outcome == nil { flight?.outcome = outcome }
      guard flight?.handle != nil else { return nil }
      endedAt = count
      lastOutcome = flight?.outcome ?? outcome
      return flight.take()
    }

    /// Removes an observer and returns it, with the refresh if it was the last observer.
    mutating func leave(_ number: Int, _ key: Int) -> (Observer<Void, NetworkError>?, Flight?) {
      guard flight?.number == number else { return (nil, nil) }
      let observer = flight?.waiting.removeValue(forKey: key)
      guard flight?.waiting.isEmpty == true else { return (observer, nil) }
      // Only the refresh that was started last can be in flight.
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
    /// The first observer of a refresh, whose key is the number of the refresh, starts it.
    case waiting(flight: Int, key: Int)
    case over(Outcome)
    case refused
  }

  private let limit: Int
  private let window: Duration
  private let scheduler: any SignalScheduler
  private let onFailure: @Sendable (NetworkError) -> Void
  private let start: Start
  private let state = Guarded(State())

  init(
    limit: Int, window: Duration, scheduler: any SignalScheduler,
    onFailure: @escaping @Sendable (NetworkError) -> Void = { _ in }, start: @escaping Start
  ) {
    self.limit = limit
    self.window = window
    self.scheduler = scheduler
    self.onFailure = onFailure
    self.start = start
  }

  /// Whether the caller runs inside a refresh in flight, on its thread or in one of its tasks, and would wait for
  /// itself.
  var isBeginningHere: Bool {
    let numbers = RefreshMark.here.filter { $0.refresh == ObjectIdentifier(self) }.map(\.flight)
    if numbers.isEmpty { return false }
    return state.withLock { $0.lanes.values.contains { $0.flight.map { numbers.contains($0.number) } ?? false } }
  }

  /// The number of refreshes that have ended, of any identity and with any outcome; read it before a request begins.
  var endedCount: Int { state.withLock { $0.endedCount } }

  /// Joins the refresh in flight, or one that has ended since; starts a refresh if there is none.
  ///
  /// - Parameters:
  ///   - identity: The identity of the request.
  ///   - sender: Sends the requests of a refresh that is started here.
  ///   - error: The error of the request.
  ///   - endedCount: The value of ``endedCount`` before the request began.
  /// - Returns: A signal that completes or fails as the refresh does.
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
            .recoveryRefused, reason: "token refresh limit reached: \(limit) in \(window)",
            request: error.request, response: error.response, metrics: error.metrics, underlying: error))
      }
      return nil
    }
  }

  private func admit(
    _ observer: Observer<Void, NetworkError>, _ identity: Identity, since endedCount: Int
  ) -> Admission {
    let now = scheduler.now
    let (admission, former) = state.withLock { state in
      state.lastNumber += 1
      var former: [Identity: Lane] = [:]
      // Identities change, so those whose refreshes no longer count are removed.
      if state.lanes[identity] == nil {
        former = state.lanes
        state.lanes = former.filter { $0.value.isInUse(at: now, window) }
      }
      let admission = state.lanes[identity, default: Lane()]
        .admit(observer, state.lastNumber, since: endedCount, at: now, (limit, window))
      return (admission, former)
    }
    // Errors may retain objects of the app, so they are freed outside the lock.
    withExtendedLifetime(former) {}
    return admission
  }

  private func begin(_ flight: Int, of identity: Identity, _ sender: Sender) {
    // An outcome during the start is reported after it, so that a request sent by an observer is not part of the
    // refresh.
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
    let (flight, former) = state.withLock { state -> (Flight?, Outcome?) in
      let former = state.lanes[identity]?.lastOutcome
      let flight = state.lanes[identity]?.land(number, outcome, at: state.endedCount + 1)
      if flight != nil { state.endedCount += 1 }
      return (flight, former)
    }
    // The former error may retain objects of the app, so it is freed outside the lock.
    withExtendedLifetime(former) {}
    guard let flight else { return }
    let outcome = flight.outcome ?? outcome
    // In the order of the subscriptions.
    for (_, observer) in flight.waiting.sorted(by: { $0.key < $1.key }) { observer.end(outcome) }
    // A change of the identity is not a failure of its refresh.
    if case .failure(let error) = outcome, !error.isContextChange { onFailure(error) }
  }

  private func leave(_ number: Int, _ key: Int, of identity: Identity) {
    let (observer, flight) = state.withLock { state in state.lanes[identity]?.leave(number, key) ?? (nil, nil) }
    withExtendedLifetime(observer) {}
    flight?.handle?.dispose()
  }
}

/// The mark of the thread on which a refresh is started, inherited by the tasks that it creates.
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
