// The names of RxSwift and RxCocoa, unavailable: the compiler's message or fix-it says what to write. The signatures are RxSwift's, so
// that the rest of the line is understood and this is the only error.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

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
