public import Signals

/// Startable work that reports to closures, a delegate and accessories: a ``Call``, a ``Batch`` or a ``Chain``.
///
/// One run:
///
/// | step | thread |
/// |---|---|
/// | accessories: `willStart` | the caller of `start`; for ``Call/send()`` see ``Accessory`` |
/// | the work | the threads of its requests |
/// | accessories: `willStop` | the main actor |
/// | `didSucceed` or `didFail`, then the delegate, then the closure | the main actor |
/// | accessories: `didStop` | the main actor |
///
/// Each run ends exactly once: with success, with a failure, or cancelled. A cancelled run calls neither the delegate
/// nor closures; ``Accessory`` names the thread on which its accessories stop. The work retains itself while it runs,
/// so that the caller need not store it. It retains neither the delegate nor an owner. Starting the work again from a
/// hook, the delegate, an accessory or another thread clears the results of the run being reported. Restart it in a
/// closure instead: closures are called last, and on the main actor. ``signal`` and ``Call/send()`` are not affected.
///
/// The only conforming types are `Call` with its subclasses, `Batch` and `Chain`.
public protocol Startable: StartableObject, Sendable {}

/// A delegate of calls, batches and chains; it is not retained.
///
/// It distinguishes several calls by their type or by identity: `if let call = work as? UserCall`.
@MainActor
public protocol StartableDelegate: AnyObject, Sendable {
  /// A preliminary result has arrived, and the run continues: the cached response of
  /// ``CachePolicy/cacheThenNetwork``.
  ///
  /// Default: no action.
  func didUpdate(_ work: any Startable)

  /// The work has succeeded; its results are set.
  func didSucceed(_ work: any Startable)

  /// The work has failed; its `error` is not `nil`.
  func didFail(_ work: any Startable)
}

extension StartableDelegate {
  /// The default: no action.
  public func didUpdate(_ work: any Startable) {}
}

extension Startable {
  /// Starts the work, unless it is already in flight.
  ///
  /// ```swift
  /// call.start { call in show(call.value) } onFailure: { call in show(call.error) }
  /// ```
  /// The closures receive the work itself, so they need not capture it. They run on the main actor and are released
  /// when the run ends. For closures that need an object, use ``start(for:onSuccess:onFailure:onUpdate:)``. In the
  /// language mode Swift 5, label a single closure for failure, because a trailing one is that of `onUpdate` there.
  /// - Parameters:
  ///   - onSuccess: Runs when the work has succeeded.
  ///   - onFailure: Runs when the work has failed.
  ///   - onUpdate: Runs for a preliminary result: the cached response of ``CachePolicy/cacheThenNetwork``.
  /// - Returns: Whether the work was started: `false` while a run is in flight, and for a ``Chain`` that has run.
  @discardableResult
  public nonisolated func start(
    onSuccess: (@MainActor @Sendable (Self) -> Void)? = nil, onFailure: (@MainActor @Sendable (Self) -> Void)? = nil,
    onUpdate: (@MainActor @Sendable (Self) -> Void)? = nil
  ) -> Bool {
    let run = Run(self) { [self] moment in
      switch moment {
      case .update: onUpdate?(self)
      case .success: onSuccess?(self)
      case .failure: onFailure?(self)
      }
    }
    return run.start(for: nil)
  }

  /// Starts the work with a closure for success alone, unless it is already in flight.
  ///
  /// In the language mode Swift 5, a single trailing closure would otherwise be that of the last parameter, `onUpdate`.
  /// - Parameter onSuccess: Runs when the work has succeeded.
  /// - Returns: Whether the work was started; see ``start(onSuccess:onFailure:onUpdate:)``.
  @discardableResult
  public nonisolated func start(onSuccess: @escaping @MainActor @Sendable (Self) -> Void) -> Bool {
    start(onSuccess: onSuccess, onFailure: nil)
  }

