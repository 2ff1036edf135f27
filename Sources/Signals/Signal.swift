/// A cold, cancellable stream of values: each subscription starts its own work and can stop it.
///
/// Nothing runs before ``subscribe(_:)``; two subscriptions do the work twice. A subscription delivers
/// `value* (failed | completed)?`, one event at a time, on the thread from which the work sends unless `observe(on:)`
/// changes it. Disposing the subscription stops the work silently. `Docs/SignalContract.md` lists every guarantee by
/// number.
///
/// ```swift
/// let answer = Signal<Int, Never>.just(20).map { $0 + 1 }.flatMap { .just($0 * 2) }
/// answer.subscribe(onValue: { print($0) })  // 42
/// ```
@frozen
public struct Signal<Value: Sendable, Failure: Error>: Sendable {
  /// The work of a subscription; ready values are separate cases, so that flattening can skip the subscription.
  @usableFromInline
  enum Kind: Sendable {
    case ready(Value)
    case empty
    case failed(Failure)
    case deferred(@Sendable () -> Signal)
    case named(any NamedSource<Value, Failure>)
    /// The user's work.
    case create(@Sendable (Observer<Value, Failure>) -> Disposable?)
    /// The work of an operator.
    ///
    /// It may return a successor to run into the same downstream (a tail call). The caller runs tail calls in a loop,
    /// so that a chain of a million of them needs no stack.
    case stage(@Sendable (Downstream<Value, Failure>) -> Signal?)
    /// Concatenated signals, as `concat` nests them.
    case chain(Chain<Value, Failure>)
  }

  @usableFromInline let kind: Kind

  @inlinable
  init(_ kind: Kind) {
    self.kind = kind
  }

  /// Creates a signal from work that sends events to an observer.
  ///
  /// - Parameter start: Starts the work, once for each subscription, on the subscriber's thread. It returns a handle
  ///   that stops the work, or `nil`. The handle is disposed on termination and on disposal, or immediately if the
  ///   signal has already terminated.
  @inlinable
  public init(_ start: @escaping @Sendable (Observer<Value, Failure>) -> Disposable?) {
    kind = .create(start)
  }

  /// Creates a signal from an operator's work, which runs into the subscriber's downstream.
  @inlinable
  static func stage(_ start: @escaping @Sendable (Downstream<Value, Failure>) -> Signal?) -> Signal {
    Signal(.stage(start))
  }

  /// Returns this signal with all `deferred` and `named` layers resolved.
  @inlinable
  consuming func resolved() -> Signal {
    var signal = self
    while true {
      switch signal.kind {
      case .deferred(let make): signal = make()
      case .named(let source): signal = source.makeSignal()
      default: return signal
      }
    }
  }

  /// Runs the signal, then each tail call in a loop.
  @inlinable
  func run(in downstream: Downstream<Value, Failure>) {
    var tail = step(in: downstream)
    while let signal = tail { tail = signal.step(in: downstream) }
  }

  /// Runs the signal and returns its successor in the same downstream, if there is one already.
  @inlinable
  func step(in downstream: Downstream<Value, Failure>) -> Signal? {
    if downstream.scope.isCancelled { return nil }
    switch kind {
    case .create(let start):
      let gate = Gate(next: downstream.next, end: downstream.end)
      downstream.scope.hold(gate)
      gate.start(start, SourceToken(gate, under: downstream.pressure, downstream.starts))
      return nil
    case .ready(let value): downstream.end(.last(value))
    case .empty: downstream.end(.completed)
    case .failed(let failure): downstream.end(.failed(failure))
    case .deferred(let make): return make()
    case .named(let source): return source.makeSignal()
    case .stage(let start): return start(downstream)
    case .chain(let chain): return chain.runner(chain, downstream)
    }
    return nil
  }

  /// Starts the work and delivers its events to a handler.
  ///
  /// The handler runs on the thread from which the work sends, and its calls never overlap. A signal of ready values
  /// delivers them before this method returns.
  /// - Parameter onEvent: Receives every event. It is released on termination and on disposal.
  /// - Returns: A handle that stops the work. Discarding it does not stop the work.
  @inlinable
  @discardableResult
  public func subscribe(_ onEvent: @escaping @Sendable (Event<Value, Failure>) -> Void) -> Disposable {
    subscribe(under: nil, onEvent)
  }

