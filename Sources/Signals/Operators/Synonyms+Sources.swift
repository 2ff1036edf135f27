/// RxSwift's and Combine's names of sending, and subscriptions to a subject itself.
extension PublishSubject {
  /// The name of ``send(_:)`` in RxSwift.
  public func onNext(_ value: Value) { send(value) }

  /// The name of ``fail(_:)`` in RxSwift.
  public func onError(_ failure: Failure) { fail(failure) }

  /// The name of ``complete()`` in RxSwift.
  public func onCompleted() { complete() }

  /// The name of ``complete()`` and ``fail(_:)`` in Combine.
  public func send(completion: Signal<Value, Failure>.Completion) {
    if case .failure(let failure) = completion { fail(failure) } else { complete() }
  }
}

extension PublishSubject where Value == Void {
  /// Sends `()` to all subscribers.
  public func send() { send(()) }
}

extension PublishSubject where Failure == Never {
  /// Subscribes to ``signal``.
  @discardableResult
  public func subscribe(onValue: @escaping @Sendable (Value) -> Void) -> Disposable {
    signal.subscribe(onValue: onValue)
  }
}

extension CurrentValue {
  /// The name of ``send(_:)`` in RxSwift, for a subject.
  public func onNext(_ value: Value) { send(value) }

  /// The name of ``send(_:)`` in RxSwift, for a relay.
  public func accept(_ value: Value) { send(value) }

  /// Subscribes to ``signal``.
  @discardableResult
  public func subscribe(onValue: @escaping @Sendable (Value) -> Void) -> Disposable {
    signal.subscribe(onValue: onValue)
  }

  /// Subscribes to ``signal`` with a closure of the main actor.
  @discardableResult
  public func subscribeOnMain(onValue: @escaping @MainActor @Sendable (Value) -> Void) -> Disposable {
    signal.subscribeOnMain(onValue: onValue)
  }
}

extension Observer {
  /// The name of ``send(_:)-(Value)`` in RxSwift.
  public func onNext(_ value: Value) { send(value) }

  /// The name of ``fail(_:)`` in RxSwift.
  public func onError(_ failure: Failure) { fail(failure) }

  /// The name of ``complete()`` in RxSwift.
  public func onCompleted() { complete() }
}
