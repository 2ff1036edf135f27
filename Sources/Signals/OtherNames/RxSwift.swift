// The names of RxSwift and RxCocoa, unavailable: the compiler's message or fix-it says what to write. The signatures are RxSwift's, so
// that the rest of the line is understood and this is the only error.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

@available(
  *, unavailable,
  message:
    "Write Signal<Value, Failure>: the type of the failure is part of it; the macro @Observable needs import Observation"
)
public typealias Observable<Element: Sendable> = Signal<Element, any Error>

@available(*, unavailable, message: "Write Signal<Value, Failure>")
public typealias Single<Element: Sendable> = Signal<Element, any Error>

@available(*, unavailable, message: "Write Signal<Value, Failure>")
public typealias Maybe<Element: Sendable> = Signal<Element, any Error>

@available(*, unavailable, message: "Write Signal<Void, Failure>")
public typealias Completable = Signal<Void, any Error>

@available(*, unavailable, message: "Write Signal<Value, Never>")
public typealias Infallible<Element: Sendable> = Signal<Element, Never>

@available(
  *, unavailable,
  message: "Write Signal<Value, Never> with share(replay: 1), which a Driver had, and subscribeOnMain(onValue:)"
)
public typealias Driver<Element: Sendable> = Signal<Element, Never>

@available(*, unavailable, renamed: "CurrentValue")
public typealias BehaviorRelay<Element: Sendable> = CurrentValue<Element>

@available(*, unavailable, message: "Write CurrentValue(value), which never ends")
public typealias BehaviorSubject<Element: Sendable> = CurrentValue<Element>

@available(*, unavailable, message: "Write PublishSubject<Value, Never>")
public typealias PublishRelay<Element: Sendable> = PublishSubject<Element, Never>

@available(*, unavailable, message: "Write subject.signal.share(replay: count) with a PublishSubject")
public typealias ReplaySubject<Element: Sendable> = PublishSubject<Element, any Error>

@available(*, unavailable, renamed: "Observer")
public typealias AnyObserver<Element: Sendable> = Observer<Element, any Error>

@available(*, unavailable, renamed: "DisposeBag")
public typealias CompositeDisposable = DisposeBag

@available(*, unavailable, message: "Write .main, or subscribeOnMain(onValue:) at the end of the chain")
public enum MainScheduler {
  public static var instance: DispatchScheduler { .main }
  public static var asyncInstance: DispatchScheduler { .main }
}

@available(*, unavailable, message: "Write Disposable { … }, or return nil if there is nothing to stop")
public enum Disposables {
  public static func create(_ action: @escaping @Sendable () -> Void = {}) -> Disposable { .finished() }
}

extension Signal {
  // Sources.

  @available(*, unavailable, message: "Write .empty, a property")
  public static func empty(_ nothing: Void = ()) -> Signal { .empty }

  @available(*, unavailable, message: "Write .never, a property")
  public static func never(_ nothing: Void = ()) -> Signal { .never }

  @available(*, unavailable, renamed: "fail(_:)")
  public static func error(_ failure: Failure) -> Signal { .empty }

  @available(*, unavailable, message: "Write .from([a, b])")
  public static func of(_ values: Value...) -> Signal { .empty }

  @available(*, unavailable, message: "Write Signal { observer in … }")
  public static func create(_ start: @escaping @Sendable (Observer<Value, Failure>) -> Disposable?) -> Signal { .empty }

  @available(*, unavailable, renamed: "timer(every:on:)")
  public static func interval(_ period: Duration, scheduler: some SignalScheduler = .global) -> Signal
  where Value == Int { .empty }

  @available(*, unavailable, message: "Write .from(start..<start + count)")
  public static func range(start: Int, count: Int) -> Signal where Value == Int { .empty }

  @available(*, unavailable, message: "Write Signal.zip(a, b).map { … }")
  public static func zip<A: Sendable, B: Sendable>(
    _ a: some SignalConvertible<A, Failure>, _ b: some SignalConvertible<B, Failure>,
    resultSelector: @escaping @Sendable (A, B) -> Value
  ) -> Signal { .empty }

