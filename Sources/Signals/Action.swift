import Synchronization

/// A command of a view model: runs a signal for each input, one at a time, and publishes its state.
///
/// ```swift
/// let signIn = Action<String, Int, Never> { name in .just(name.count) }
/// signIn.values.subscribe(onValue: { print($0) })
/// signIn.execute("Ada")  // 3
/// ```
/// While a run is in flight, or while the action is not enabled, another is refused. When the action is deallocated its run
/// is disposed, so a request ends with the view model that owns its action.
public final class Action<Input: Sendable, Output: Sendable, Failure: Error>: Sendable {
  private let work: @Sendable (Input) -> Signal<Output, Failure>
  private let run = Slot()
  private let condition = Slot()
  private let isRunning = Atomic<Bool>(false)
  private let executing = CurrentValue(false)
  private let allowed = CurrentValue(true)
  private let outputs = PublishSubject<Output, Never>()
  private let problems = PublishSubject<Failure, Never>()

  /// Makes a command.
  ///
  /// - Parameters:
  ///   - isEnabled: says when it may run; it is subscribed to at once and until the action is deallocated. Until its first
  ///     value the action is enabled. Default: always.
  ///   - work: makes the signal of one run, on the thread that executes.
  public init(
    enabledIf isEnabled: Signal<Bool, Never> = .just(true),
    _ work: @escaping @Sendable (Input) -> Signal<Output, Failure>
  ) {
    self.work = work
    let allowed = allowed
    condition.put(isEnabled.subscribe(onValue: { allowed.send($0) }))
  }

  deinit {
    condition.dispose()
    run.dispose()
  }

  /// Whether a run is in flight: the present state at once, then every change.
  public var isExecuting: Signal<Bool, Never> { executing.signal.distinctUntilChanged() }

  /// Whether `execute` would be accepted: the present state at once, then every change.
  public var isEnabled: Signal<Bool, Never> {
    executing.signal.combineLatest(allowed.signal).map { !$0 && $1 }.distinctUntilChanged()
  }

  /// The values of all runs, from the subscription on.
  public var values: Signal<Output, Never> { outputs.signal }

  /// The failures of all runs, from the subscription on.
  ///
  /// A failure ends its run, not the action.
  public var failures: Signal<Failure, Never> { problems.signal }

  /// Starts a run.
  ///
  /// Values and failures arrive in ``values`` and ``failures`` on the thread that the run's signal sends from;
  /// ``isExecuting`` is false again before the failure is sent, so that a retry from there is accepted.
  /// - Parameter input: what to run with.
  /// - Returns: the handle that stops this run, or `nil` if it was refused because another is in flight or the action is
  ///   not enabled.
  @discardableResult
  public func execute(_ input: Input) -> Disposable? {
    guard allowed.value, !isRunning.exchange(true, ordering: .acquiringAndReleasing) else { return nil }
    let once = Once()
    let finish: @Sendable () -> Void = { [weak self] in if once.claim() { self?.finish() } }
    let handle = Disposable()
    let source = Disposable()
    // Whoever disposes the handle, and whenever, ends the run; so it is in place before anything is called.
    handle.hold(
      Disposable {
        source.dispose()
        finish()
      })
    run.put(handle)
    publish()
    let (outputs, problems) = (outputs, problems)
    let root = Root<Output, Failure>(handle) { event in
      switch event {
      case .value(let value): outputs.send(value)
      case .failed(let failure):
        finish()
        problems.send(failure)
      case .completed: finish()
      }
    }
    if handle.isDisposed { return handle }
    let downstream = root.downstream()
    work(input).feed(downstream, scope: source, next: downstream.next, end: downstream.end)
    return handle
  }

  /// Stops the run that is in flight, if any.
  public func cancel() { run.put(.finished()) }

  private func finish() {
    isRunning.store(false, ordering: .releasing)
    publish()
  }

  /// Sends the present state, and again if that changed meanwhile on another thread.
  private func publish() {
    var sent: Bool
    repeat {
      sent = isRunning.load(ordering: .acquiring)
      executing.send(sent)
    } while isRunning.load(ordering: .acquiring) != sent
  }
}
