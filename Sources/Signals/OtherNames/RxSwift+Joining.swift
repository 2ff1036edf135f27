// The names of RxSwift and RxCocoa, unavailable: the compiler's message or fix-it says what to write. The signatures are RxSwift's, so
// that the rest of the line is understood and this is the only error.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

@available(*, unavailable, message: "Write Signal.zip(a, b, c)")
public func zip<A: SignalConvertible, B: SignalConvertible, C: SignalConvertible>(
  _ a: A, _ b: B, _ c: C
) -> Signal<(A.Value, B.Value, C.Value), A.Failure> { .empty }

@available(*, unavailable, message: "Write Signal.combineLatest(a, b, c)")
public func combineLatest<A: SignalConvertible, B: SignalConvertible, C: SignalConvertible>(
  _ a: A, _ b: B, _ c: C
) -> Signal<(A.Value, B.Value, C.Value), A.Failure> { .empty }

extension Signal {
  @available(*, unavailable, message: "Write Signal.zip(a, b, c).map { … }")
  public static func zip<A: Sendable, B: Sendable, C: Sendable, Problem: Error>(
    _ a: Signal<A, Problem>, _ b: Signal<B, Problem>, _ c: Signal<C, Problem>,
    resultSelector: @escaping @Sendable (A, B, C) -> Value
  ) -> Signal<Value, Problem> { .empty }

  @available(*, unavailable, message: "Write Signal.combineLatest(a, b, c).map { … }")
  public static func combineLatest<A: Sendable, B: Sendable, C: Sendable, Problem: Error>(
    _ a: Signal<A, Problem>, _ b: Signal<B, Problem>, _ c: Signal<C, Problem>,
    resultSelector: @escaping @Sendable (A, B, C) -> Value
  ) -> Signal<Value, Problem> { .empty }
}

extension Signal where Failure == any Error {
  @available(*, unavailable, message: "Write Signal.zip(a, b, c)")
  public static func zip<A: Sendable, B: Sendable, C: Sendable, Problem: Error>(
    _ a: Signal<A, Problem>, _ b: Signal<B, Problem>, _ c: Signal<C, Problem>,
    _ noTrailingClosure: () -> Void = {}
  ) -> Signal<(A, B, C), Problem> where Value == (A, B, C) { .empty }

  @available(*, unavailable, message: "Write Signal.zip([a, b])")
  public static func zip<Problem: Error>(_ signals: [Signal<Value, Problem>]) -> Signal<[Value], Problem> { .empty }

  @available(*, unavailable, message: "Write Signal.combineLatest(a, b, c)")
  public static func combineLatest<A: Sendable, B: Sendable, C: Sendable, Problem: Error>(
    _ a: Signal<A, Problem>, _ b: Signal<B, Problem>, _ c: Signal<C, Problem>,
    _ noTrailingClosure: () -> Void = {}
  ) -> Signal<(A, B, C), Problem> where Value == (A, B, C) { .empty }

  @available(*, unavailable, message: "Write Signal.combineLatest([a, b])")
  public static func combineLatest<Problem: Error>(_ signals: [Signal<Value, Problem>]) -> Signal<[Value], Problem> {
    .empty
  }
}

extension Signal {
  @available(*, unavailable, message: "Write on(start:) and finally { … }; load(into:on:) stores that it is loading")
  public func trackActivity<Indicator>(_ indicator: Indicator) -> Signal { self }

  @available(*, unavailable, message: "Write on(failure:); load(into:on:) stores the error")
  public func trackError<Tracker>(_ tracker: Tracker) -> Signal { self }

  @available(*, unavailable, message: "Write compactMap { $0.value }")
  public func elements<Element: Sendable, Problem: Error>() -> Signal<Element, Failure>
  where Value == Event<Element, Problem> { .empty }

  @available(*, unavailable, message: "Write compactMap { $0.failure }")
  public func errors<Element: Sendable, Problem: Error>() -> Signal<Problem, Failure>
  where Value == Event<Element, Problem> { .empty }

  @available(*, unavailable, renamed: "replaceFailure(with:)")
  public func catchAndReturn<Problem: Error>(_ value: Value) -> Signal<Value, Problem> { .empty }

  @available(*, unavailable, renamed: "replaceFailure(with:)")
  public func catchErrorJustReturn<Problem: Error>(_ value: Value) -> Signal<Value, Problem> { .empty }

  @available(*, unavailable, message: "Write try await signal.value()")
  public func single() -> Signal { self }

  @available(
    *, unavailable, renamed: "subscribe(onValue:onFailure:onCompletion:)",
    message: "for a view model subscribeOnMain(onValue:onFailure:onCompletion:)"
  )
  @discardableResult
  public func subscribe(
    onCompleted: (@MainActor @Sendable () -> Void)?, onError: (@MainActor @Sendable (Failure) -> Void)?
  ) -> Disposable { .finished() }
}

extension DisposeBag {
  @available(*, unavailable, renamed: "add(_:)")
  public func insert(_ handles: Disposable...) {}
}
