import Signals

/// The common state of calls, batches and chains; see ``Startable``.
///
/// It is not for subclassing: subclass ``Call``.
@MainActor open class StartableObject {
  nonisolated let execution: Execution

  nonisolated init(_ execution: Execution) { self.execution = execution }

  /// Returns the cold signal of one run: each value is an update, completion is success.
  nonisolated func work(_ id: RequestID) -> Signal<Void, NetworkError> { .empty }

  /// Drops the result and returns the failure of a run whose identity has changed before the result is delivered on the
  /// main actor; `nil` otherwise.
  nonisolated func takeStaleFailure(_ id: RequestID) -> NetworkError? { nil }

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
  public nonisolated var id: RequestID? { execution.id }
  /// Whether a run is in flight.
  public nonisolated var isExecuting: Bool { execution.isExecuting }
  /// Whether the latest run was cancelled.
  public nonisolated var isCancelled: Bool { execution.isCancelled }
  /// The failure of the latest run; `nil` if it has succeeded, was cancelled or is in flight.
  public nonisolated var error: NetworkError? { execution.error }
  /// The accessories of runs that start from now on.
  ///
  /// Default: none.
  public nonisolated var accessories: [any Accessory] {
    get { execution.accessories }
    set { execution.accessories = newValue }
  }
  /// The delegate; it is not retained.
  ///
  /// Default: none.
  public nonisolated var delegate: (any StartableDelegate)? {
    get { execution.delegate }
    set { execution.delegate = newValue }
  }

  /// Cancels the run in flight, if any: its requests are cancelled, and neither the delegate nor a closure is
  /// called.
  ///
  /// Once it has returned on the main actor, nothing more of that run is delivered; a run whose end is being reported
  /// has already ended. May be called from any thread.
  public nonisolated func cancel() { execution.cancel() }
}
