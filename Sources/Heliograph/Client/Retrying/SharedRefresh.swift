import Signals

/// A token refresh that runs once for all waiting requests of one identity.
final class SharedRefresh: Sendable {
  typealias Outcome = Result<Void, NetworkError>
  /// Creates the client that sends the requests of the refresh itself.
  typealias MakeClient = @Sendable () -> NetworkClient
  typealias Start = @Sendable (MakeClient, @escaping @Sendable (Outcome) -> Void) -> Running

  /// A refresh that has been started.
  struct Running: Sendable {
    let handle: Disposable
    let scope: ClientScope
  }

  private struct Refresh {
    let number: Int
    var waiting: [Int: Observer<Void, NetworkError>] = [:]
    /// Retains the refresh; `nil` while it is being started.
    var running: Running?
    /// The first outcome; it may arrive while the refresh is being started.
    var outcome: Outcome?
  }

  /// The refresh in flight and the recent refreshes of one identity.
  private struct IdentityRefreshes {
    var refresh: Refresh?
    var startTimes: [Duration] = []
    /// The instant of the last refresh's end, and the value of ``State/endedCount`` then; `nil` before the first.
    var end: (instant: Duration, count: Int)?
    /// The outcome for requests that began before the last refresh ended.
    var lastOutcome: Outcome = .success(())

    /// Whether a refresh is in flight or still counts towards the limit.
    func isInUse(at now: Duration, _ window: Duration) -> Bool {
      refresh != nil || [startTimes.last, end?.instant].contains { $0.map { now - $0 < window } == true }
    }

    mutating func admit(
      _ observer: Observer<Void, NetworkError>, _ key: Int, since endedCount: Int, at now: Duration,
      _ limit: (count: Int, window: Duration)
    ) -> Admission {
      if let number = refresh?.number {
        refresh?.waiting[key] = observer
        return .waiting(refresh: number, key: key)
      }
      // After the window, the token may have expired once more.
      let isRecent = end.map { limit.window <= .zero || now - $0.instant < limit.window } == true
      if isRecent, let end, end.count > endedCount { return .ended(lastOutcome) }
      startTimes.removeAll { now - $0 >= limit.window }
      // During an outage of the server that refreshes, the requests fail as the last refresh did: nothing says that a fresh
      // token would be rejected.
      if startTimes.count >= limit.count { return lastOutcome.failure == nil ? .refused : .ended(lastOutcome) }
      startTimes.append(now)
      refresh = Refresh(number: key, waiting: [key: observer])
      return .waiting(refresh: key, key: key)
    }

    /// Ends the refresh of this number and returns it; `nil` if it has already ended or is still being started.
    mutating func finish(_ number: Int, _ outcome: Outcome, at end: (instant: Duration, count: Int)) -> Refresh? {
      guard refresh?.number == number else { return nil }
      // The first outcome applies. A later one is ignored.
      if refresh?.outcome == nil { refresh?.outcome = outcome }
      guard refresh?.running != nil else { return nil }
      if refresh?.outcome?.failure?.code == .contextChanged {
        // Later requests with the same value, such as after signing in again, do not get its outcome.
        _ = startTimes.popLast()
        return refresh.take()
      }
      self.end = end
      lastOutcome = refresh?.outcome ?? outcome
      // Only the refresh that was started last can be in flight. The closure of a refresh may fail with a status of its
      // own, such as 401 without a session: a status that a server has sent comes with its response, other than the 407
      // of a proxy that refuses a tunnel.
      if let error = lastOutcome.failure,
        error.isUnsent || error.domain == .server && error.response == nil && error.code != .status(407)
      {
        _ = startTimes.popLast()
      }
      return refresh.take()
    }

    /// Removes an observer and returns it; the refresh goes on without any: the server may already have replaced the
    /// credentials.
    mutating func leave(_ number: Int, _ key: Int) -> Observer<Void, NetworkError>? {
      refresh?.number == number ? refresh?.waiting.removeValue(forKey: key) : nil
    }
  }

  private struct State {
    var refreshes: [Identity: IdentityRefreshes] = [:]
    /// The number of identities from which those no longer in use are removed: a visit of all costs a constant for each.
    var threshold = 16
    var endedCount = 0
    var lastNumber = 0
  }

  private enum Admission {
    /// The observer waits; it starts the refresh if its key equals the refresh's number.
    case waiting(refresh: Int, key: Int)
    case ended(Outcome)
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
    onFailure: @escaping @Sendable (NetworkError) -> Void, start: @escaping Start
  ) {
    self.limit = limit
    self.window = window
    self.scheduler = scheduler
    self.onFailure = onFailure
    self.start = start
  }

  /// Whether the caller runs on the thread or in a task of a refresh in flight, so that the refresh would wait for
  /// itself.
  var isInsideRefresh: Bool {
    let numbers = RefreshMark.current.filter { $0.owner == ObjectIdentifier(self) }.map(\.number)
    if numbers.isEmpty { return false }
    return state.withLock { $0.refreshes.values.contains { $0.refresh.map { numbers.contains($0.number) } ?? false } }
  }

