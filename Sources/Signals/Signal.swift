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
    /// The caller's work.
    case create(@Sendable (Observer<Value, Failure>) -> Disposable?)
    /// An operator's work. It may return a signal to run next in the same place ("tail signal"): the caller drives
    /// tails in a loop, which is why a chain of a million of them needs no stack.
    case stage(@Sendable (Continuation<Value, Failure>) -> Signal?)
    /// Signals one after another, as `concat` piles them up.
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

  /// A signal that an operator runs in the place of its subscriber.
  @inlinable
  static func stage(_ start: @escaping @Sendable (Continuation<Value, Failure>) -> Signal?) -> Signal {
    Signal(.stage(start))
  }

  /// This signal, or what it comes to when it is merely deferred.
  @inlinable
  consuming func settled() -> Signal {
    guard case .deferred(let make) = kind else { return self }
    var signal = make()
    while case .deferred(let make) = signal.kind { signal = make() }
    return signal
  }

  /// Runs the signal in a place, and every tail signal after it in a loop.
  @inlinable
  func run(in place: Continuation<Value, Failure>) {
    var tail = step(in: place)
    while let signal = tail { tail = signal.step(in: place) }
  }

  /// Runs the signal in a place; returns the one to run there next, if there is one already.
  @inlinable
  func step(in place: Continuation<Value, Failure>) -> Signal? {
    if place.scope.isCancelled { return nil }
    switch kind {
    case .create(let start):
      let emitter = Emitter<Value, Failure>(next: place.sink.next, end: place.sink.end)
      place.scope.hold(emitter)
      emitter.start(start, under: place.sink.pressure)
      return nil
    case .ready(let value): place.sink.end(.last(value))
    case .empty: place.sink.end(.completed)
    case .failed(let failure): place.sink.end(.failed(failure))
    case .deferred(let make): return make()
    case .stage(let start): return start(place)
    case .chain(let chain):
      if let first = chain.first { return Sequel.run(first, then: chain.signal, in: place) }
      return Sequel.run(chain.signals, from: 0, in: place)
    }
    return nil
  }

  /// Starts the work and delivers its events to a handler.
  ///
  /// The handler runs on the thread that the work sends from, never on two at once; a signal that is ready delivers
  /// before this returns.
  /// - Parameter onEvent: receives every event; it is freed at the end and on disposal.
  /// - Returns: the handle that stops the work. Discarding it does not.
  @inlinable
  @discardableResult
  public func subscribe(_ onEvent: @escaping @Sendable (Event<Value, Failure>) -> Void) -> Disposable {
    subscribe(under: nil, onEvent)
  }

  /// Subscribes for somebody beyond whom values may queue: sources can ask how many.
  @inlinable
  package func subscribe(
    under pressure: Pressure?, _ onEvent: @escaping @Sendable (Event<Value, Failure>) -> Void
  ) -> Disposable {
    switch kind {
    case .create(let start):
      let emitter = Emitter<Value, Failure>(subscriber: onEvent)
      let handle = Disposable(work: emitter)
      emitter.start(start, under: pressure)
      return handle
    case .ready(let value):
      onEvent(.value(value))
      onEvent(.completed)
      return .finished()
    case .deferred:
      return settled().subscribe(under: pressure, onEvent)
    default:
      let root = Root(onEvent)
      let handle = Disposable(subscriber: root)
      root.handle = handle
      run(in: Continuation(sink: root.sink(under: pressure), scope: handle))
      return handle
    }
  }

  /// Starts the work and delivers its events to a closure for each kind.
  ///
  /// - Parameters:
  ///   - onValue: receives the values.
  ///   - onFailure: receives the failure. Default: nothing happens.
  ///   - onCompletion: runs when the signal has completed. Default: nothing happens.
  /// - Returns: the handle that stops the work. Discarding it does not.
  @inlinable
  @discardableResult
  @_disfavoredOverload
  public func subscribe(
    onValue: @escaping @Sendable (Value) -> Void = { _ in },
    onFailure: @escaping @Sendable (Failure) -> Void = { _ in },
    onCompletion: @escaping @Sendable () -> Void = {}
  ) -> Disposable {
    subscribe { event in
      switch event {
      case .value(let value): onValue(value)
      case .failed(let failure): onFailure(failure)
      case .completed: onCompletion()
      }
    }
  }
}
