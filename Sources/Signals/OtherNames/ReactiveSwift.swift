// The names of ReactiveSwift, unavailable: the compiler's message or fix-it says what to write. The signatures are ReactiveSwift's, so
// that the rest of the line is understood and this is the only error.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

@available(*, unavailable, renamed: "Signal")
public typealias SignalProducer<Value: Sendable, Failure: Error> = Signal<Value, Failure>

@available(*, unavailable, renamed: "CurrentValue")
public typealias MutableProperty<Value: Sendable> = CurrentValue<Value>

@available(*, unavailable, renamed: "Property")
public typealias AnyProperty<Value: Sendable> = Property<Value>

@available(*, unavailable, message: "Write .mainImmediate, or subscribeOnMain(onValue:) at the end of the chain")
public struct UIScheduler: SignalScheduler {
  public init() {}
  public var now: Duration { .zero }
  public func schedule(_ work: @escaping @Sendable () -> Void) {}
  public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> Disposable { .finished() }
}

@available(*, unavailable, renamed: "DispatchScheduler")
public typealias QueueScheduler = DispatchScheduler

@available(*, unavailable, renamed: "DisposeBag")
public typealias ScopedDisposable = DisposeBag

@available(*, unavailable, message: "Write Signal.combineLatest(a, b).map { … }")
public func combineLatest<A: SignalConvertible, B: SignalConvertible, Output: Sendable>(
  _ a: A, _ b: B, _ transform: @escaping @Sendable (A.Value, B.Value) -> Output
) -> Signal<Output, A.Failure> { .empty }

@available(*, unavailable, message: "Write Signal.combineLatest(a, b)")
public func combineLatest<A: SignalConvertible, B: SignalConvertible>(
  _ a: A, _ b: B
) -> Signal<(A.Value, B.Value), A.Failure> { .empty }

@available(*, unavailable, message: "Write Signal.zip(a, b)")
public func zip<A: SignalConvertible, B: SignalConvertible>(_ a: A, _ b: B) -> Signal<(A.Value, B.Value), A.Failure> {
  .empty
}

@available(*, unavailable, message: "Write Signal.merge(a, b)")
public func merge<Value: Sendable, Failure: Error>(
  _ sources: any SignalConvertible<Value, Failure>...
) -> Signal<Value, Failure> { .empty }

extension FlattenStrategy {
  @available(*, unavailable, message: "Write Signal.amb([…])")
  public static var race: FlattenStrategy { .latest }
}

extension Signal {
  @available(*, unavailable, message: "Create a PublishSubject: subject.signal, subject.send(_:)")
  public static func pipe() -> (output: Signal, input: Observer<Value, Failure>) {
    (.empty, Observer(Gate()))
  }

  @available(*, unavailable, message: "Write Signal.task { … }")
  public init(_ operation: @escaping @Sendable () async throws -> Value) where Failure == any Error { self = .empty }

  @available(*, unavailable, message: "Write Signal<Int, Never>.timer(every: interval)")
  public static func timer(every interval: Duration, on scheduler: some SignalScheduler = .global) -> Signal
  where Value == Int, Failure == Never { .empty }

  @available(*, unavailable, message: "Write poll(every: interval, until: isLast).take(limit)")
  public func poll(
    every interval: Duration, limit: Int, until isLast: @escaping @Sendable (Value) -> Bool = { _ in false },
    on scheduler: some SignalScheduler = .global
  ) -> Signal { self }

  @available(*, unavailable, message: "Write poll(every: interval, until: isLast).take(limit)")
  public func poll(
    every interval: Duration, until isLast: @escaping @Sendable (Value) -> Bool, limit: Int,
    on scheduler: some SignalScheduler = .global
  ) -> Signal { self }

  @available(*, unavailable, message: "Leave it out: a Signal is cold")
  public var producer: Signal { self }

  @available(*, unavailable, message: "Write subscribe { event in … }")
  @discardableResult
  public func start(_ onEvent: @escaping @Sendable (Event<Value, Failure>) -> Void = { _ in }) -> Disposable {
    .finished()
  }

  @available(*, unavailable, renamed: "subscribe(on:)")
  public func start(on scheduler: some SignalScheduler) -> Signal { self }

  @available(*, unavailable, message: "Write asResult().subscribe(onValue:)")
  @discardableResult
  public func startWithResult(_ action: @escaping @Sendable (Result<Value, Failure>) -> Void) -> Disposable {
    .finished()
  }

  @available(*, unavailable, message: "Write asResult().subscribe(onValue:)")
  @discardableResult
  public func observeResult(_ action: @escaping @Sendable (Result<Value, Failure>) -> Void) -> Disposable {
    .finished()
  }

  @available(*, unavailable, renamed: "catch(_:)")
  public func flatMapError<Problem: Error>(
    _ handler: @escaping @Sendable (Failure) -> Signal<Value, Problem>
  ) -> Signal<Value, Problem> { .empty }

