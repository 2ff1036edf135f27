// The names of RxSwift and RxCocoa, unavailable: the compiler's message or fix-it says what to write. The signatures are RxSwift's, so
// that the rest of the line is understood and this is the only error.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

extension SignalConvertible {
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

  @available(*, unavailable, message: "Write flatten(.merge), or flatMap { … } in place of map { … }")
  public func merge<Inner: Sendable, Problem: Error>() -> Signal<Inner, Problem>
  where Value == Signal<Inner, Problem> { .empty }

  @available(
    *, unavailable,
    message:
      "Write flatMap { f($0) }, or the strategy first: flatMap(.latest, f), .merge, .concat or .exhaust; if the failures differ, mapError"
  )
  public func flatMap<Output: Sendable, Problem: Error>(
    _ transform: @escaping @MainActor @Sendable (Value) -> Signal<Output, Problem>
  ) -> Signal<Output, Problem> { .empty }

  @available(*, unavailable, message: "Write flatten(.concat), or flatMap(.concat) { … } in place of map { … }")
  public func concat<Inner: Sendable, Problem: Error>() -> Signal<Inner, Problem>
  where Value == Signal<Inner, Problem> { .empty }

  @available(*, unavailable, renamed: "then(_:)")
  public func andThen<Output: Sendable, Problem: Error>(_ next: some SignalConvertible<Output, Problem>) -> Signal<
    Output, Problem
  > { .empty }

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

  @available(*, unavailable, renamed: "take(until:)")
  public func takeUntil<Other: Sendable, Problem: Error>(
    _ trigger: some SignalConvertible<Other, Problem>
  ) -> Signal<Value, Failure> { signal }

  @available(*, unavailable, renamed: "skip(until:)")
  public func skipUntil<Other: Sendable, Problem: Error>(
    _ trigger: some SignalConvertible<Other, Problem>
  ) -> Signal<Value, Failure> { signal }

  @available(*, unavailable, message: "Write then(.empty)")
  public func ignoreElements() -> Signal<Value, Failure> { signal }

  @available(*, unavailable, message: "Write then(.empty)")
  public func ignoreElements<Output: Sendable>() -> Signal<Output, Failure> { .empty }

  @available(*, unavailable, message: "Write scan(into: seed) { … } with a counter in the seed")
  public func enumerated() -> Signal<(index: Int, element: Value), Failure> { .empty }

  @available(*, unavailable, message: "Write skip(index).take(1)")
  public func elementAt(_ index: Int) -> Signal<Value, Failure> { signal }

  @available(*, unavailable, message: "Write skip(index).take(1)")
  public func element(at index: Int) -> Signal<Value, Failure> { signal }

  @available(*, unavailable, message: "Leave it out: a Signal is the only type; first() takes one value")
  public func asSingle() -> Signal<Value, Failure> { signal }

  @available(*, unavailable, message: "Leave it out: a Signal is the only type; first() takes one value")
  public func asMaybe() -> Signal<Value, Failure> { signal }

  @available(*, unavailable, message: "Write map { _ in }, or then(.empty) for the completion alone")
  public func asCompletable() -> Signal<Void, Failure> { .empty }

  @available(*, unavailable, message: "Write bound(to: owner).subscribeOnMain(onValue: { [weak owner] value in … })")
  public func withUnretained<Owner: AnyObject & Sendable>(_ owner: Owner) -> Signal<(Owner, Value), Failure> { .empty }

  @available(*, unavailable, message: "Write bound(to: owner), and [weak owner] in the closure of map")
  public func withUnretained<Owner: AnyObject, Output: Sendable>(
    _ owner: Owner, resultSelector: @escaping @Sendable (Owner, Value) -> Output
  ) -> Signal<Output, Failure> { .empty }

  @available(*, unavailable, message: "Write try await signal.first() in an async test, or a SignalRecorder")
  public func toBlocking(timeout: Double? = nil) -> Signal<Value, Failure> { signal }
}

