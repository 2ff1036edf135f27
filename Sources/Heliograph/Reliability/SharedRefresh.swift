import Signals

/// What a ``Recovery`` does once for all that wait for it.
final class SharedRefresh: Sendable {
  typealias Outcome = Result<Void, NetworkError>

  private struct Flight {
    let number: Int
    var waiting: [Int: Observer<Void, NetworkError>] = [:]
    /// Disposes the refresh; `nil` while it is being begun.
    var handle: Disposable?
    /// How it has ended, while it was being begun.
    var outcome: Outcome?
  }

  private struct State {
    var flight: Flight?
    var beginnings: [Duration] = []
    var endedCount = 0
    var lastOutcome: Outcome = .success(())
    var lastNumber = 0
  }

  private struct Place {
    let flight: Int
    let key: Int
    var isFirst = false
  }

  private enum Admission {
    case waiting(Place)
    case over(Outcome)
    case refused
  }

  /// Those that are being begun on this thread.
  @TaskLocal private static var beginning: [ObjectIdentifier] = []

  private let limit: Int
  private let window: Duration
  private let scheduler: any Scheduler
  private let start: @Sendable (@escaping @Sendable (Outcome) -> Void) -> Disposable
  private let state = Guarded(State())

  init(
    limit: Int, window: Duration, scheduler: any Scheduler,
    start: @escaping @Sendable (@escaping @Sendable (Outcome) -> Void) -> Disposable
  ) {
    self.limit = limit
    self.window = window
    self.scheduler = scheduler
    self.start = start
  }

  /// Whether whoever asks is a part of it: it would wait for itself.
  var isBeginningHere: Bool { SharedRefresh.beginning.contains(ObjectIdentifier(self)) }

  /// How many have ended, in whatever way: to be asked for before a request begins.
  var endedCount: Int { state.withLock { $0.endedCount } }

  /// Waits for the refresh that is under way, or that has ended since; begins it if there is none.
  func joined(after error: NetworkError, since endedCount: Int) -> Signal<Void, NetworkError> {
    Signal { [self] observer in
      switch admit(observer, since: endedCount) {
      case .waiting(let place):
        if place.isFirst { begin(place.flight) }
        return Disposable { self.leave(place) }
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

  private func admit(_ observer: Observer<Void, NetworkError>, since endedCount: Int) -> Admission {
    let now = scheduler.now
    return state.withLock { state in
      state.lastNumber += 1
      let key = state.lastNumber
      if let flight = state.flight {
        state.flight?.waiting[key] = observer
        return .waiting(Place(flight: flight.number, key: key))
      }
      if state.endedCount != endedCount { return .over(state.lastOutcome) }
      state.beginnings.removeAll { now - $0 >= window }
      if state.beginnings.count >= limit { return .refused }
      state.beginnings.append(now)
      state.flight = Flight(number: key, waiting: [key: observer])
      return .waiting(Place(flight: key, key: key, isFirst: true))
    }
  }

  private func begin(_ number: Int) {
    // If it ends meanwhile, that is told afterwards: what those who are told of it send is no part of it.
    let handle = SharedRefresh.$beginning.withValue(SharedRefresh.beginning + [ObjectIdentifier(self)]) {
      start { self.end(number, $0) }
    }
    let (isAbandoned, outcome) = state.withLock { state -> (Bool, Outcome?) in
      guard state.flight?.number == number else { return (true, nil) }
      state.flight?.handle = handle
      return (false, state.flight?.outcome)
    }
    if isAbandoned { handle.dispose() }
    if let outcome { end(number, outcome) }
  }

  private func end(_ number: Int, _ outcome: Outcome) {
    let flight = state.withLock { state -> Flight? in
      guard let flight = state.flight, flight.number == number else { return nil }
      guard flight.handle != nil else {
        state.flight?.outcome = outcome
        return nil
      }
      state.flight = nil
      state.endedCount += 1
      state.lastOutcome = outcome
      return flight
    }
    // In the order in which they came.
    for (_, observer) in (flight?.waiting ?? [:]).sorted(by: { $0.key < $1.key }) { observer.end(outcome) }
  }

  private func leave(_ place: Place) {
    let (observer, flight) = state.withLock { state -> (Observer<Void, NetworkError>?, Flight?) in
      guard state.flight?.number == place.flight else { return (nil, nil) }
      let observer = state.flight?.waiting.removeValue(forKey: place.key)
      guard state.flight?.waiting.isEmpty == true else { return (observer, nil) }
      // The only one that can be under way is the last that was begun.
      _ = state.beginnings.popLast()
      return (observer, state.flight.take())
    }
    withExtendedLifetime(observer) {}
    flight?.handle?.dispose()
  }
}

extension Observer where Value == Void, Failure == NetworkError {
  fileprivate func end(_ outcome: Result<Void, NetworkError>) {
    switch outcome {
    case .success: complete()
    case .failure(let error): fail(error)
    }
  }
}
