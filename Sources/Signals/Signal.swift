/// A cold, cancellable stream of values: each subscription starts its own work and can stop it.
///
/// Nothing happens before ``subscribe(_:)``; two subscriptions do the work twice. A subscription delivers
/// `value* (failed | completed)?`, one event at a time, on whatever thread the work sends from unless
/// ``observe(on:)`` says otherwise. Disposing it stops the work and is silent. `Docs/SignalContract.md` lists
/// every promise by number.
///
/// ```swift
/// let answer = Signal<Int, Never>.just(20).map { $0 + 1 }.flatMap { .just($0 * 2) }
/// answer.subscribe(onValue: { print($0) })  // 42
/// ```
@frozen
public struct Signal<Value: Sendable, Failure: Error>: Sendable {
  /// What a subscription has to do.
  ///
  /// Ready values stand apart from work, so that flattening skips the subscription.
  @usableFromInline
  enum Kind: Sendable {
    case ready(Value)
    case empty
    case failed(Failure)
    /// Another signal, found at subscription.
    case deferred(@Sendable () -> Signal)
    /// The same, by a source that has a name.
    case named(any NamedSource<Value, Failure>)
    /// The caller's work.
    case create(@Sendable (Observer<Value, Failure>) -> Disposable?)
    /// An operator's work. It may return a signal to run next into the same downstream ("tail call"): the caller runs
    /// tails in a loop, which is why a chain of a million of them needs no stack.
    case stage(@Sendable (Downstream<Value, Failure>) -> Signal?)
    /// Signals one after another, as `concat` nests them.
    case chain(Chain<Value, Failure>)
  }

  @usableFromInline let kind: Kind

  @inlinable
  init(_ kind: Kind) {
    self.kind = kind
  }

  /// Makes a signal from work that sends events to an observer.
  ///
  /// - Parameter start: runs once for each subscription, on the subscriber's thread. It returns what stops the work,
  ///   or `nil`; that is disposed at the end, on disposal, or at once if the signal has ended by the time it returns.
  @inlinable
  public init(_ start: @escaping @Sendable (Observer<Value, Failure>) -> Disposable?) {
    kind = .create(start)
  }

  /// A signal that an operator runs into the subscriber's downstream.
  @inlinable
  static func stage(_ start: @escaping @Sendable (Downstream<Value, Failure>) -> Signal?) -> Signal {
    Signal(.stage(start))
  }

  /// This signal with any `deferred` layers resolved.
  @inlinable
  consuming func settled() -> Signal {
    var signal = self
    while true {
      switch signal.kind {
      case .deferred(let make): signal = make()
      case .named(let source): signal = source.makeSignal()
      default: return signal
      }
    }
  }

  /// Runs the signal, and every tail after it in a loop.
  @inlinable
  func run(in downstream: Downstream<Value, Failure>) {
    var tail = step(in: downstream)
    while let signal = tail { tail = signal.step(in: downstream) }
  }

  /// Runs the signal; returns the one to run next into the same downstream, if it is known already.
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
    case .chain(let chain): return chain.run(in: downstream)
    }
    return nil
  }

  /// Starts the work and delivers its events to a handler.
  ///
  /// The handler runs on the thread that the work sends from, never on two at once; a signal that is ready delivers
  /// before this returns.
  /// - Parameter onEvent: receives every event; it is released at the end and on disposal.
  /// - Returns: the handle that stops the work. Discarding it does not.
  @inlinable
  @discardableResult
  public func subscribe(_ onEvent: @escaping @Sendable (Event<Value, Failure>) -> Void) -> Disposable {
    subscribe(under: nil, onEvent)
  }

  /// Subscribes with a buffer further downstream: sources can ask how many values wait there.
  @inlinable
  package func subscribe(
    under pressure: Pressure?, _ onEvent: @escaping @Sendable (Event<Value, Failure>) -> Void
  ) -> Disposable {
    switch kind {
    case .create(let start):
      let gate = Gate(subscriber: onEvent)
      let handle = Disposable(source: gate)
      gate.start(start, pressure.map { SourceToken(gate, under: $0, nil) })
      return handle
    case .ready(let value):
      onEvent(.value(value))
      onEvent(.completed)
      return .finished()
    case .deferred, .named:
      return settled().subscribe(under: pressure, onEvent)
    default:
      let handle = Disposable()
      run(in: Root(handle, onEvent).downstream(under: pressure))
      return handle
    }
  }

  /// Starts the work and delivers its events to a closure for each kind.
  ///
  /// - Parameters:
  ///   - onValue: receives the values.
  ///   - onFailure: receives the failure. Only a signal that cannot fail may leave it out.
  ///   - onCompletion: runs when the signal has completed. Default: nothing happens.
  /// - Returns: the handle that stops the work. Discarding it does not.
  @inlinable
  @discardableResult
  public func subscribe(
    onValue: @escaping @Sendable (Value) -> Void,
    onFailure: @escaping @Sendable (Failure) -> Void,
    onCompletion: @escaping @Sendable () -> Void = {}
  ) -> Disposable {
    subscribe { (event: Event<Value, Failure>) in
      switch event {
      case .value(let value): onValue(value)
      case .failed(let failure): onFailure(failure)
      case .completed: onCompletion()
      }
    }
  }
}

extension Signal where Failure == Never {
  /// Starts the work of a signal that cannot fail and delivers its events to a closure for each kind.
  ///
  /// - Parameters:
  ///   - onValue: receives the values.
  ///   - onCompletion: runs when the signal has completed. Default: nothing happens.
  /// - Returns: the handle that stops the work. Discarding it does not.
  @inlinable
  @discardableResult
  @_disfavoredOverload
  public func subscribe(
    onValue: @escaping @Sendable (Value) -> Void, onCompletion: @escaping @Sendable () -> Void = {}
  ) -> Disposable {
    subscribe { (event: Event<Value, Failure>) in
      switch event {
      case .value(let value): onValue(value)
      case .completed: onCompletion()
      }
    }
  }
}
