// The names of RxSwift and RxCocoa, unavailable: the compiler's message or fix-it says what to write. The signatures are RxSwift's, so
// that the rest of the line is understood and this is the only error.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

extension Signal {
  @available(
    *, unavailable, message: "Write subscribe(onValue:onFailure:): the signal can fail; or subscribe { event in }"
  )
  @discardableResult
  public func subscribe(onValue: @escaping @Sendable (Value) -> Void) -> Disposable { .finished() }

  @available(
    *, unavailable,
    message: "Write subscribeOnMain(onValue:onFailure:): the signal can fail; or load(into:on:), which stores the error"
  )
  @discardableResult
  public func subscribeOnMain(onValue: @escaping @MainActor @Sendable (Value) -> Void) -> Disposable { .finished() }

  @available(*, unavailable, message: "Write subscribe { _ in }")
  @discardableResult
  public func subscribe() -> Disposable { .finished() }

  @available(*, unavailable, message: "Write bound(to: owner).subscribeOnMain(onValue: { [weak owner] value in … })")
  @discardableResult
  public func subscribe<Owner: AnyObject>(
    with owner: Owner, onNext: (@MainActor @Sendable (Owner, Value) -> Void)? = nil,
    onSuccess: (@MainActor @Sendable (Owner, Value) -> Void)? = nil,
    onError: (@MainActor @Sendable (Owner, Failure) -> Void)? = nil,
    onFailure: (@MainActor @Sendable (Owner, Failure) -> Void)? = nil,
    onCompleted: (@MainActor @Sendable (Owner) -> Void)? = nil,
    onDisposed: (@MainActor @Sendable (Owner) -> Void)? = nil
  ) -> Disposable { .finished() }

  @available(
    *, unavailable, renamed: "subscribe(onValue:onFailure:onCompletion:)",
    message: "for a view model subscribeOnMain(onValue:onFailure:onCompletion:)"
  )
  @discardableResult
  public func subscribe(
    onNext: (@MainActor @Sendable (Value) -> Void)? = nil, onError: (@MainActor @Sendable (Failure) -> Void)? = nil,
    onCompleted: (@MainActor @Sendable () -> Void)? = nil, onDisposed: (@MainActor @Sendable () -> Void)? = nil
  ) -> Disposable { .finished() }

  @available(
    *, unavailable, renamed: "subscribe(onValue:onFailure:)",
    message: "for a view model subscribeOnMain(onValue:onFailure:)"
  )
  @discardableResult
  public func subscribe(
    onSuccess: (@MainActor @Sendable (Value) -> Void)?, onFailure: (@MainActor @Sendable (Failure) -> Void)? = nil,
    onError: (@MainActor @Sendable (Failure) -> Void)? = nil, onDisposed: (@MainActor @Sendable () -> Void)? = nil
  ) -> Disposable { .finished() }
}

extension SignalConvertible where Failure == Never {
  @available(
    *, unavailable, renamed: "subscribe(onValue:onCompletion:)",
    message: "for a view model subscribeOnMain(onValue:onCompletion:)"
  )
  @discardableResult
  public func subscribe(
    onNext: (@MainActor @Sendable (Value) -> Void)?, onCompleted: (@MainActor @Sendable () -> Void)? = nil,
    onDisposed: (@MainActor @Sendable () -> Void)? = nil
  ) -> Disposable { .finished() }

  @available(*, unavailable, message: "Write subscribe(onValue: { _ in })")
  @discardableResult
  public func drive() -> Disposable { .finished() }

  @available(
    *, unavailable,
    message:
      "Write share(replay: 1), and subscribeOnMain(onValue:) at the end, which delivers on the main thread: a Driver was shared"
  )
  public func asDriver() -> Signal<Value, Never> { signal }

  @available(
    *, unavailable,
    message: "Write subscribe(onValue: { target.send($0) }): the subscription retains what the closure uses"
  )
  @discardableResult
  public func bind(to target: CurrentValue<Value>, _ others: CurrentValue<Value>...) -> Disposable { .finished() }

  @available(
    *, unavailable,
    message: "Write subscribe(onValue: { target.send($0) }): the subscription retains what the closure uses"
  )
  @discardableResult
  public func bind<Problem: Error>(
    to target: PublishSubject<Value, Problem>, _ others: PublishSubject<Value, Problem>...
  ) -> Disposable { .finished() }

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
  public func drive(_ target: CurrentValue<Value>, _ others: CurrentValue<Value>...) -> Disposable { .finished() }

  @available(*, unavailable, renamed: "subscribeOnMain(onValue:)")
  @discardableResult
  public func emit(onNext: (@MainActor @Sendable (Value) -> Void)?) -> Disposable { .finished() }

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

  @available(
    *, unavailable, message: "Write bound(to: owner).subscribeOnMain(onValue: { [weak owner] value in … })"
  )
  @discardableResult
  public func bind(to target: Binder<Value>) -> Disposable { .finished() }

  @available(
    *, unavailable, message: "Write bound(to: owner).subscribeOnMain(onValue: { [weak owner] value in … })"
  )
  @discardableResult
  public func drive(_ target: Binder<Value>) -> Disposable { .finished() }
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
}

extension CurrentValue {
  @available(*, unavailable, renamed: "CurrentValue.init(_:)")
  public convenience init(value: Value) { self.init(value) }

  @available(*, unavailable, renamed: "send(_:)")
  public func onNext(_ value: Value) {}

  @available(*, unavailable, renamed: "send(_:)")
  public func accept(_ value: Value) {}
}

extension Observer {
  @available(*, unavailable, renamed: "send(_:)")
  public func onNext(_ value: Value) {}

  @available(*, unavailable, renamed: "fail(_:)")
  public func onError(_ failure: Failure) {}

  @available(*, unavailable, renamed: "complete()")
  public func onCompleted() {}
}