  @available(*, unavailable, message: "Write Signal.combineLatest(a, b).map { … }")
  public static func combineLatest<A: Sendable, B: Sendable>(
    _ a: some SignalConvertible<A, Failure>, _ b: some SignalConvertible<B, Failure>,
    resultSelector: @escaping @Sendable (A, B) -> Value
  ) -> Signal { .empty }

  // Operators.

  @available(*, unavailable, message: "Write flatMap(.latest) { … }")
  public func flatMapLatest<Output: Sendable, Problem: Error>(
    _ transform: @escaping @Sendable (Value) -> Signal<Output, Problem>
  ) -> Signal<Output, Problem> { .empty }

  @available(*, unavailable, message: "Write flatMap(.exhaust) { … }")
  public func flatMapFirst<Output: Sendable, Problem: Error>(
    _ transform: @escaping @Sendable (Value) -> Signal<Output, Problem>
  ) -> Signal<Output, Problem> { .empty }

  @available(*, unavailable, message: "Write flatMap(.concat) { … }")
  public func concatMap<Output: Sendable, Problem: Error>(
    _ transform: @escaping @Sendable (Value) -> Signal<Output, Problem>
  ) -> Signal<Output, Problem> { .empty }

  @available(*, unavailable, message: "Write flatten(.latest), or flatMap(.latest) { … } in place of map { … }")
  public func switchLatest<Inner: Sendable, Problem: Error>() -> Signal<Inner, Problem>
  where Value == Signal<Inner, Problem> { .empty }

  @available(*, unavailable, message: "Write on(start:value:failure:completion:dispose:)")
  public func `do`(
    onNext: (@Sendable (Value) -> Void)? = nil, onError: (@Sendable (Failure) -> Void)? = nil,
    onCompleted: (@Sendable () -> Void)? = nil, onSubscribe: (@Sendable () -> Void)? = nil,
    onDispose: (@Sendable () -> Void)? = nil
  ) -> Signal { self }

  @available(*, unavailable, renamed: "prepend(_:)")
  public func startWith(_ values: Value...) -> Signal { self }

  @available(
    *, unavailable,
    message:
      "Write withLatest(from: other).map { $1 }: withLatest(from:) sends pairs, and subscribes to the other signal first"
  )
  public func withLatestFrom<Other: Sendable, Problem: Error>(
    _ other: some SignalConvertible<Other, Problem>
  ) -> Signal<Other, Failure> { .empty }

  @available(*, unavailable, message: "Write withLatest(from: other).map { … }")
  public func withLatestFrom<Other: Sendable, Problem: Error, Output: Sendable>(
    _ other: some SignalConvertible<Other, Problem>, resultSelector: @escaping @Sendable (Value, Other) -> Output
  ) -> Signal<Output, Failure> { .empty }

  @available(*, unavailable, renamed: "replaceFailure(with:)")
  public func catchAndReturn(_ value: Value) -> Signal<Value, Never> { .just(value) }

  @available(*, unavailable, renamed: "replaceFailure(with:)")
  public func catchErrorJustReturn(_ value: Value) -> Signal<Value, Never> { .just(value) }

  @available(*, unavailable, renamed: "catch(_:)")
  public func catchError<Problem: Error>(
    _ handler: @escaping @Sendable (Failure) -> Signal<Value, Problem>
  ) -> Signal<Value, Problem> { .empty }

  @available(*, unavailable, message: "Write retry(when: { error, count in … }), or retry(count, .exponential())")
  public func retryWhen<Trigger: Sendable>(
    _ handler: @escaping @Sendable (Signal<Failure, Never>) -> Signal<Trigger, Never>
  ) -> Signal { self }

  @available(*, unavailable, renamed: "collect()")
  public func toArray() -> Signal<[Value], Failure> { .empty }

  @available(*, unavailable, renamed: "debounce(_:on:)")
  public func debounce(_ interval: Duration, scheduler: some SignalScheduler) -> Signal { self }

