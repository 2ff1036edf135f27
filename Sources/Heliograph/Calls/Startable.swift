public import Signals

/// Work that an app starts, that ends once, and that reports to closures, a delegate and accessories: a ``Call``, a
/// ``Batch`` or a ``Chain``.
///
/// One run:
///
/// | step | thread |
/// |---|---|
/// | accessories: `willStart` | the caller of `start` |
/// | the work | as its requests |
/// | accessories: `willStop` | the main actor |
/// | `didSucceed` or `didFail`, then the delegate, then the closure | the main actor |
/// | accessories: `didStop` | the main actor |
///
/// Each run ends exactly once: with success, with a failure, or cancelled. A cancelled run calls neither the delegate nor
/// closures; its accessories stop on the thread that cancels. The work retains itself while it runs, so that the caller
/// need not keep it, and neither retains the delegate nor an owner.
/// A run that is started by a hook, the delegate or an accessory clears the results of the one that is being reported;
/// start again in a closure, which is called last.
///
/// An app uses `Call` and its subclasses, `Batch` and `Chain`; it does not conform to the protocol itself.
public protocol Startable: AnyObject, Sendable {
  /// The state of the runs.
  nonisolated var execution: Execution { get }

  /// Returns the work of one run: each value is an update, completion is success. `start` calls it, an app does not.
  ///
  /// - Parameter id: The identifier of the run.
  /// - Returns: The cold signal of the work.
  nonisolated func work(_ id: RequestID) -> Signal<Void, NetworkError>

  /// Runs after each update, before the delegate and the closure.
  ///
  /// Default: no action.
  @MainActor func didUpdate()

  /// Runs after the work has succeeded, before the delegate and the closure.
  ///
  /// Default: no action.
  @MainActor func didSucceed()

  /// Runs after the work has failed with ``error``, before the delegate and the closure.
  ///
  /// Default: no action.
  @MainActor func didFail()
}

/// A delegate of calls, batches and chains; it is not retained.
///
/// It distinguishes several calls by their type or by identity: `if let call = work as? UserCall`.
@MainActor
public protocol StartableDelegate: AnyObject, Sendable {
  /// An earlier result was received, and the run continues: the cached response of ``CachePolicy/cacheThenNetwork``.
  ///
  /// Default: no action.
  func didUpdate(_ work: any Startable)

  /// The work has succeeded.
  func didSucceed(_ work: any Startable)

  /// The work has failed; its `error` is not `nil`.
  func didFail(_ work: any Startable)
}

extension StartableDelegate {
  /// No action.
  public func didUpdate(_ work: any Startable) {}
}

extension Startable {
  /// No action.
  @MainActor public func didUpdate() {}
  /// No action.
  @MainActor public func didSucceed() {}
  /// No action.
  @MainActor public func didFail() {}

  /// Starts the work, unless it is in flight.
  ///
  /// ```swift
  /// call.start(onSuccess: { call in show(call.value) }, onFailure: { call in show(call.error) })
  /// ```
  /// The closures get the work itself, so they need not capture it. They run on the main actor and are released when the
  /// run ends.
  /// - Parameters:
  ///   - owner: The object whose deallocation cancels the run, as ``/Signals/Signal/bound(to:)-(AnyObject)`` does. Default: none.
  ///   - onUpdate: Runs for an earlier result: the cached response of ``CachePolicy/cacheThenNetwork``.
  ///   - onSuccess: Runs when the work has succeeded.
  ///   - onFailure: Runs when the work has failed.
  /// - Returns: Whether it was started: `false` while a run is in flight, and for a ``Chain`` that has run.
  @discardableResult
  public nonisolated func start(
    for owner: AnyObject? = nil, onUpdate: (@MainActor @Sendable (Self) -> Void)? = nil,
    onSuccess: (@MainActor @Sendable (Self) -> Void)? = nil, onFailure: (@MainActor @Sendable (Self) -> Void)? = nil
  ) -> Bool {
    let run = Run(self, execution) { [self] moment in
      switch moment {
      case .update: onUpdate?(self)
      case .success: onSuccess?(self)
      case .failure: onFailure?(self)
      }
    }
    return run.start(for: owner)
  }

  /// Cancels the run in flight, if any: its requests are cancelled, and neither the delegate nor a closure is
  /// called.
  ///
  /// After it has returned on the main actor, nothing more of that run is delivered; a run that is being reported has
  /// ended already. It may be called from any thread.
  public nonisolated func cancel() { execution.cancel() }

  /// A cold signal that starts the work at subscription, sends the work when it has succeeded, and completes.
  ///
  /// Disposing the subscription cancels the run. If the run is cancelled otherwise, the signal fails with
  /// ``NetworkError/Code/cancelled``, so that what waits for it ends. It fails with
  /// ``NetworkError/Code/alreadyStarted`` while another run is in flight. Success and failures of the work are delivered on
  /// the main thread, a cancellation on the thread that cancels.
  public nonisolated var signal: Signal<Self, NetworkError> { result { $0 } }

  /// Returns the signal of one run with a result, which is read before another run can have begun.
  nonisolated func result<Output: Sendable>(
    _ read: @escaping @Sendable (Self) -> Output
  ) -> Signal<Output, NetworkError> {
    Signal { [self] observer in
      let run = Run(self, execution) { _ in }
      let output = Guarded<Output?>(nil)
      run.beforeSuccess = { [self] in
        let value = read(self)
        output.withLock { $0 = value }
      }
      run.whenEnded = { error in
        let value = output.withLock { $0.take() }
        if let error { observer.fail(error) } else if let value { observer.complete(with: value) }
      }
      observer.hold(Disposable { run.cancel() })
      if !run.start(for: nil) { observer.fail(.alreadyStarted(self)) }
      // It may have been disposed before the run began.
      if observer.isDisposed { run.cancel() }
      return nil
    }
  }
}

extension Startable {
  /// The identifier of the latest run, unique in the process; `nil` before the first one.
  ///
  /// The requests of a call have it too: see ``MonitorEvent``.
  public nonisolated var id: RequestID? { execution.id }
  /// Whether a run is in flight.
  public nonisolated var isExecuting: Bool { execution.isExecuting }
  /// Whether the latest run was cancelled.
  public nonisolated var isCancelled: Bool { execution.isCancelled }
  /// The failure of the latest run; `nil` if it has succeeded, was cancelled or is in flight.
  public nonisolated var error: NetworkError? { execution.error }
  /// The accessories of later runs.
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
}

extension NetworkError {
  fileprivate static func alreadyStarted(_ work: any Startable) -> NetworkError {
    NetworkError(.client, .alreadyStarted, reason: "\(type(of: work)) was started twice")
  }
}
