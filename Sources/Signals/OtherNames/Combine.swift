// The names of Combine, unavailable: the compiler's message or fix-it says what to write. The signatures are Combine's, so that the
// rest of the line is understood and this is the only error.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

@available(*, unavailable, renamed: "Signal")
public typealias AnyPublisher<Output: Sendable, Failure: Error> = Signal<Output, Failure>

@available(*, unavailable, renamed: "PublishSubject")
public typealias PassthroughSubject<Output: Sendable, Failure: Error> = PublishSubject<Output, Failure>

@available(*, unavailable, message: "Write CurrentValue(value), which has no failure type")
public typealias CurrentValueSubject<Output: Sendable, Failure: Error> = CurrentValue<Output>

@available(
  *, unavailable, message: "Use a DisposeBag, or bound(to: owner): a Disposable that is dropped does not cancel"
)
public typealias AnyCancellable = Disposable

@available(*, unavailable, message: "Write .just(value)")
public func Just<Output: Sendable>(_ output: Output) -> Signal<Output, Never> { .just(output) }

@available(*, unavailable, message: "Write .empty, a property")
public typealias Empty<Output: Sendable, Failure: Error> = Signal<Output, Failure>

@available(*, unavailable, message: "Write .fail(error)")
public typealias Fail<Output: Sendable, Failure: Error> = Signal<Output, Failure>

@available(*, unavailable, message: "Write .deferred { … }")
public func Deferred<Source: SignalConvertible>(
  _ make: @escaping @Sendable () -> Source
) -> Signal<Source.Value, Source.Failure> { .empty }

@available(
  *, unavailable,
  message: "Write Signal { observer in … } or Signal.task { … }: the work starts anew for each subscription"
)
public struct Future<Output: Sendable, Failure: Error>: SignalConvertible {
  public init(_ attempt: @escaping @Sendable (@escaping @Sendable (Result<Output, Failure>) -> Void) -> Void) {}
  public var signal: Signal<Output, Failure> { .empty }
  public func eraseToAnyPublisher() -> Signal<Output, Failure> { .empty }
}

@available(*, unavailable, message: "Write Signal.merge, Signal.zip or Signal.combineLatest")
public enum Publishers {
  public static func Zip<A: SignalConvertible, B: SignalConvertible>(
    _ a: A, _ b: B
  ) -> Signal<(A.Value, B.Value), A.Failure> { .empty }
  public static func CombineLatest<A: SignalConvertible, B: SignalConvertible>(
    _ a: A, _ b: B
  ) -> Signal<(A.Value, B.Value), A.Failure> { .empty }
  public static func Zip3<A: SignalConvertible, B: SignalConvertible, C: SignalConvertible>(
    _ a: A, _ b: B, _ c: C
  ) -> Signal<(A.Value, B.Value, C.Value), A.Failure> { .empty }
  public static func CombineLatest3<A: SignalConvertible, B: SignalConvertible, C: SignalConvertible>(
    _ a: A, _ b: B, _ c: C
  ) -> Signal<(A.Value, B.Value, C.Value), A.Failure> { .empty }
  public static func Merge<A: SignalConvertible>(_ a: A, _ b: A) -> Signal<A.Value, A.Failure> { .empty }
  public static func MergeMany<A: SignalConvertible>(_ all: [A]) -> Signal<A.Value, A.Failure> { .empty }
}

@available(*, unavailable, message: "Use Event, or onFailure: and onCompletion:")
public enum Subscribers {
  public enum Completion<Failure: Error>: Sendable {
    case finished
    case failure(Failure)
  }
  public struct Demand: Sendable {
    public static let unlimited = Demand()
    public static func max(_ count: Int) -> Demand { Demand() }
  }
}

extension Signal {
  @available(*, unavailable, message: "Write Signal.empty")
  public init(completeImmediately: Bool = true) { self = .empty }

  @available(*, unavailable, message: "Write Signal.fail(error)")
  public init(error: Failure) { self = .fail(error) }