  /// Starts the work for an owner, such as a view model, unless it is already in flight.
  ///
  /// ```swift
  /// call.start(for: self) { model, call in
  ///   model.order = call.value
  /// } onFailure: { model, call in
  ///   model.message = call.error?.message
  /// }
  /// ```
  /// The closures receive the owner and the work, so they need not capture them. The owner is not retained. Its
  /// deallocation cancels the run, as ``/Signals/Signal/bound(to:)-(AnyObject)`` does, and no closure runs
  /// afterwards.
  /// - Parameters:
  ///   - owner: The object whose deallocation cancels the run.
  ///   - onSuccess: Runs when the work has succeeded.
  ///   - onFailure: Runs when the work has failed.
  ///   - onUpdate: Runs for a preliminary result: the cached response of ``CachePolicy/cacheThenNetwork``.
  /// - Returns: Whether the work was started; see ``start(onSuccess:onFailure:onUpdate:)``.
  @discardableResult
  public nonisolated func start<Owner: AnyObject & Sendable>(
    for owner: Owner, onSuccess: (@MainActor @Sendable (Owner, Self) -> Void)? = nil,
    onFailure: (@MainActor @Sendable (Owner, Self) -> Void)? = nil,
    onUpdate: (@MainActor @Sendable (Owner, Self) -> Void)? = nil
  ) -> Bool {
    let run = Run(self) { [weak owner, self] moment in
      guard let owner else { return }
      switch moment {
      case .update: onUpdate?(owner, self)
      case .success: onSuccess?(owner, self)
      case .failure: onFailure?(owner, self)
      }
    }
    return run.start(for: owner)
  }

  /// Starts the work for an owner with a closure for success alone, unless it is already in flight.
  ///
  /// In the language mode Swift 5, a single trailing closure would otherwise be that of the last parameter, `onUpdate`.
  /// - Parameters:
  ///   - owner: The object whose deallocation cancels the run.
  ///   - onSuccess: Runs when the work has succeeded.
  /// - Returns: Whether the work was started; see ``start(onSuccess:onFailure:onUpdate:)``.
  @discardableResult
  public nonisolated func start<Owner: AnyObject & Sendable>(
    for owner: Owner, onSuccess: @escaping @MainActor @Sendable (Owner, Self) -> Void
  ) -> Bool {
    start(for: owner, onSuccess: onSuccess, onFailure: nil)
  }

  /// A cold signal that starts the work at subscription, sends the work when it has succeeded, and completes.
  ///
  /// Disposing the subscription cancels the run. If the run is cancelled by other means, the signal fails with
  /// ``NetworkError/Code/cancelled``, so that its subscriber does not wait forever. It fails with
  /// ``NetworkError/Code/alreadyStarted`` while another run is in flight, and for a ``Chain`` that has run. Success and
  /// failures of the work are delivered on the main thread, ``NetworkError/Code/alreadyStarted`` on the subscriber's,
  /// and a cancellation on the thread that calls `cancel()`. The signal of a ``Call`` has the name of its request.
  public nonisolated var signal: Signal<Self, NetworkError> {
    let signal = result { $0 }
    return namingRequest.map(signal.named) ?? signal
  }

  /// Returns the signal of one run with a result, which is read before another run can begin.
  nonisolated func result<Output: Sendable>(
    in scope: ClientScope? = nil, _ read: @escaping @Sendable (Self) -> Output
  ) -> Signal<Output, NetworkError> {
    Signal { [self] observer in
      let output = Guarded<Output?>(nil)
      let run = Run(
        self, in: scope,
        beforeSuccess: { [self] in
          let value = read(self)
          output.withLock { $0 = value }
        },
        whenEnded: { error in
          let value = output.withLock { $0.take() }
          if let error { observer.fail(error) } else if let value { observer.complete(with: value) }
        })
      observer.hold(Disposable { run.cancel() })
      if !run.start(for: nil) {
        observer.fail(NetworkError(.alreadyStarted, reason: "\(type(of: self)) was started twice"))
      }
      // The signal may have been disposed before the run began.
      if observer.isDisposed { run.cancel() }
      return nil
    }
  }
}
