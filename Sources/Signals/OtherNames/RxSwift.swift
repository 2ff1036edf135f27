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
  message:
    "Write Signal<Value, Never> with share(replay: 1), which a Driver had, and subscribeOnMain(onValue:), which delivers in a later turn"
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

@available(
  *, unavailable,
  message: "Write CurrentValue(value) for one value; share(replay: count) replays only while there are subscribers"
)
public struct ReplaySubject<Element: Sendable>: SignalConvertible {
  public init(bufferSize: Int) {}
  public static func create(bufferSize: Int) -> Self { Self(bufferSize: bufferSize) }
  public static func createUnbounded() -> Self { Self(bufferSize: 0) }
  public var signal: Signal<Element, any Error> { .empty }
}

@available(*, unavailable, message: "Write signal.last()")
public typealias AsyncSubject<Element: Sendable> = PublishSubject<Element, any Error>

@available(*, unavailable, message: "Write share(replay: count): it replays only while there are subscribers")
public enum SubjectLifetimeScope: Sendable { case whileConnected, forever }

@available(*, unavailable, renamed: "Observer")
public typealias AnyObserver<Element: Sendable> = Observer<Element, any Error>

@available(*, unavailable, renamed: "DisposeBag")
public typealias CompositeDisposable = DisposeBag

@available(
  *, unavailable,
  message: "Write .mainImmediate, which delivers at once on the main thread, or .main, which always delivers later"
)
public enum MainScheduler {
  public static var instance: DispatchScheduler { .mainImmediate }
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

  @available(*, unavailable, message: "Write Signal<Void, Never>.timer(after: interval, on: scheduler)")
  public static func timer(_ dueTime: Duration, scheduler: some SignalScheduler) -> Signal
  where Value == Int, Failure == Never {
    .empty
  }

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
