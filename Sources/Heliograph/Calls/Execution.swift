import Signals

/// The state of a ``Startable``: its latest run, its accessories and its delegate.
final class Execution: Sendable {
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

  private let state = Guarded(State())
  private let isSingleUse: Bool
  private let calls: ActiveCalls?

  init(in calls: ActiveCalls? = nil, isSingleUse: Bool = false) {
    self.calls = calls
    self.isSingleUse = isSingleUse
  }

  var id: RequestID? { state.withLock { $0.id } }
  var isExecuting: Bool { state.withLock { $0.current != nil } }
  var isCancelled: Bool { state.withLock { $0.isCancelled } }
  var error: NetworkError? { state.withLock { $0.error } }

  var accessories: [any Accessory] {
    get { state.withLock { $0.accessories } }
    set {
      let before = state.withLock { state in
        defer { state.accessories = newValue }
        return state.accessories
      }
      withExtendedLifetime(before) {}
    }
  }

  var delegate: (any StartableDelegate)? {
    get { state.withLock { $0.delegate } }
    set { state.withLock { $0.delegate = newValue } }
  }

  /// Makes a run the current one; returns `false` if there already is one.
  func begin(_ run: Run) -> Bool {
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

  func isCurrent(_ id: RequestID) -> Bool { state.withLock { $0.current == id } }

  /// Ends a run; returns `false` if it has already ended.
  func end(_ id: RequestID, with error: NetworkError?) -> Bool {
    let isEnded = state.withLock { state in
      guard state.current == id else { return false }
      (state.current, state.run) = (nil, nil)
      if let error, error.isCancelled { state.isCancelled = true } else { state.error = error }
      return true
    }
    if isEnded { calls?.remove(id) }
    return isEnded
  }

  func cancel() { state.withLock { $0.run }?.cancel() }
}
