import Signals

/// The common state of calls, batches and chains; see ``Startable``.
///
/// It is not for subclassing: subclass ``Call``.
@MainActor open class StartableObject {
  private struct State {
    var current: RequestID?
    /// The run in flight; its subscription retains it.
    weak var run: Run?
    var id: RequestID?
    var isCancelled = false
    var error: NetworkError?
    var accessories: [any Accessory] = []
    weak var delegate: (any StartableDelegate)?
  }

  private nonisolated let state = Guarded(State())
  private nonisolated let isSingleUse: Bool
  private nonisolated let calls: ActiveCalls?

  nonisolated init(in calls: ActiveCalls? = nil, isSingleUse: Bool = false) {
    self.calls = calls
    self.isSingleUse = isSingleUse
  }

  /// Resets the results, which are those of the latest run, before the accessories learn of a run.
  nonisolated func reset(_ id: RequestID) {}

  /// Returns the cold signal of one run: each value is an update, completion is success.
  ///
  /// A call sends its request in the scope; `nil` for that of its client.
  nonisolated func work(_ id: RequestID, in scope: ClientScope?) -> Signal<Void, NetworkError> { .empty }

  /// Releases what only a run in flight needs, after a cancellation, perhaps before ``work(_:in:)``.
  nonisolated func releaseWork() {}

  /// The request after which the signal of the work is named; `nil` for several requests.
  nonisolated var namingRequest: (any RequestConvertible)? { nil }

  /// Drops the result and returns the failure of a run whose identity has changed before the result or a failure is
  /// delivered on the main actor; `nil` otherwise.
  nonisolated func takeStaleFailure(_ id: RequestID, replacing error: NetworkError? = nil) -> NetworkError? { nil }

  /// Runs for a failure, before `didFail()`.
  nonisolated func willFail(with error: NetworkError) {}

  /// Runs after each update, before the delegate and the closure.
  func didUpdate() {}
  /// Runs after the work has succeeded, before the delegate and the closure.
  func didSucceed() {}
  /// Runs after the work has failed, before the delegate and the closure.
  func didFail() {}
}

extension StartableObject {
  /// The identifier of the latest run, unique in the process; `nil` before the first one.
  ///
  /// The requests of a call have the same identifier: see ``MonitorEvent``.
  public nonisolated var id: RequestID? { state.withLock { $0.id } }
  /// Whether a run is in flight.
  public nonisolated var isExecuting: Bool { state.withLock { $0.current != nil } }
  /// Whether the latest run was cancelled.
  public nonisolated var isCancelled: Bool { state.withLock { $0.isCancelled } }
  /// The failure of the latest run; `nil` if it has succeeded, was cancelled or is in flight.
  public nonisolated var error: NetworkError? { state.withLock { $0.error } }
  /// The accessories of runs that start from now on.
  ///
  /// Default: none.
  public nonisolated var accessories: [any Accessory] {
    get { state.withLock { $0.accessories } }
    set {
      state.discardWithLock { state in
        defer { state.accessories = newValue }
        return state.accessories
      }
    }
  }
  /// The delegate; it is not retained.
  ///
  /// Default: none.
  public nonisolated var delegate: (any StartableDelegate)? {
    get { state.withLock { $0.delegate } }
    set { state.withLock { $0.delegate = newValue } }
  }

  /// Cancels the run in flight, if any: its requests are cancelled, and neither the delegate nor a closure is
  /// called.
  ///
  /// Once it has returned on the main actor, nothing more of that run is delivered; a run whose end is being reported
  /// has already ended. May be called from any thread.
  public nonisolated func cancel() { state.withLock { $0.run }?.cancel() }

  /// Makes a run the current one; returns `false` if there already is one.
  nonisolated func begin(_ run: Run) -> Bool {
    let (isBegun, previousError) = state.withLock { state -> (Bool, NetworkError?) in
      if state.current != nil || isSingleUse && state.id != nil { return (false, nil) }
      let previousError = state.error
      (state.current, state.run, state.id) = (run.id, run, run.id)
      (state.isCancelled, state.error) = (false, nil)
      return (true, previousError)
    }
    withExtendedLifetime(previousError) {}
    guard isBegun, let calls else { return isBegun }
    calls.add(run.id) { [weak run] in run?.cancel() }
    // Another thread may have cancelled the run before it was added.
    if !isCurrent(run.id) { calls.remove(run.id) }
    return true
  }

  nonisolated func isCurrent(_ id: RequestID) -> Bool { state.withLock { $0.current == id } }

  /// Ends a run; returns `false` if it has already ended.
  nonisolated func end(_ id: RequestID, with error: NetworkError?) -> Bool {
    let isEnded = state.withLock { state in
      guard state.current == id else { return false }
      (state.current, state.run) = (nil, nil)
      if let error, error.isCancelled { state.isCancelled = true } else { state.error = error }
      return true
    }
    if isEnded { calls?.remove(id) }
    return isEnded
  }
}
