import Synchronization

/// A command of a view model: runs one signal at a time for its inputs and publishes the execution state.
///
/// ```swift
/// let signIn = Action<String, Int, Never> { name in .just(name.count) }
/// signIn.values.subscribe(onValue: { print($0) })
/// signIn.execute("Ada")  // 3
/// ```
/// `execute` starts nothing while a run is in flight or the action is disabled. When the action is deallocated, its run
/// is disposed, so a request is cancelled together with the view model that owns the action.
public final class Action<Input: Sendable, Output: Sendable, Failure: Error>: Sendable {
  private let work: @Sendable (Input) -> Signal<Output, Failure>
  private let currentRun = SerialHandle()
  private let enabledSubscription = SerialHandle()
  private let isRunning = Atomic<Bool>(false)
  private let executionState = CurrentValue(false)
  private let enabledState = CurrentValue(true)
  private let valueSubject = PublishSubject<Output, Never>()
  private let failureSubject = PublishSubject<Failure, Never>()

  /// Creates an action from the work of its runs.
  ///
  /// - Parameters:
  ///   - isEnabled: A signal that sends whether the action may run. The action subscribes immediately and stays
  ///     subscribed until it is deallocated. It is enabled before the signal's first value. Default: always enabled.
  ///   - work: Creates the signal of one run, on the thread that calls `execute`.
  public init(
    enabledIf isEnabled: Signal<Bool, Never> = .just(true),
    _ work: @escaping @Sendable (Input) -> Signal<Output, Failure>
  ) {
    self.work = work
    let enabledState = enabledState
    enabledSubscription.set(isEnabled.subscribe(onValue: { enabledState.send($0) }))
  }

  deinit {
    enabledSubscription.dispose()
    currentRun.dispose()
    // The run has ended, and its end no longer finds the action.
    if isRunning.load(ordering: .acquiring) { executionState.send(false) }
  }

  /// Whether a run is in flight; its signal sends each change.
  public var isExecuting: Property<Bool> {
    Property(executionState.signal.distinctUntilChanged()) { [executionState] in executionState.value }
  }

  /// Whether `execute` would start a run; its signal sends each change.
  public var isEnabled: Property<Bool> {
    let signal = executionState.signal.combineLatest(enabledState.signal).map { !$0 && $1 }.distinctUntilChanged()
    return Property(signal) { [executionState, enabledState] in !executionState.value && enabledState.value }
  }

  /// A signal of the values that all runs send after the subscription.
  public var values: Signal<Output, Never> { valueSubject.signal }

  /// A signal of the failures of all runs after the subscription.
  ///
  /// A failure terminates its run but not the action.
  public var failures: Signal<Failure, Never> { failureSubject.signal }

  /// Starts a run.
  ///
  /// Values and failures arrive in ``values`` and ``failures`` on the thread from which the run's signal sends.
  /// ``isExecuting`` becomes `false` before a failure is sent, so that `execute` may be called again from the failure
  /// handler. The run is torn down before that, unless it ends while it is being started. In a value handler the run is
  /// still in flight, even at the last value, and `execute` returns `nil` there: start the next run when
  /// ``isExecuting`` has become `false`.
  /// - Parameter input: The input of the run.
  /// - Returns: A handle that stops this run, or `nil` if a run is in flight or the action is disabled.
  @discardableResult
  public func execute(_ input: Input) -> Disposable? {
    guard enabledState.value, !isRunning.exchange(true, ordering: .acquiringAndReleasing) else { return nil }
    let once = Once()
    let finish: @Sendable () -> Void = { [weak self] in if once.claim() { self?.finish() } }
    let handle = Disposable()
    let source = Disposable()
    // The handle is set up before user code runs, so that disposing it ends the run at any time and from any thread.
    handle.hold(
      Disposable {
        source.dispose()
        finish()
      })
    currentRun.set(handle)
    publish()
    let (valueSubject, failureSubject) = (valueSubject, failureSubject)
    let root = Root<Output, Failure>(handle) { event in
      switch event {
      case .value(let value): valueSubject.send(value)
      case .failed(let failure):
        // Torn down first, because a subscriber may start the next run.
        source.dispose()
        finish()
        failureSubject.send(failure)
      case .completed:
        source.dispose()
        finish()
      }
    }
    if handle.isDisposed { return handle }
    let downstream = root.downstream()
    work(input).feed(downstream, scope: source, next: downstream.next, end: downstream.end)
    return handle
  }

  /// Stops the run in flight, if any.
  public func cancel() { currentRun.set(.finished()) }

  private func finish() {
    isRunning.store(false, ordering: .releasing)
    publish()
  }

  /// Sends the current state, and sends it again if another thread has changed it in the meantime.
  private func publish() {
    var sent: Bool
    repeat {
      sent = isRunning.load(ordering: .acquiring)
      executionState.send(sent)
    } while isRunning.load(ordering: .acquiring) != sent
  }
}