  /// The instant on the clock of the window, which includes sleep, in which tokens expire.
  var now: Duration { scheduler.continuousNow }

  /// Returns the instant at which the last refresh of an identity has ended; the present one if there was none.
  func end(of identity: Identity) -> Duration { state.withLock { $0.refreshes[identity]?.end?.instant } ?? now }

  /// The number of refreshes that have ended, of any identity and with any outcome; read it before a request begins.
  var endedCount: Int { state.withLock { $0.endedCount } }

  /// Joins the refresh in flight, or one that has ended since; starts a refresh if there is none.
  ///
  /// `endedCount` is the value of ``endedCount`` before the request began.
  func joined(
    as identity: Identity, with makeClient: @escaping MakeClient, after error: NetworkError, since endedCount: Int
  ) -> Signal<Void, NetworkError> {
    Signal { [self] observer in
      switch admit(observer, identity, since: endedCount) {
      case .waiting(let refresh, let key):
        if refresh == key { begin(refresh, of: identity, makeClient) }
        return Disposable { self.leave(refresh, key, of: identity) }
      case .ended(let outcome): observer.end(outcome)
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
    let now = self.now
    let (admission, previous) = state.withLock { state in
      state.lastNumber += 1
      var previous: [Identity: IdentityRefreshes] = [:]
      // Removes identities that are no longer in use, such as those of previous accounts.
      if state.refreshes[identity] == nil, state.refreshes.count >= state.threshold {
        previous = state.refreshes
        state.refreshes = previous.filter { $0.value.isInUse(at: now, window) }
        state.threshold = max(16, state.refreshes.count * 2)
      }
      let admission = state.refreshes[identity, default: IdentityRefreshes()]
        .admit(observer, state.lastNumber, since: endedCount, at: now, (limit, window))
      return (admission, previous)
    }
    // Errors may retain objects of the app, so they are freed outside the lock.
    withExtendedLifetime(previous) {}
    return admission
  }

  private func begin(_ refresh: Int, of identity: Identity, _ makeClient: MakeClient) {
    // An outcome during the start is reported after the start, outside the mark: an observer may then send other
    // requests.
    let mark = RefreshMark(owner: ObjectIdentifier(self), number: refresh)
    let running = RefreshMark.$current.withValue(RefreshMark.current + [mark]) {
      start(makeClient) { self.finish(refresh, of: identity, $0) }
    }
    let outcome = state.withLock { state in
      state.refreshes[identity]?.refresh?.running = running
      return state.refreshes[identity]?.refresh?.outcome
    }
    if let outcome { finish(refresh, of: identity, outcome) }
  }

  private func finish(_ number: Int, of identity: Identity, _ outcome: Outcome) {
    let now = self.now
    let (refresh, previous) = state.withLock { state -> (Refresh?, Outcome?) in
      let previous = state.refreshes[identity]?.lastOutcome
      let refresh = state.refreshes[identity]?.finish(number, outcome, at: (now, state.endedCount + 1))
      if refresh != nil { state.endedCount += 1 }
      return (refresh, previous)
    }
    // The previous error may retain objects of the app, so it is freed outside the lock.
    withExtendedLifetime(previous) {}
    guard let refresh else { return }
    let outcome = refresh.outcome ?? outcome
    // Notified in the order of their subscriptions.
    RejectionReports.afterDelivery {
      for (_, observer) in refresh.waiting.sorted(by: { $0.key < $1.key }) { observer.end(outcome) }
    }
    // Neither a change of the identity nor a refresh that was not sent says anything about the credentials. The app may
    // have signed in another account by then, which the closure would sign out.
    guard let error = outcome.failure, error.code != .contextChanged, !error.isUnsent else { return }
    if let scope = refresh.running?.scope, scope.parts.fence?.hasReplaced(scope.identity) == true { return }
    onFailure(error)
  }

  private func leave(_ number: Int, _ key: Int, of identity: Identity) {
    state.discardWithLock { $0.refreshes[identity]?.leave(number, key) }
  }
}

/// Task-local record of the refreshes that the current code runs in, so that no refresh waits for itself.
private struct RefreshMark: Sendable {
  let owner: ObjectIdentifier
  let number: Int
  @TaskLocal static var current: [RefreshMark] = []
}

extension Result<Void, NetworkError> {
  fileprivate var failure: NetworkError? { if case .failure(let error) = self { error } else { nil } }
}

extension NetworkError {
  /// Whether a refresh failed for lack of a network or by an open circuit breaker, so that no server has rejected it.
  fileprivate var isUnsent: Bool { isOffline || code == .circuitOpen }
}

extension Observer where Value == Void, Failure == NetworkError {
  fileprivate func end(_ outcome: Result<Void, NetworkError>) {
    switch outcome {
    case .success: complete()
    case .failure(let error): fail(error)
    }
  }
}