  @available(*, unavailable, message: "Write Signal.fail(error)")
  public init(outputType: Value.Type, failure: Failure) { self = .fail(failure) }

  @available(
    *, unavailable,
    message:
      "Write subscribe(onValue:onFailure:onCompletion:), for a view model subscribeOnMain, and keep its handle with disposed(by:): dropping it does not cancel"
  )
  @discardableResult
  public func sink(
    receiveCompletion: @escaping @MainActor @Sendable (Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping @MainActor @Sendable (Value) -> Void
  ) -> Disposable { .finished() }

  @available(*, unavailable, message: "Write observe(on:); for a view model, subscribeOnMain(onValue:)")
  public func receive(on scheduler: some SignalScheduler) -> Signal { self }

  @available(*, unavailable, message: "Write observe(on: .main); for a view model, subscribeOnMain(onValue:)")
  public func receive<Scheduler>(on scheduler: Scheduler) -> Signal { self }

  @available(*, unavailable, message: "Write on(value:failure:completion:dispose:), where dispose is receiveCancel")
  public func handleEvents(
    receiveSubscription: (@MainActor @Sendable (Any) -> Void)? = nil,
    receiveOutput: (@MainActor @Sendable (Value) -> Void)? = nil,
    receiveCompletion: (@MainActor @Sendable (Subscribers.Completion<Failure>) -> Void)? = nil,
    receiveCancel: (@MainActor @Sendable () -> Void)? = nil
  ) -> Signal { self }

  @available(*, unavailable, message: "Leave it out: a Signal is the same type after every operator")
  public func eraseToAnyPublisher() -> Signal { self }

  @available(*, unavailable, renamed: "replaceFailure(with:)")
  public func replaceError(with value: Value) -> Signal<Value, Never> { .just(value) }

  @available(*, unavailable, renamed: "ifEmpty(_:)")
  public func replaceEmpty(with value: Value) -> Signal { self }

  @available(*, unavailable, message: "Write map { $0 ?? value }")
  public func replaceNil<Wrapped: Sendable>(with value: Wrapped) -> Signal<Wrapped, Failure> where Value == Wrapped? {
    .empty
  }

  @available(*, unavailable, renamed: "distinctUntilChanged()")
  public func removeDuplicates() -> Signal where Value: Equatable { self }

  @available(*, unavailable, renamed: "distinctUntilChanged(by:)")
  public func removeDuplicates(by areSame: @escaping @Sendable (Value, Value) -> Bool) -> Signal { self }

  @available(*, unavailable, renamed: "merge(_:)")
  public func merge(
    with other: any SignalConvertible<Value, Failure>, _ others: any SignalConvertible<Value, Failure>...
  ) -> Signal { self }

  @available(*, unavailable, message: "Write flatten(.latest), or flatMap(.latest) { … } in place of map { … }")
  public func switchToLatest<Inner: Sendable, Problem: Error>() -> Signal<Inner, Problem>
  where Value == Signal<Inner, Problem> { .empty }

  @available(*, unavailable, message: "Write flatMap(.merge(maxConcurrent: n)) { … }")
  public func flatMap<Output: Sendable, Problem: Error>(
    maxPublishers: Subscribers.Demand, _ transform: @escaping @Sendable (Value) -> Signal<Output, Problem>
  ) -> Signal<Output, Problem> { .empty }

  @available(*, unavailable, message: "Write then(.empty)")
  public func ignoreOutput() -> Signal { self }

  @available(*, unavailable, renamed: "take(_:)")
  public func prefix(_ count: Int) -> Signal { self }

  @available(*, unavailable, renamed: "take(while:)")
  public func prefix(while isIncluded: @escaping @Sendable (Value) -> Bool) -> Signal { self }

  @available(*, unavailable, renamed: "take(until:)")
  public func prefix<Other: Sendable>(untilOutputFrom trigger: some SignalConvertible<Other, Failure>) -> Signal {
    self
  }

  @available(*, unavailable, message: "Write skip(count), or skip(1) for dropFirst()")
  public func dropFirst(_ count: Int = 1) -> Signal { self }

  @available(*, unavailable, renamed: "skip(while:)")
  public func drop(while isExcluded: @escaping @Sendable (Value) -> Bool) -> Signal { self }

  @available(*, unavailable, renamed: "skip(until:)")
  public func drop<Other: Sendable>(untilOutputFrom trigger: some SignalConvertible<Other, Failure>) -> Signal { self }

  @available(*, unavailable, message: "Write filter { … }.first()")
  public func first(where isIncluded: @escaping @Sendable (Value) -> Bool) -> Signal { self }

  @available(*, unavailable, message: "Write filter { … }.last()")
  public func last(where isIncluded: @escaping @Sendable (Value) -> Bool) -> Signal { self }

  @available(*, unavailable, renamed: "collect(count:)")
  public func collect(_ count: Int) -> Signal<[Value], Failure> { .empty }

  @available(*, unavailable, renamed: "debounce(_:on:)")
  public func debounce<Scheduler>(for interval: Duration, scheduler: Scheduler) -> Signal { self }

  @available(*, unavailable, renamed: "delay(_:on:)")
  public func delay<Scheduler>(for interval: Duration, scheduler: Scheduler) -> Signal { self }

  @available(
    *, unavailable, message: "Write throttle(interval, on: scheduler), which sends the first and then the latest value"
  )
  public func throttle<Scheduler>(for interval: Duration, scheduler: Scheduler, latest: Bool) -> Signal { self }

  @available(*, unavailable, message: "Write timeout(interval, failing: error, on: scheduler): a timeout is a failure")
  public func timeout<Scheduler>(_ interval: Duration, scheduler: Scheduler) -> Signal { self }

  @available(*, unavailable, message: "The signal can fail: write load(into:on:), or replaceFailure(with:) before it")
  @discardableResult
  public func assign<Owner: AnyObject>(to keyPath: ReferenceWritableKeyPath<Owner, Value>, on owner: Owner)
    -> Disposable
  { .finished() }
}

extension Signal where Failure == Never {
  @available(
    *, unavailable,
    message: "The signal cannot fail: write flatMap { value in Signal<Output, any Error>.task { try … } }"
  )
  public func tryMap<Output: Sendable>(
    _ transform: @escaping @Sendable (Value) throws -> Output
  ) -> Signal<Output, any Error> { .empty }
}

extension SignalConvertible {
  @available(*, unavailable, message: "Write assign(to: \\.property, on: self)")
  public func assign<Published>(to published: inout Published) {}