  @available(*, unavailable, message: "Write tryMap { (value) throws(Failure) in … }")
  public func attemptMap<Output: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Result<Output, Failure>
  ) -> Signal<Output, Failure> { .empty }

  @available(*, unavailable, renamed: "distinctUntilChanged()")
  public func skipRepeats() -> Signal where Value: Equatable { self }

  @available(*, unavailable, renamed: "distinctUntilChanged(by:)")
  public func skipRepeats(_ areSame: @escaping @Sendable (Value, Value) -> Bool) -> Signal { self }

  @available(*, unavailable, message: "Write compactMap { $0 }")
  public func skipNil<Wrapped: Sendable>() -> Signal<Wrapped, Failure> where Value == Wrapped? { .empty }

  @available(*, unavailable, renamed: "pairwise()")
  public func combinePrevious() -> Signal<(previous: Value, current: Value), Failure> { .empty }

  @available(*, unavailable, renamed: "take(_:)")
  public func take(first count: Int) -> Signal { self }

  @available(*, unavailable, renamed: "skip(_:)")
  public func skip(first count: Int) -> Signal { self }

  @available(*, unavailable, message: "Write last() for take(last: 1)")
  public func take(last count: Int) -> Signal { self }

  @available(*, unavailable, message: "Write sample(on: sampler): it sends this signal's values alone")
  public func sample<Other: Sendable>(with sampler: Signal<Other, Never>) -> Signal<(Value, Other), Failure> { .empty }

  @available(
    *, unavailable, message: "Write bound(to: owner), which ends without a completion; take(during: lifetime) completes"
  )
  public func take(duringLifetimeOf owner: AnyObject) -> Signal { self }

  @available(
    *, unavailable, message: "Write bound(to: owner), which ends without a completion; take(during: lifetime) completes"
  )
  public func take(during owner: AnyObject) -> Signal { self }

  @available(*, unavailable, renamed: "debug(_:)")
  public func logEvents(identifier: String) -> Signal { self }

  @available(*, unavailable, renamed: "retry(_:)")
  public func retry(upTo count: Int) -> Signal { self }

  @available(*, unavailable, message: "Write retry(count, .constant(interval), on: scheduler)")
  public func retry(upTo count: Int, interval: Duration, on scheduler: some SignalScheduler) -> Signal { self }
}

extension Signal where Failure == Never {
  @available(
    *, unavailable,
    message: "Leave it out: a signal that cannot fail combines with one that can; else setFailureType(to:)"
  )
  public func promoteError<Problem: Error>(_ type: Problem.Type = Problem.self) -> Signal<Value, Problem> { .empty }
}

extension SignalConvertible where Failure == Never {
  @available(*, unavailable, renamed: "subscribe(onValue:)")
  @discardableResult
  public func startWithValues(_ action: @escaping @Sendable (Value) -> Void) -> Disposable { .finished() }

  @available(*, unavailable, renamed: "subscribe(onValue:)")
  @discardableResult
  public func observeValues(_ action: @escaping @Sendable (Value) -> Void) -> Disposable { .finished() }
}

extension CurrentValue {
  @available(*, unavailable, renamed: "signal")
  public var producer: Signal<Value, Never> { signal }
}

extension PublishSubject {
  @available(*, unavailable, renamed: "complete()")
  public func finish() {}

  @available(*, unavailable, renamed: "send(_:)")
  public func send(value: Value) {}

  @available(*, unavailable, renamed: "fail(_:)")
  public func send(error: Failure) {}

  @available(*, unavailable, renamed: "complete()")
  public func sendCompleted() {}
}

extension Observer {
  @available(*, unavailable, renamed: "complete()")
  public func finish() {}

  @available(*, unavailable, renamed: "send(_:)")
  public func send(value: Value) {}

  @available(*, unavailable, renamed: "fail(_:)")
  public func send(error: Failure) {}

  @available(*, unavailable, renamed: "complete()")
  public func sendCompleted() {}
}

extension Action {
  @available(*, unavailable, message: "Write execute(input), which starts at once and returns a handle")
  public func apply(_ input: Input) -> Signal<Output, Failure> { .empty }

  @available(*, unavailable, message: "Write execute(input) as a statement; its results are in values and failures")
  public func execute(_ input: Input) -> Signal<Output, Failure> { .empty }

  @available(*, unavailable, message: "Write execute(input) for each value")
  public var inputs: PublishSubject<Input, Never> { PublishSubject() }

  @available(*, unavailable, renamed: "isEnabled")
  public var enabled: Property<Bool> { isEnabled }

  @available(*, unavailable, renamed: "isExecuting")
  public var executing: Property<Bool> { isExecuting }

  @available(*, unavailable, renamed: "values")
  public var elements: Signal<Output, Never> { values }

  @available(*, unavailable, renamed: "failures")
  public var errors: Signal<Failure, Never> { failures }
}

extension Lifetime {
  @available(*, unavailable, message: "Write bound(to: object) in the chain")
  public static func of(_ object: AnyObject) -> Lifetime { Lifetime() }
}

extension Disposable {
  @available(*, unavailable, message: "Write bound(to: owner) in the chain, before subscribe")
  @discardableResult
  public func bound(to owner: AnyObject) -> Disposable { self }
}
