// The names of RxSwift and RxCocoa, unavailable: the compiler's message or fix-it says what to write. The signatures are RxSwift's, so
// that the rest of the line is understood and this is the only error.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

extension Signal {
  @available(
    *, unavailable, message: "Write subscribe(onValue:onFailure:): the signal can fail; or subscribe { event in }"
  )
  @discardableResult
  public func subscribe(onValue: @escaping @Sendable (Value) -> Void) -> Disposable { .finished() }

  @available(*, unavailable, message: "Write subscribe { _ in }")
  @discardableResult
  public func subscribe() -> Disposable { .finished() }

  @available(*, unavailable, message: "Write bound(to: owner).subscribeOnMain(onValue: { [weak owner] value in … })")
  @discardableResult
  public func subscribe<Owner: AnyObject>(
    with owner: Owner, onNext: (@Sendable (Owner, Value) -> Void)?,
    onError: (@Sendable (Owner, Failure) -> Void)? = nil,
    onCompleted: (@Sendable (Owner) -> Void)? = nil, onDisposed: (@Sendable (Owner) -> Void)? = nil
  ) -> Disposable { .finished() }

  @available(*, unavailable, renamed: "subscribe(onValue:onFailure:onCompletion:)")
  @discardableResult
  public func subscribe(
    onNext: (@Sendable (Value) -> Void)?, onError: (@Sendable (Failure) -> Void)? = nil,
    onCompleted: (@Sendable () -> Void)? = nil, onDisposed: (@Sendable () -> Void)? = nil
  ) -> Disposable { .finished() }

  @available(*, unavailable, renamed: "subscribe(onValue:onFailure:)")
  @discardableResult
  public func subscribe(
    onSuccess: (@Sendable (Value) -> Void)?, onFailure: (@Sendable (Failure) -> Void)? = nil
  ) -> Disposable { .finished() }
}

extension SignalConvertible where Failure == Never {
  @available(*, unavailable, renamed: "subscribe(onValue:onCompletion:)")
  @discardableResult
  public func subscribe(
    onNext: (@Sendable (Value) -> Void)?, onCompleted: (@Sendable () -> Void)? = nil,
    onDisposed: (@Sendable () -> Void)? = nil
  ) -> Disposable { .finished() }

  @available(
    *, unavailable,
    message:
      "Write share(replay: 1), and subscribeOnMain(onValue:) at the end, which delivers in a later turn: a Driver was shared"
  )
  public func asDriver() -> Signal<Value, Never> { signal }

  @available(
    *, unavailable,
    message: "Write subscribe(onValue: { target.send($0) }): the subscription retains what the closure uses"
  )
  @discardableResult
  public func bind(to target: CurrentValue<Value>...) -> Disposable { .finished() }

  @available(
    *, unavailable,
    message: "Write subscribe(onValue: { target.send($0) }): the subscription retains what the closure uses"
  )
  @discardableResult
  public func bind<Problem: Error>(to target: PublishSubject<Value, Problem>...) -> Disposable { .finished() }

  @available(*, unavailable, renamed: "assign(to:on:)")
  @discardableResult
  public func bind<Owner: AnyObject>(to keyPath: ReferenceWritableKeyPath<Owner, Value>, on owner: Owner) -> Disposable
  {
    .finished()
  }

  @available(*, unavailable, renamed: "subscribeOnMain(onValue:)")
  @discardableResult
  public func bind(onNext: @escaping @MainActor @Sendable (Value) -> Void) -> Disposable { .finished() }

  @available(*, unavailable, renamed: "subscribeOnMain(onValue:)")
  @discardableResult
  public func drive(onNext: (@MainActor @Sendable (Value) -> Void)?) -> Disposable { .finished() }

  @available(*, unavailable, message: "Write subscribe(onValue: { target.send($0) })")
  @discardableResult
  public func drive(_ target: CurrentValue<Value>...) -> Disposable { .finished() }

  @available(*, unavailable, renamed: "subscribeOnMain(onValue:)")
  @discardableResult
  public func emit(onNext: (@MainActor @Sendable (Value) -> Void)?) -> Disposable { .finished() }
}

extension SignalConvertible where Failure == Never {
  @available(
    *, unavailable, message: "Write bound(to: owner).subscribeOnMain(onValue: { [weak owner] value in … })"
  )
  @discardableResult
  public func bind<Owner: AnyObject>(
    to owner: Owner, _ apply: @escaping @MainActor @Sendable (Owner, Value) -> Void
  ) -> Disposable { .finished() }

  @available(*, unavailable, renamed: "assign(to:on:)")
  @discardableResult
  public func bind<Owner: AnyObject>(to keyPath: ReferenceWritableKeyPath<Owner, Value>, for owner: Owner)
    -> Disposable
  { .finished() }
}

extension PublishSubject {
  @available(*, unavailable, renamed: "send(_:)")
  public func onNext(_ value: Value) {}

  @available(*, unavailable, renamed: "send(_:)")
  public func accept(_ value: Value) {}

  @available(*, unavailable, renamed: "fail(_:)")
  public func onError(_ failure: Failure) {}

  @available(*, unavailable, renamed: "complete()")
  public func onCompleted() {}

  @available(*, unavailable, renamed: "signal")
  public func asObservable() -> Signal<Value, Failure> { signal }
}

extension CurrentValue {
  @available(*, unavailable, renamed: "CurrentValue.init(_:)")
  public convenience init(value: Value) { self.init(value) }

  @available(*, unavailable, renamed: "send(_:)")
  public func onNext(_ value: Value) {}

  @available(*, unavailable, renamed: "send(_:)")
  public func accept(_ value: Value) {}

  @available(*, unavailable, renamed: "signal")
  public func asObservable() -> Signal<Value, Never> { signal }
}

extension Observer {
  @available(*, unavailable, renamed: "send(_:)")
  public func onNext(_ value: Value) {}

  @available(*, unavailable, renamed: "fail(_:)")
  public func onError(_ failure: Failure) {}

  @available(*, unavailable, renamed: "complete()")
  public func onCompleted() {}
}
