// The names of RxSwift and RxCocoa, unavailable: the compiler's message or fix-it says what to write. The signatures are RxSwift's, so
// that the rest of the line is understood and this is the only error.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

/// A subject, which has few operators of its own.
///
/// Members of `SignalConvertible` would be candidates for a signal, too, and slow down the compiler where a chain has an error.
public protocol _Subject<Value, Failure>: SignalConvertible {}

extension CurrentValue: _Subject {}
extension Property: _Subject {}
extension PublishSubject: _Subject {}

extension _Subject {
  @available(*, unavailable, renamed: "signal")
  public func asSignal() -> Signal<Value, Failure> { signal }

  @available(*, unavailable, renamed: "signal")
  public func asObservable() -> Signal<Value, Failure> { signal }

  @available(*, unavailable, message: "Write signal.filter { … }")
  public func filter(_ isIncluded: @escaping @Sendable (Value) -> Bool) -> Signal<Value, Failure> { signal }

  @available(*, unavailable, message: "Write signal.compactMap { … }")
  public func compactMap<Output: Sendable>(_ transform: @escaping @Sendable (Value) -> Output?)
    -> Signal<Output, Failure>
  { .empty }

  @available(*, unavailable, message: "Write signal.distinctUntilChanged()")
  public func distinctUntilChanged() -> Signal<Value, Failure> { signal }

  @available(*, unavailable, message: "Write signal.skip(count)")
  public func skip(_ count: Int) -> Signal<Value, Failure> { signal }

  @available(*, unavailable, message: "Write signal.take(count)")
  public func take(_ count: Int) -> Signal<Value, Failure> { signal }

  @available(*, unavailable, message: "Write signal.debounce(interval, on: scheduler)")
  public func debounce(_ interval: Duration, on scheduler: some SignalScheduler = .global) -> Signal<Value, Failure> {
    signal
  }

  @available(*, unavailable, message: "Write signal.observe(on: scheduler)")
  public func observe(on scheduler: some SignalScheduler) -> Signal<Value, Failure> { signal }

  @available(*, unavailable, message: "Write signal.prepend(values)")
  public func startWith(_ values: Value...) -> Signal<Value, Failure> { signal }

  @available(
    *, unavailable, message: "Write signal.on(start:value:failure:completion:), and finally { … } for onDispose"
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
  ) -> Signal<Value, Failure> { signal }

  @available(*, unavailable, message: "Write signal.scan(seed) { … }")
  public func scan<Result: Sendable>(
    _ seed: Result, _ accumulator: @escaping @Sendable (Result, Value) -> Result
  ) -> Signal<Result, Failure> { .empty }

  @available(*, unavailable, message: "Write signal.share(replay: count)")
  public func share(replay count: Int = 0) -> Signal<Value, Failure> { signal }

  @available(*, unavailable, message: "Write signal.debounce(interval, on: scheduler)")
  public func debounce(_ interval: Duration, scheduler: some SignalScheduler) -> Signal<Value, Failure> { signal }

  @available(*, unavailable, message: "Write signal.throttle(interval, on: scheduler)")
  public func throttle(
    _ interval: Duration, latest: Bool = true, scheduler: some SignalScheduler
  ) -> Signal<Value, Failure> { signal }

  @available(*, unavailable, message: "Write signal.delay(interval, on: scheduler)")
  public func delay(_ interval: Duration, scheduler: some SignalScheduler) -> Signal<Value, Failure> { signal }
}

extension SignalConvertible {
  @available(*, unavailable, renamed: "Value")
  public typealias Element = Value

  @available(
    *, unavailable, message: "Write signal.replaceFailure(with: value).share(replay: 1), and subscribeOnMain(onValue:)"
  )
  public func asDriver() -> Signal<Value, Never> { .empty }
}

extension PublishSubject {
  @available(
    *, unavailable, message: "Write signal.replaceFailure(with: value).share(replay: 1), and subscribeOnMain(onValue:)"
  )
  public func asDriver(onErrorJustReturn value: Value) -> Signal<Value, Never> { .empty }
}

extension Signal {
  @available(
    *, unavailable,
    message:
      "Write replaceFailure(with: value).share(replay: 1), and subscribeOnMain(onValue:) at the end, which delivers on the main thread"
  )
  public func asDriver(onErrorJustReturn value: Value) -> Signal<Value, Never> { .just(value) }

  @available(
    *, unavailable,
    message:
      "Write catch { _ in other }.share(replay: 1), with .empty or .never as the other; subscribeOnMain(onValue:) at the end"
  )
  public func asDriver(onErrorDriveWith other: Signal<Value, Never>) -> Signal<Value, Never> { other }

  @available(
    *, unavailable, message: "Write catch { error in … }.share(replay: 1), and subscribeOnMain(onValue:) at the end"
  )
  public func asDriver(
    onErrorRecover: @escaping @Sendable (Failure) -> Signal<Value, Never>
  ) -> Signal<Value, Never> { .empty }

  @available(
    *, unavailable, message: "Write replaceFailure(with: value).share(), and subscribeOnMain(onValue:) at the end"
  )
  public func asSignal(onErrorJustReturn value: Value) -> Signal<Value, Never> { .just(value) }

  @available(
    *, unavailable,
    message:
      "Write catch { _ in other }.share(), with .empty or .never as the other; subscribeOnMain(onValue:) at the end"
  )
  public func asSignal(onErrorSignalWith other: Signal<Value, Never>) -> Signal<Value, Never> { other }

  @available(*, unavailable, renamed: "replaceFailure(with:)")
  public func asInfallible(onErrorJustReturn value: Value) -> Signal<Value, Never> { .just(value) }
}