  /// Subscribes with the back-pressure of a buffer further downstream, which sources can check.
  @inlinable
  package func subscribe(
    under pressure: Pressure?, _ onEvent: consuming @escaping @Sendable (Event<Value, Failure>) -> Void
  ) -> Disposable {
    switch kind {
    case .create(let start):
      let gate = Gate(subscriber: onEvent)
      let handle = Disposable(source: gate)
      gate.start(start, pressure.map { SourceToken(gate, under: $0, nil) })
      return handle
    case .ready(let value):
      return deliver(value, to: onEvent)
    case .deferred, .named:
      return resolved().subscribe(under: pressure, onEvent)
    default:
      let handle = Disposable()
      run(in: Root(handle, onEvent).downstream(under: pressure))
      return handle
    }
  }

  // Apart, as Swift 6.1 calls a closure that is a consuming parameter only once.
  @inlinable
  func deliver(_ value: Value, to onEvent: (Event<Value, Failure>) -> Void) -> Disposable {
    onEvent(.value(value))
    onEvent(.completed)
    return .finished()
  }

  /// Subscribes as the work of an observer, so that its disposal stops the signal even while it starts.
  ///
  /// The handle's teardown runs when the work ends, before the end is delivered. The result is `nil`, for the closure
  /// that starts the observer's work.
  @inlinable
  package func subscribe<Output, Problem>(
    for observer: Observer<Output, Problem>, with handle: Disposable = Disposable(), under pressure: Pressure? = nil,
    _ onEvent: @escaping @Sendable (Event<Value, Failure>) -> Void
  ) -> Disposable? {
    observer.hold(handle)
    subscribe(with: handle, under: pressure) { event in
      // Before the end is delivered, which may start the next attempt.
      if event.isTerminal { handle.release() }
      onEvent(event)
    }
    return nil
  }

  /// Subscribes with a handle that exists already, so that the work can be stopped while it starts.
  @inlinable
  package func subscribe(
    with handle: Disposable, under pressure: Pressure? = nil,
    _ onEvent: @escaping @Sendable (Event<Value, Failure>) -> Void
  ) {
    run(in: Root(handle, onEvent).downstream(under: pressure))
  }

  /// Subscribes as the next work of a scope, after disposing the scope's previous work.
  ///
  /// The end of the work does not dispose the scope. In a disposed scope nothing starts.
  @inlinable
  package func subscribe(
    in scope: Disposable, under pressure: Pressure? = nil,
    _ onEvent: @escaping @Sendable (Event<Value, Failure>) -> Void
  ) {
    if scope.isCancelled { return }
    switch kind {
    case .create(let start):
      let gate = Gate(subscriber: onEvent)
      scope.hold(gate)
      // With a token, because a source that drops its observer must end the scope's work.
      if !gate.isDisposed { gate.start(start, SourceToken(gate, under: pressure, nil)) }
    case .deferred, .named:
      resolved().subscribe(in: scope, under: pressure, onEvent)
    default:
      let handle = Disposable()
      scope.hold(handle)
      run(in: Root(handle, onEvent).downstream(under: pressure))
    }
  }

  /// Starts the work and delivers its events to one closure per kind of event; see ``subscribe(_:)``.
  ///
  /// - Parameters:
  ///   - onValue: Receives the values.
  ///   - onFailure: Receives the failure. It may be omitted only if the signal cannot fail.
  ///   - onCompletion: Runs when the signal has completed. Default: no action.
  /// - Returns: A handle that stops the work. Discarding it does not stop the work.
  @inlinable
  @discardableResult
  public func subscribe(
    onValue: @escaping @Sendable (Value) -> Void,
    onFailure: @escaping @Sendable (Failure) -> Void,
    onCompletion: @escaping @Sendable () -> Void = {}
  ) -> Disposable {
    let signal = resolved()
    if let handle = signal.deliver(to: onValue, onCompletion) { return handle }
    return signal.subscribe { (event: Event<Value, Failure>) in
      switch event {
      case .value(let value): onValue(value)
      case .failed(let failure): onFailure(failure)
      case .completed: onCompletion()
      }
    }
  }

  /// Delivers a ready value and returns a finished handle, or returns `nil` if the signal must be subscribed to.
  ///
  /// Passing a closure for events would allocate.
  @inlinable
  func deliver(to onValue: (Value) -> Void, _ onCompletion: () -> Void) -> Disposable? {
    guard case .ready(let value) = kind else { return nil }
    onValue(value)
    onCompletion()
    return .finished()
  }
}

extension Signal: CustomStringConvertible {
  /// The types of the signal's values and failures, such as `Signal<Int, Never>`.
  public var description: String { "Signal<\(Value.self), \(Failure.self)>" }
}