  @available(
    *, unavailable, message: "Write throttle(interval, on: scheduler), which sends the first and then the latest value"
  )
  public func throttle(_ interval: Duration, latest: Bool = true, scheduler: some SignalScheduler) -> Signal { self }

  @available(*, unavailable, renamed: "delay(_:on:)")
  public func delay(_ interval: Duration, scheduler: some SignalScheduler) -> Signal { self }

  @available(*, unavailable, renamed: "collect(every:on:)")
  public func buffer(timeSpan: Duration, count: Int, scheduler: some SignalScheduler) -> Signal<[Value], Failure> {
    .empty
  }

  @available(*, unavailable, renamed: "observe(on:)")
  public func observeOn(_ scheduler: some SignalScheduler) -> Signal { self }

  @available(*, unavailable, renamed: "subscribe(on:)")
  public func subscribeOn(_ scheduler: some SignalScheduler) -> Signal { self }

  @available(*, unavailable, renamed: "take(until:)")
  public func takeUntil<Other: Sendable, Problem: Error>(_ trigger: some SignalConvertible<Other, Problem>) -> Signal {
    self
  }

  @available(*, unavailable, renamed: "skip(until:)")
  public func skipUntil<Other: Sendable, Problem: Error>(_ trigger: some SignalConvertible<Other, Problem>) -> Signal {
    self
  }

  @available(*, unavailable, renamed: "take(while:)")
  public func takeWhile(_ isIncluded: @escaping @Sendable (Value) -> Bool) -> Signal { self }

  @available(*, unavailable, renamed: "skip(while:)")
  public func skipWhile(_ isExcluded: @escaping @Sendable (Value) -> Bool) -> Signal { self }

  @available(*, unavailable, message: "Write last() for takeLast(1)")
  public func takeLast(_ count: Int) -> Signal { self }

  @available(*, unavailable, message: "Write share(replay: count): it replays only while there are subscribers")
  public func share(replay count: Int, scope: Any) -> Signal { self }

  @available(*, unavailable, message: "Write share(replay: count), which starts with the first subscriber")
  public func replay(_ count: Int) -> Signal { self }

  @available(*, unavailable, message: "Write share(), which starts with the first subscriber")
  public func publish() -> Signal { self }

  @available(*, unavailable, message: "Leave it out: share() counts its subscribers")
  public func refCount() -> Signal { self }

  @available(*, unavailable, message: "Write then(.empty)")
  public func ignoreElements() -> Signal { self }

  @available(*, unavailable, message: "Write map { _ in }")
  public func mapToVoid() -> Signal<Void, Failure> { .empty }

  @available(*, unavailable, message: "Write compactMap { $0 }")
  public func unwrap<Wrapped: Sendable>() -> Signal<Wrapped, Failure> where Value == Wrapped? { .empty }

  @available(*, unavailable, message: "Write compactMap { $0 }")
  public func filterNil<Wrapped: Sendable>() -> Signal<Wrapped, Failure> where Value == Wrapped? { .empty }

  @available(*, unavailable, message: "Write scan(seed) { … }")
  public func scan<Result: Sendable>(
    _ seed: Result, accumulator: @escaping @Sendable (Result, Value) -> Result
  ) -> Signal<Result, Failure> { .empty }

  @available(*, unavailable, message: "Write poll(every:until:)")
  public func `repeat`(every interval: Duration = .zero, on scheduler: some SignalScheduler = .global) -> Signal {
    self
  }

  @available(*, unavailable, message: "Leave it out: a Signal is the only type")
  public func asObservable() -> Signal { self }

  @available(*, unavailable, message: "Leave it out: a Signal is the only type; first() takes one value")
  public func asSingle() -> Signal { self }

  @available(
    *, unavailable,
    message:
      "Write replaceFailure(with: value).share(replay: 1), and subscribeOnMain(onValue:) at the end: a Driver was shared"
  )
  public func asDriver(onErrorJustReturn value: Value) -> Signal<Value, Never> { .just(value) }

