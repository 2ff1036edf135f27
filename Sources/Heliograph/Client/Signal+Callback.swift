public import Signals

extension Signal {
  /// Subscribes with one closure, which receives either a value or the failure; the other argument is `nil`.
  ///
  /// If the signal completes without a value, such as after a 304, the closure is called once with `(nil, nil)`.
  /// Completion after a value is not reported.
  ///
  /// ```swift
  /// let answer = Signal<Int, NetworkError>.just(1)
  /// answer.subscribe(onResult: { value, error in print(value ?? 0, error?.message ?? "") })
  /// ```
  /// - Parameter onResult: Receives each value and the failure, on the thread that delivers them.
  /// - Returns: The handle that cancels the subscription silently. Discarding it does not cancel.
  @discardableResult
  @_disfavoredOverload
  public func subscribe(onResult: @escaping @Sendable (Value?, Failure?) -> Void) -> Disposable {
    let hasValue = Once()
    return subscribe { event in
      switch event {
      case .value(let value):
        hasValue.claim()
        onResult(value, nil)
      case .failed(let failure): onResult(nil, failure)
      case .completed: if !hasValue.isClaimed { onResult(nil, nil) }
      }
    }
  }

  /// Subscribes with one closure on the main actor; see ``subscribe(onResult:)``.
  ///
  /// Events are delivered as by ``/Signals/Signal/subscribeOnMain(onValue:onFailure:onCompletion:)``: at once if they are
  /// sent on the main thread.
  /// - Parameter onResult: Receives each value and the failure, on the main actor.
  /// - Returns: The handle that cancels the subscription; after a disposal on the main actor nothing is delivered.
  ///   Discarding it does not cancel.
  @discardableResult
  @_disfavoredOverload
  public func subscribeOnMain(onResult: @escaping @MainActor @Sendable (Value?, Failure?) -> Void) -> Disposable {
    observe(on: .mainImmediate).subscribe(onResult: { value, failure in
      // The main queue is the main actor's executor.
      MainActor.assumeIsolated { onResult(value, failure) }
    })
  }
}
