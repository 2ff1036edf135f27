/// Combine's names of operators. Each is the same as an operator of this library.
extension Signal {
  /// The end of a signal as `sink` and `send(completion:)` describe it; the cases of Combine's `Subscribers.Completion`.
  public enum Completion: Sendable {
    /// The signal completed.
    case finished
    /// The signal failed.
    case failure(Failure)
  }

  /// Starts the work and **cancels it when the returned bag is deallocated**, as Combine does.
  ///
  /// The name of ``subscribe(onValue:onFailure:onCompletion:)`` in Combine. Only the handle differs: a ``Disposable``
  /// does not cancel when it is dropped. Keep the bag, or add it to another one with `store(in:)`.
  /// - Parameters:
  ///   - receiveCompletion: receives the end.
  ///   - receiveValue: receives the values, on the thread from which the work sends.
  /// - Returns: a bag that holds the subscription.
  public func sink(
    receiveCompletion: @escaping @Sendable (Completion) -> Void, receiveValue: @escaping @Sendable (Value) -> Void
  ) -> DisposeBag {
    DisposeBag(
      subscribe(
        onValue: receiveValue, onFailure: { receiveCompletion(.failure($0)) },
        onCompletion: { receiveCompletion(.finished) }))
  }

  /// The name of ``observe(on:)-(SignalScheduler)`` in Combine; for closures of the main actor, use `subscribeOnMain`.
  public func receive(on scheduler: some SignalScheduler) -> Signal { observe(on: scheduler) }

  /// The name of ``on(start:value:failure:completion:dispose:terminate:)`` in Combine.
  public func handleEvents(
    receiveOutput: (@Sendable (Value) -> Void)? = nil, receiveCompletion: (@Sendable (Completion) -> Void)? = nil,
    receiveCancel: (@Sendable () -> Void)? = nil
  ) -> Signal {
    on(
      value: receiveOutput, failure: { receiveCompletion?(.failure($0)) },
      completion: { receiveCompletion?(.finished) }, dispose: receiveCancel)
  }

  /// The name of ``replaceFailure(with:)`` in Combine.
  public func replaceError(with value: Value) -> Signal<Value, Never> { replaceFailure(with: value) }

  /// The name of ``ifEmpty(_:)`` in Combine.
  public func replaceEmpty(with value: Value) -> Signal { ifEmpty(value) }

  /// The name of ``distinctUntilChanged()`` in Combine.
  public func removeDuplicates() -> Signal where Value: Equatable { distinctUntilChanged() }

  /// The name of ``distinctUntilChanged(by:)`` in Combine.
  public func removeDuplicates(by areSame: @escaping @Sendable (Value, Value) -> Bool) -> Signal {
    distinctUntilChanged(by: areSame)
  }

  /// The name of ``merge(_:)-(Signal<Value,Failure>...)`` in Combine.
  public func merge(with others: Signal...) -> Signal { .merge([self] + others) }

  /// The name of ``flatten(_:)`` with ``FlattenStrategy/latest`` in Combine.
  public func switchToLatest<Inner: Sendable>() -> Signal<Inner, Failure> where Value == Signal<Inner, Failure> {
    flatten(.latest)
  }

  /// The name of ``take(_:)`` in Combine.
  public func prefix(_ count: Int) -> Signal { take(count) }

  /// The name of ``skip(_:)`` in Combine.
  public func dropFirst(_ count: Int = 1) -> Signal { skip(count) }

  /// The name of ``debounce(_:on:)`` in Combine.
  public func debounce(for interval: Duration, scheduler: some SignalScheduler) -> Signal {
    debounce(interval, on: scheduler)
  }

  /// The name of ``delay(_:on:)`` in Combine.
  public func delay(for interval: Duration, scheduler: some SignalScheduler) -> Signal {
    delay(interval, on: scheduler)
  }
}

extension Signal where Failure == Never {
  /// Starts the work and **cancels it when the returned bag is deallocated**, as Combine does.
  ///
  /// The name of ``subscribe(onValue:onCompletion:)`` in Combine; see ``sink(receiveCompletion:receiveValue:)``.
  /// - Parameter receiveValue: receives the values, on the thread from which the work sends.
  /// - Returns: a bag that holds the subscription.
  public func sink(receiveValue: @escaping @Sendable (Value) -> Void) -> DisposeBag {
    DisposeBag(subscribe(onValue: receiveValue))
  }
}

extension Disposable {
  /// The name of ``dispose()`` in Combine, and of tasks.
  public func cancel() { dispose() }

  /// The name of ``disposed(by:)`` in Combine.
  public func store(in bag: DisposeBag) { bag.add(self) }
}

extension DisposeBag {
  /// The name of ``dispose()`` in Combine.
  public func cancel() { dispose() }

  /// Gives the handles to another bag, which disposes them in place of this one's deinit.
  public func store(in bag: DisposeBag) { for handle in lend() { bag.add(handle) } }

  /// The same as `store(in:)`.
  public func disposed(by bag: DisposeBag) { store(in: bag) }
}