extension Signal {
  @available(
    *, unavailable, message: "The failures differ: write Signal<Output, Failure> for the result of the closure"
  )
  public func flatMap<Output: Sendable>(
    _ transform: @escaping @MainActor @Sendable (Value) -> Signal<Output, any Error>
  ) -> Signal<Output, Failure> { .empty }

  @available(*, unavailable, message: "Write flatten(.latest), or flatMap(.latest) { … } in place of map { … }")
  public func switchLatest<Inner: Sendable, Problem: Error>() -> Signal<Inner, Problem>
  where Value == Signal<Inner, Problem> { .empty }

  @available(
    *, unavailable,
    message:
      "Write on(start:value:failure:completion:), and finally { … } for onDispose; for a view model subscribeOnMain(onValue:), load(into:on:)"
  )
  public func `do`(
    onNext: (@MainActor @Sendable (Value) throws -> Void)? = nil,
    onSuccess: (@MainActor @Sendable (Value) throws -> Void)? = nil,
    afterNext: (@MainActor @Sendable (Value) throws -> Void)? = nil,
    afterSuccess: (@MainActor @Sendable (Value) throws -> Void)? = nil,
    onError: (@MainActor @Sendable (Failure) throws -> Void)? = nil,
    afterError: (@MainActor @Sendable (Failure) throws -> Void)? = nil,
    onCompleted: (@MainActor @Sendable () throws -> Void)? = nil,
    afterCompleted: (@MainActor @Sendable () throws -> Void)? = nil,
    onSubscribe: (@MainActor @Sendable () -> Void)? = nil, onSubscribed: (@MainActor @Sendable () -> Void)? = nil,
    onDispose: (@MainActor @Sendable () -> Void)? = nil
  ) -> Signal { self }

  @available(*, unavailable, renamed: "prepend(_:)")
  public func startWith(_ values: Value...) -> Signal { self }

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

  @available(
    *, unavailable, message: "Write collect(every:on:), which has no limit of values, or collect(count:)"
  )
  public func buffer(timeSpan: Duration, count: Int, scheduler: some SignalScheduler) -> Signal<[Value], Failure> {
    .empty
  }

  @available(*, unavailable, renamed: "observe(on:)")
  public func observeOn(_ scheduler: some SignalScheduler) -> Signal { self }

  @available(*, unavailable, renamed: "subscribe(on:)")
  public func subscribeOn(_ scheduler: some SignalScheduler) -> Signal { self }

  @available(*, unavailable, renamed: "take(while:)")
  public func takeWhile(_ isIncluded: @escaping @Sendable (Value) -> Bool) -> Signal { self }

  @available(*, unavailable, renamed: "skip(while:)")
  public func skipWhile(_ isExcluded: @escaping @Sendable (Value) -> Bool) -> Signal { self }

  @available(*, unavailable, message: "Write last() for takeLast(1)")
  public func takeLast(_ count: Int) -> Signal { self }

  @available(
    *, unavailable,
    message:
      "Write share(replay: count): it replays while there are subscribers, and always after the end of its source, which does not start again"
  )
  public func share(replay count: Int, scope: SubjectLifetimeScope) -> Signal { self }

  @available(*, unavailable, message: "Write share(replay: count), which starts with the first subscriber")
  public func replay(_ count: Int) -> Signal { self }

  @available(*, unavailable, message: "Write share(), which starts with the first subscriber")
  public func publish() -> Signal { self }

  @available(*, unavailable, message: "Leave it out: share() counts its subscribers")
  public func refCount() -> Signal { self }

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
  public func `repeat`(
    every interval: Duration = .zero, on scheduler: some SignalScheduler = .global
  ) -> Signal { self }

  @available(*, unavailable, message: "Leave it out: a Signal is the only type")
  public func asObservable() -> Signal { self }

  @available(*, unavailable, message: "Write Signal.timer(after: interval).then(signal)")
  public func delaySubscription(_ interval: Duration, scheduler: some SignalScheduler = .global) -> Signal { self }

  @available(*, unavailable, message: "Write retry(when: { _, _ in true })")
  public func retry() -> Signal { self }
}
