public import Signals
import Synchronization

extension Signal {
  /// Starts the work and delivers what comes to one closure of two arguments, of which exactly one is not `nil`.
  ///
  /// The exception is a signal that completes without any value, such as that of a 304: that is `(nil, nil)`, once. A
  /// completion after values is not told. Requirement S0-37.
  ///
  /// ```swift
  /// let answer = Signal<Int, NetworkError>.just(1)
  /// answer.subscribe(onResult: { value, error in print(value ?? 0, error?.message ?? "") })
  /// ```
  /// - Parameter onResult: gets each value, and the failure, on the thread that the work sends from.
  /// - Returns: the handle that stops the work, silently. Discarding it does not.
  @discardableResult
  @_disfavoredOverload
  public func subscribe(onResult: @escaping @Sendable (Value?, Failure?) -> Void) -> Disposable {
    let memory = ValueMemory()
    return subscribe { event in
      switch event {
      case .value(let value):
        memory.hasValue.store(true, ordering: .relaxed)
        onResult(value, nil)
      case .failed(let failure): onResult(nil, failure)
      case .completed: if !memory.hasValue.load(ordering: .relaxed) { onResult(nil, nil) }
      }
    }
  }

  /// Starts the work and delivers what comes to one main-actor closure; see ``subscribe(onResult:)``.
  ///
  /// - Parameter onResult: gets each value, and the failure, on the main actor.
  /// - Returns: the handle that stops the work; after a disposal on the main actor nothing is delivered any more.
  ///   Discarding it does not.
  @discardableResult
  @_disfavoredOverload
  public func subscribeOnMain(onResult: @escaping @MainActor @Sendable (Value?, Failure?) -> Void) -> Disposable {
    observe(on: .main).subscribe(onResult: { value, failure in
      // The main queue is the main actor's executor.
      MainActor.assumeIsolated { onResult(value, failure) }
    })
  }
}

/// Whether a subscription has had a value; its deliveries never overlap, and the gate orders them.
private final class ValueMemory: Sendable {
  let hasValue = Atomic<Bool>(false)
}