  @available(
    *, unavailable,
    message:
      "Write subscribe(onValue:onFailure:), for a view model subscribeOnMain: the signal can fail; keep its handle with disposed(by:)"
  )
  @discardableResult
  public func sink(receiveValue: @escaping @MainActor @Sendable (Value) -> Void) -> Disposable { .finished() }
}

extension SignalConvertible where Failure == Never {
  @available(
    *, unavailable,
    message:
      "Write subscribe(onValue:), for a view model subscribeOnMain(onValue:), and keep its handle with disposed(by:): dropping it does not cancel"
  )
  @discardableResult
  public func sink(receiveValue: @escaping @MainActor @Sendable (Value) -> Void) -> Disposable { .finished() }
}

extension PublishSubject {
  @available(*, unavailable, message: "Write complete() or fail(error)")
  public func send(completion: Subscribers.Completion<Failure>) {}
}

extension _Subject {
  @available(*, unavailable, renamed: "signal")
  public func eraseToAnyPublisher() -> Signal<Value, Failure> { signal }
}

extension Disposable {
  @available(*, unavailable, renamed: "dispose()")
  public func cancel() {}

  @available(*, unavailable, renamed: "disposed(by:)")
  public func store(in bag: DisposeBag) {}

  @available(*, unavailable, message: "Write disposed(by: bag) with a DisposeBag")
  public func store(in set: inout Set<Disposable>) {}
}

extension DisposeBag {
  @available(*, unavailable, renamed: "dispose()")
  public func cancel() {}
}
