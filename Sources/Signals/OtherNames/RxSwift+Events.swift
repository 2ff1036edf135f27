// The names of RxSwift and RxCocoa, unavailable: the compiler's message or fix-it says what to write. The signatures are RxSwift's, so
// that the rest of the line is understood and this is the only error.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

/// The events of RxSwift: those of an observable, and those of a single, a maybe or a completable.
@available(*, unavailable, message: "Write Event: its cases are value, failed and completed")
public enum RxEvent<Element: Sendable, Failure: Error>: Sendable {
  case next(Element)
  case error(Failure)
  case completed
}

/// The results that `create` of a single, a maybe or a completable sends.
@available(*, unavailable, message: "Write observer.send(value), observer.fail(error) or observer.complete()")
public enum RxResult<Element: Sendable, Failure: Error>: Sendable {
  case success(Element)
  case failure(Failure)
  case error(Failure)
  case completed
}

extension Event {
  @available(*, unavailable, renamed: "value")
  public var element: Value? { value }

  @available(*, unavailable, renamed: "failure")
  public var error: Failure? { failure }
}

extension Signal {
  @available(*, unavailable, message: "Write case .value(let value), .failed(let error) and .completed")
  @discardableResult
  public func subscribe(_ onEvent: @escaping @MainActor @Sendable (RxEvent<Value, Failure>) -> Void) -> Disposable {
    .finished()
  }

  @available(*, unavailable, message: "Write case .value(let value), .failed(let error) and .completed")
  @discardableResult
  public func subscribe(_ onEvent: @escaping @MainActor @Sendable (Result<Value, Failure>) -> Void) -> Disposable {
    .finished()
  }

  @available(
    *, unavailable,
    message: "Write Signal { observer in … }, which sends with send(_:), fail(_:) and complete(), or Signal.task { … }"
  )
  public static func create(
    _ start: @escaping @Sendable (@escaping @Sendable (RxResult<Value, Failure>) -> Void) -> Disposable?
  ) -> Signal { .empty }

  @available(*, unavailable, message: "Write subscribe(onValue: { subject.send($0) }), or subscribe { event in … }")
  @discardableResult
  public func subscribe(_ subject: PublishSubject<Value, Failure>) -> Disposable { .finished() }

  @available(*, unavailable, message: "Write subscribe(onValue: { current.send($0) })")
  @discardableResult
  public func subscribe(_ current: CurrentValue<Value>) -> Disposable { .finished() }
}

extension Signal where Failure == any Error {
  @available(
    *, unavailable,
    message: "Write Signal { observer in … }, which sends with send(_:), fail(_:) and complete(), or Signal.task { … }"
  )
  public static func create<Problem: Error>(
    _ start: @escaping @Sendable (@escaping @Sendable (RxResult<Value, Problem>) -> Void) -> Disposable?
  ) -> Signal<Value, Problem> { .empty }
}

extension PublishSubject {
  @available(*, unavailable, message: "Write send(value), fail(error) or complete()")
  public func on(_ event: RxEvent<Value, Failure>) {}

  @available(*, unavailable, message: "Leave it out: a subject has send(_:), fail(_:) and complete()")
  public func asObserver() -> PublishSubject { self }
}

extension CurrentValue {
  @available(*, unavailable, message: "Write send(value): a CurrentValue does not end")
  public func on(_ event: RxEvent<Value, any Error>) {}

  @available(*, unavailable, message: "Leave it out: a CurrentValue has send(_:)")
  public func asObserver() -> CurrentValue { self }
}

extension Observer {
  @available(*, unavailable, message: "Write send(value), fail(error) or complete()")
  public func on(_ event: RxEvent<Value, Failure>) {}
}
