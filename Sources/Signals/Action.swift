import Synchronization

/// A command of a view model: runs a signal for each input, one at a time, and says how it goes.
///
/// ```swift
/// let signIn = Action<String, Int, Never> { name in .just(name.count) }
/// signIn.values.subscribe(onValue: { print($0) })
/// signIn.execute("Ada")  // 3
/// ```
/// While a run is under way, or while it is not enabled, another is refused. When the action goes away its run is
/// disposed, so a request ends with the view model that owns its action.
public final class Action<Input: Sendable, Output: Sendable, Failure: Error>: Sendable {
  private let work: @Sendable (Input) -> Signal<Output, Failure>
  private let run = Slot()
  private let condition = Slot()
  private let isRunning = Atomic<Bool>(false)
  private let executing = CurrentValue(false)
  private let allowed = CurrentValue(true)
  private let outputs = Subject<Output, Never>()
  private let problems = Subject<Failure, Never>()

  /// Makes a command.
  ///
  /// - Parameters:
  ///   - isEnabled: says when it may run; it is subscribed to at once and until the action goes away. Default: always.
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
    condition.close()
    run.close()
  }

  /// Whether a run is under way: the present state at once, then every change.
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
  /// - Returns: the handle that stops this run, or `nil` if it was refused because another is under way or the action is
  ///   not enabled.
  @discardableResult
  public func execute(_ input: Input) -> Disposable? {
    guard allowed.value, !isRunning.exchange(true, ordering: .acquiringAndReleasing) else { return nil }
    publish()
    let finish: @Sendable () -> Void = { [weak self] in self?.finish() }
    let (outputs, problems) = (outputs, problems)
    let root = Root<Output, Failure> { event in
      switch event {
      case .value(let value): outputs.send(value)
      case .failed(let failure):
        finish()
        problems.send(failure)
      case .completed: finish()
      }
    }
    let handle = Disposable(subscriber: root)
    root.handle = handle
    // Kept before the run starts, so that it can be stopped from what it sends at once.
    run.put(handle)
    work(input).on(dispose: finish).run(in: Continuation(sink: root.sink(), scope: handle))
    return handle
  }

  /// Stops the run that is under way, if any.
  public func cancel() { run.put(.finished()) }

  private func finish() {
    isRunning.store(false, ordering: .releasing)
    publish()
  }

  /// Tells what is so, and again if that changed underway on another thread.
  private func publish() {
    var isTold: Bool
    repeat {
      isTold = isRunning.load(ordering: .acquiring)
      executing.send(isTold)
    } while isRunning.load(ordering: .acquiring) != isTold
  }
}
