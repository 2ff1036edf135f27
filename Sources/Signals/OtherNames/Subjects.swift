// The operators of a signal, unavailable for a subject, a `CurrentValue` and a `Property`: the compiler's message says what to write.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

extension _Subject {
  @available(*, unavailable, message: "Write signal.tryMap { … }")
  public func tryMap<Output: Sendable>(
    _ transform: @escaping @Sendable (Value) throws(Failure) -> Output
  ) -> Signal<Output, Failure> { .empty }

  @available(*, unavailable, message: "Write signal.mapError { … }")
  public func mapError<Problem: Error>(
    _ transform: @escaping @Sendable (Failure) -> Problem
  ) -> Signal<Value, Problem> { .empty }

  @available(*, unavailable, message: "Write signal.setFailureType(to: type)")
  public func setFailureType<Problem: Error>(to type: Problem.Type) -> Signal<Value, Problem> { .empty }

  @available(*, unavailable, message: "Write signal.catch { … }")
  public func `catch`<Problem: Error>(
    _ recover: @escaping @Sendable (Failure) -> Signal<Value, Problem>
  ) -> Signal<Value, Problem> { .empty }

  @available(*, unavailable, message: "Write signal.replaceFailure(with: value)")
  public func replaceFailure(with value: Value) -> Signal<Value, Never> { .empty }

  @available(*, unavailable, message: "Write signal.retry(count)")
  public func retry(_ count: Int, _ backoff: Backoff = .none) -> Signal<Value, Failure> { signal }

  @available(*, unavailable, message: "Write signal.asResult()")
  public func asResult() -> Signal<Result<Value, Failure>, Never> { .empty }

  @available(*, unavailable, message: "Write signal.materialize()")
  public func materialize() -> Signal<Event<Value, Failure>, Never> { .empty }

  @available(*, unavailable, message: "Write signal.on(start:value:failure:completion:dispose:terminate:)")
  public func on(
    start: (@Sendable () -> Void)? = nil, value: (@Sendable (Value) -> Void)? = nil,
    failure: (@Sendable (Failure) -> Void)? = nil, completion: (@Sendable () -> Void)? = nil,
    dispose: (@Sendable () -> Void)? = nil, terminate: (@Sendable () -> Void)? = nil
  ) -> Signal<Value, Failure> { signal }

  @available(*, unavailable, message: "Write signal.finally { … }")
  public func finally(_ action: @escaping @Sendable () -> Void) -> Signal<Value, Failure> { signal }

  @available(*, unavailable, message: "Write signal.debug()")
  public func debug(_ name: String = "") -> Signal<Value, Failure> { signal }

  @available(*, unavailable, message: "Write signal.scan(into: seed) { … }")
  public func scan<Result: Sendable>(
    into seed: Result, _ update: @escaping @Sendable (inout Result, Value) -> Void
  ) -> Signal<Result, Failure> { .empty }

  @available(*, unavailable, message: "Write signal.reduce(seed) { … }")
  public func reduce<Result: Sendable>(
    _ seed: Result, _ accumulator: @escaping @Sendable (Result, Value) -> Result
  ) -> Signal<Result, Failure> { .empty }

  @available(*, unavailable, message: "Write signal.collect()")
  public func collect() -> Signal<[Value], Failure> { .empty }

  @available(*, unavailable, message: "Write signal.pairwise()")
  public func pairwise() -> Signal<(previous: Value, current: Value), Failure> { .empty }

  @available(*, unavailable, message: "Write signal.prepend(values)")
  public func prepend(_ values: Value...) -> Signal<Value, Failure> { signal }

  @available(*, unavailable, message: "Write signal.ifEmpty(value)")
  public func ifEmpty(_ value: Value) -> Signal<Value, Failure> { signal }

  @available(*, unavailable, message: "Write signal.take(while: { … })")
  public func take(while isIncluded: @escaping @Sendable (Value) -> Bool) -> Signal<Value, Failure> { signal }

  @available(*, unavailable, message: "Write signal.skip(while: { … })")
  public func skip(while isExcluded: @escaping @Sendable (Value) -> Bool) -> Signal<Value, Failure> { signal }

  @available(*, unavailable, message: "Write signal.take(during: lifetime)")
  public func take(during lifetime: Lifetime) -> Signal<Value, Failure> { signal }

  @available(*, unavailable, message: "Write signal.distinctUntilChanged(by: { … })")
  public func distinctUntilChanged(
    by areSame: @escaping @Sendable (Value, Value) -> Bool
  ) -> Signal<Value, Failure> { signal }

  @available(*, unavailable, message: "Write signal.delay(interval, on: scheduler)")
  public func delay(_ interval: Duration, on scheduler: some SignalScheduler = .global) -> Signal<Value, Failure> {
    signal
  }

  @available(*, unavailable, message: "Write signal.throttle(interval, on: scheduler)")
  public func throttle(_ interval: Duration, on scheduler: some SignalScheduler = .global) -> Signal<Value, Failure> {
    signal
  }

  // The last parameter takes a trailing closure, so that the one of a real operator is not read as the first argument.
  @available(*, unavailable, message: "Write signal.subscribe(on: scheduler)")
  public func subscribe(
    on scheduler: some SignalScheduler, _ noTrailingClosure: () -> Void = {}
  ) -> Signal<Value, Failure> { signal }

  @available(*, unavailable, message: "Write signal.subscribe(onValue:onFailure:onCompletion:)")
  @discardableResult
  public func subscribe(
    onValue: @escaping @Sendable (Value) -> Void, onFailure: @escaping @Sendable (Failure) -> Void,
    onCompletion: @escaping @Sendable () -> Void = {}
  ) -> Disposable { .finished() }

  @available(*, unavailable, message: "Write signal.bound(to: owner)")
  public func bound(to owner: AnyObject) -> Signal<Value, Failure> { signal }

  @available(*, unavailable, message: "Write signal.assign(to: keyPath, on: owner)")
  @discardableResult
  public func assign<Owner: AnyObject>(
    to keyPath: ReferenceWritableKeyPath<Owner, Value>, on owner: Owner
  ) -> Disposable { .finished() }

  @available(*, unavailable, message: "Write signal.assign(to: keyPath, on: owner)")
  @discardableResult
  public func assign<Owner: AnyObject>(
    to keyPath: ReferenceWritableKeyPath<Owner, Value?>, on owner: Owner
  ) -> Disposable { .finished() }

  @available(*, unavailable, message: "Write signal.values, or await signal.first()")
  public var values: AsyncValues<Value, Failure> { signal.values }
}
