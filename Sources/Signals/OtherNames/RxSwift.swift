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
    "Write Signal<Value, Never> with share(replay: 1), which a Driver had, and subscribeOnMain(onValue:), which delivers on the main thread"
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
  message:
    "Write CurrentValue(value) for one value; share(replay: count) replays while there are subscribers, and always after the end of its source"
)
public struct ReplaySubject<Element: Sendable>: SignalConvertible {
  public init(bufferSize: Int) {}
  public static func create(bufferSize: Int) -> Self { Self(bufferSize: bufferSize) }
  public static func createUnbounded() -> Self { Self(bufferSize: 0) }
  public var signal: Signal<Element, any Error> { .empty }
  public func asObservable() -> Signal<Element, any Error> { .empty }
  public func onNext(_ value: Element) {}
  public func onError(_ failure: any Error) {}
  public func onCompleted() {}
}

@available(
  *, unavailable,
  message: "Write signal.last().share(replay: 1), subscribed to before the end: it replays the last value"
)
public typealias AsyncSubject<Element: Sendable> = PublishSubject<Element, any Error>

@available(
  *, unavailable,
  message:
    "Write share(replay: count): it replays while there are subscribers, and always after the end of its source, which does not start again"
)
public enum SubjectLifetimeScope: Sendable { case whileConnected, forever }

@available(
  *, unavailable, message: "Write PublishSubject<Value, Failure>; in Signal { observer in … } it is an Observer"
)
public typealias AnyObserver<Element: Sendable> = Observer<Element, any Error>

@available(
  *, unavailable,
  message: "Write Signal in an extension or a type, some SignalConvertible<Value, Failure> in a parameter"
)
public typealias ObservableType = SignalConvertible

@available(
  *, unavailable,
  message: "Write Signal in an extension or a type, some SignalConvertible<Value, Failure> in a parameter"
)
public typealias ObservableConvertibleType = SignalConvertible

@available(*, unavailable, message: "Write PublishSubject<Value, Failure> or CurrentValue<Value>")
public protocol ObserverType<Element>: Sendable { associatedtype Element: Sendable }

@available(*, unavailable, message: "Write extension Signal where Failure == …, Value == …: there is no trait")
public struct PrimitiveSequence<Trait: Sendable, Element: Sendable>: Sendable {}

@available(*, unavailable, message: "Write extension Signal where Failure == …, Value == …: there is no trait")
public protocol PrimitiveSequenceType<Trait, Element> {
  associatedtype Trait
  associatedtype Element
}

@available(*, unavailable, message: "Leave it out: there is no trait, a Signal is the only type")
public enum SingleTrait: Sendable {}

@available(*, unavailable, message: "Write Signal<Value, Never> with share(replay: 1)")
public struct SharedSequence<Strategy: Sendable, Element: Sendable>: Sendable {}

@available(
  *, unavailable, message: "Write assign(to: \\.property, on: object), or subscribeOnMain(onValue:) with a closure"
)
public struct Binder<Value: Sendable>: Sendable {
  public init<Target: AnyObject>(_ target: Target, binding: @escaping @MainActor @Sendable (Target, Value) -> Void) {}
}

@available(
  *, unavailable, message: "Write DisposeBag: keep it for as long as its members are to run, its deinit disposes them"
)
public typealias CompositeDisposable = DisposeBag

@available(
  *, unavailable,
  message:
    "Write a variable of the type Disposable?, and dispose the previous one before you set it; or flatMap(.latest) { … }"
)
public final class SerialDisposable: Sendable {
  public init() {}
  public var disposable: Disposable {
    get { .finished() }
    set {}
  }
  public func dispose() {}
}

@available(*, unavailable, message: "Write a variable of the type Disposable?")
public typealias SingleAssignmentDisposable = SerialDisposable

@available(*, unavailable, renamed: "Disposable")
public typealias Cancelable = Disposable

@available(
  *, unavailable,
  message: "Write .mainImmediate, which delivers at once on the main thread, or .main, which always delivers later"
)
public enum MainScheduler {
  public static var instance: DispatchScheduler { .mainImmediate }
  public static var asyncInstance: DispatchScheduler { .main }
}

@available(*, unavailable, renamed: "SignalScheduler")
public typealias SchedulerType = SignalScheduler

@available(*, unavailable, renamed: "SignalScheduler")
public typealias ImmediateSchedulerType = SignalScheduler

@available(*, unavailable, message: "Write .mainImmediate, or subscribeOnMain(onValue:) at the end of the chain")
public enum ConcurrentMainScheduler {
  public static var instance: DispatchScheduler { .mainImmediate }
}

@available(*, unavailable, message: "Write .global; or DispatchScheduler(queue)")
public typealias ConcurrentDispatchQueueScheduler = DispatchScheduler

@available(*, unavailable, message: "Write .serial(label)")
public typealias SerialDispatchQueueScheduler = DispatchScheduler

@available(*, unavailable, message: "Write .global, and flatMap(.merge(maxConcurrent: count)) for a limit")
public typealias OperationQueueScheduler = DispatchScheduler

/// The levels of `DispatchQoS`.
@available(*, unavailable, message: "Write DispatchScheduler(queue), with a queue of this class")
public enum SchedulerQoS: Sendable { case background, utility, `default`, userInitiated, userInteractive, unspecified }

extension DispatchScheduler {
  @available(*, unavailable, message: "Write DispatchScheduler(queue), with a queue of this class")
  public init(qos: SchedulerQoS) { self = .global }

  @available(*, unavailable, message: "Write DispatchScheduler(queue), with a queue of this class")
  public init<QoS>(qos: QoS) { self = .global }

  @available(*, unavailable, renamed: "init(_:)")
  public init<Queue>(queue: Queue) { self = .global }

  @available(*, unavailable, message: "Write .serial(label)")
  public init(internalSerialQueueName: String) { self = .global }

  @available(*, unavailable, message: "Write .serial(label)")
  public init<Queue>(queue: Queue, internalSerialQueueName: String) { self = .global }

  @available(*, unavailable, message: "Write .global")
  public init<Queue>(operationQueue: Queue) { self = .global }
}

@available(*, unavailable, message: "Write Disposable { … }, or return nil if there is nothing to stop")
public enum Disposables {
  public static func create(with action: @escaping @Sendable () -> Void = {}) -> Disposable { .finished() }
  public static func create(_ handle: Disposable, _ others: Disposable...) -> Disposable { .finished() }
}