  // Subscriptions.

  @available(*, unavailable, renamed: "subscribe(onValue:onFailure:onCompletion:)")
  @discardableResult
  public func subscribe(
    onNext: (@Sendable (Value) -> Void)?, onError: (@Sendable (Failure) -> Void)? = nil,
    onCompleted: (@Sendable () -> Void)? = nil, onDisposed: (@Sendable () -> Void)? = nil
  ) -> Disposable { .finished() }

  @available(*, unavailable, renamed: "subscribe(onValue:onFailure:)")
  @discardableResult
  public func subscribe(
    onSuccess: (@Sendable (Value) -> Void)?, onFailure: (@Sendable (Failure) -> Void)? = nil
  ) -> Disposable { .finished() }
}

extension SignalConvertible where Failure == Never {
  @available(
    *, unavailable, message: "Write share(replay: 1), and subscribeOnMain(onValue:) at the end: a Driver was shared"
  )
  public func asDriver() -> Signal<Value, Never> { signal }

  @available(
    *, unavailable,
    message: "Write subscribe(onValue: { target.send($0) }): the subscription retains what the closure uses"
  )
  @discardableResult
  public func bind(to target: CurrentValue<Value>...) -> Disposable { .finished() }

  @available(
    *, unavailable,
    message: "Write subscribe(onValue: { target.send($0) }): the subscription retains what the closure uses"
  )
  @discardableResult
  public func bind<Problem: Error>(to target: PublishSubject<Value, Problem>...) -> Disposable { .finished() }

  @available(*, unavailable, renamed: "assign(to:on:)")
  @discardableResult
  public func bind<Owner: AnyObject>(to keyPath: ReferenceWritableKeyPath<Owner, Value>, on owner: Owner) -> Disposable
  {
    .finished()
  }

  @available(*, unavailable, renamed: "subscribeOnMain(onValue:)")
  @discardableResult
  public func bind(onNext: @escaping @MainActor @Sendable (Value) -> Void) -> Disposable { .finished() }

  @available(*, unavailable, renamed: "subscribeOnMain(onValue:)")
  @discardableResult
  public func drive(onNext: (@MainActor @Sendable (Value) -> Void)?) -> Disposable { .finished() }

  @available(*, unavailable, message: "Write subscribe(onValue: { target.send($0) })")
  @discardableResult
  public func drive(_ target: CurrentValue<Value>...) -> Disposable { .finished() }

  @available(*, unavailable, renamed: "subscribeOnMain(onValue:)")
  @discardableResult
  public func emit(onNext: (@MainActor @Sendable (Value) -> Void)?) -> Disposable { .finished() }
}

extension PublishSubject {
  @available(*, unavailable, renamed: "send(_:)")
  public func onNext(_ value: Value) {}

  @available(*, unavailable, renamed: "send(_:)")
  public func accept(_ value: Value) {}

  @available(*, unavailable, renamed: "fail(_:)")
  public func onError(_ failure: Failure) {}

  @available(*, unavailable, renamed: "complete()")
  public func onCompleted() {}

  @available(*, unavailable, renamed: "signal")
  public func asObservable() -> Signal<Value, Failure> { signal }
}

extension CurrentValue {
  @available(*, unavailable, renamed: "CurrentValue.init(_:)")
  public convenience init(value: Value) { self.init(value) }

  @available(*, unavailable, renamed: "send(_:)")
  public func onNext(_ value: Value) {}

  @available(*, unavailable, renamed: "send(_:)")
  public func accept(_ value: Value) {}

  @available(*, unavailable, renamed: "signal")
  public func asObservable() -> Signal<Value, Never> { signal }
}

extension Observer {
  @available(*, unavailable, renamed: "send(_:)")
  public func onNext(_ value: Value) {}

  @available(*, unavailable, renamed: "fail(_:)")
  public func onError(_ failure: Failure) {}

  @available(*, unavailable, renamed: "complete()")
  public func onCompleted() {}
}
