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

@available(*, unavailable, renamed: "CurrentValue")
public typealias Variable<Element: Sendable> = CurrentValue<Element>

@available(*, unavailable, message: "Write Action<Void, Value, Failure>, and execute(()) in the control's handler")
public typealias CocoaAction = Action<Void, Void, any Error>

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

  @available(*, unavailable, message: "Write Signal<Int, Never>.timer(every: interval, on: scheduler)")
  public static func interval(_ period: Duration, scheduler: some SignalScheduler = .global) -> Signal
  where Value == Int, Failure == Never { .empty }

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
}
