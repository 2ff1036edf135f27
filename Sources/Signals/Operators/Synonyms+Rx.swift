/// RxSwift's names of operators. Each is the same as an operator of this library.
extension Signal {
  /// The name of ``subscribe(onValue:onFailure:onCompletion:)`` in RxSwift.
  @discardableResult
  public func subscribe(
    onNext: (@Sendable (Value) -> Void)?, onError: @escaping @Sendable (Failure) -> Void,
    onCompleted: @escaping @Sendable () -> Void = {}
  ) -> Disposable {
    subscribe(onValue: { onNext?($0) }, onFailure: onError, onCompletion: onCompleted)
  }

  /// The name of ``on(start:value:failure:completion:dispose:terminate:)`` in RxSwift.
  public func `do`(
    onNext: (@Sendable (Value) -> Void)? = nil, onError: (@Sendable (Failure) -> Void)? = nil,
    onCompleted: (@Sendable () -> Void)? = nil
  ) -> Signal {
    on(value: onNext, failure: onError, completion: onCompleted)
  }

  /// The name of ``flatMap(_:_:)`` with ``FlattenStrategy/latest`` in RxSwift.
  public func flatMapLatest<Output: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Signal<Output, Failure>
  ) -> Signal<Output, Failure> {
    flatMap(.latest, transform)
  }

  /// The name of ``flatMap(_:_:)`` with ``FlattenStrategy/exhaust`` in RxSwift.
  public func flatMapFirst<Output: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Signal<Output, Failure>
  ) -> Signal<Output, Failure> {
    flatMap(.exhaust, transform)
  }

  /// The name of ``flatMap(_:_:)`` with ``FlattenStrategy/concat`` in RxSwift.
  public func concatMap<Output: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Signal<Output, Failure>
  ) -> Signal<Output, Failure> {
    flatMap(.concat, transform)
  }

  /// The name of ``prepend(_:)`` in RxSwift.
  public func startWith(_ values: Value...) -> Signal { .stage { $0.send(values) ? self : nil } }

  /// The name of ``withLatest(from:)`` in RxSwift.
  public func withLatestFrom<Other: Sendable>(
    _ other: Signal<Other, Failure>
  ) -> Signal<(Value, Other), Failure> {
    withLatest(from: other)
  }

  /// The name of ``replaceFailure(with:)`` in RxSwift.
  public func catchAndReturn(_ value: Value) -> Signal<Value, Never> { replaceFailure(with: value) }

  /// The name of ``collect()`` in RxSwift.
  public func toArray() -> Signal<[Value], Failure> { collect() }

  /// The name of ``debounce(_:on:)`` in RxSwift.
  public func debounce(_ interval: Duration, scheduler: some SignalScheduler) -> Signal {
    debounce(interval, on: scheduler)
  }

  /// The name of ``throttle(_:on:)`` in RxSwift.
  public func throttle(_ interval: Duration, scheduler: some SignalScheduler) -> Signal {
    throttle(interval, on: scheduler)
  }

  /// The name of ``delay(_:on:)`` in RxSwift.
  public func delay(_ interval: Duration, scheduler: some SignalScheduler) -> Signal { delay(interval, on: scheduler) }

  /// Subscribes again after each completion, without an end: ``poll(every:until:on:)`` until the subscription is disposed.
  public func `repeat`(every interval: Duration = .zero, on scheduler: some SignalScheduler = .global) -> Signal {
    poll(every: interval, until: { _ in false }, on: scheduler)
  }

  /// The name of ``timer(every:on:)`` in RxSwift.
  public static func interval(_ period: Duration, scheduler: some SignalScheduler = .global) -> Signal
  where Value == Int {
    timer(every: period, on: scheduler)
  }

  /// The name of ``from(_:)`` for listed values in RxSwift.
  public static func of(_ values: Value...) -> Signal { .from(values) }

  /// The name of ``fail(_:)`` in RxSwift.
  public static func error(_ failure: Failure) -> Signal { .fail(failure) }

  /// The name of ``init(_:)`` in RxSwift.
  public static func create(_ start: @escaping @Sendable (Observer<Value, Failure>) -> Disposable?) -> Signal {
    Signal(start)
  }
}

extension Signal where Failure == Never {
  /// The name of ``subscribe(onValue:onCompletion:)`` in RxSwift.
  @_disfavoredOverload
  @discardableResult
  public func subscribe(
    onNext: (@Sendable (Value) -> Void)?, onCompleted: @escaping @Sendable () -> Void = {}
  ) -> Disposable {
    subscribe(onValue: { onNext?($0) }, onCompletion: onCompleted)
  }

  /// Sends each value to a ``CurrentValue``, which the subscription retains; the name in RxSwift for a relay.
  @discardableResult
  public func bind(to target: CurrentValue<Value>) -> Disposable { subscribe(onValue: { target.send($0) }) }

  /// The name of ``assign(to:on:)-(ReferenceWritableKeyPath<Owner,Value>,_)`` in RxSwift and in key-value bindings.
  @MainActor
  @discardableResult
  public func bind<Owner: AnyObject>(
    to keyPath: ReferenceWritableKeyPath<Owner, Value>, on owner: Owner
  ) -> Disposable {
    assign(to: keyPath, on: owner)
  }
}
