extension Signal where Failure == Never {
  /// Assigns each value to a property of an owner on the main actor.
  ///
  /// ```swift
  /// @MainActor final class Screen {
  ///   var title = ""
  ///   func follow(_ titles: Signal<String, Never>) { titles.assign(to: \.title, on: self) }
  /// }
  /// ```
  /// - Values that are sent on the main queue are assigned synchronously. Other values are assigned in order on the
  ///   main queue (``SignalScheduler/mainImmediate``).
  /// - The owner is not retained. When it is deallocated, the subscription is disposed, as with
  ///   ``bound(to:)-(AnyObject)``. On systems other than Apple's, and for an actor, this takes up to 100 milliseconds.
  ///   The owner is retained during each assignment.
  /// - Completion has no effect.
  /// - Parameters:
  ///   - keyPath: The key path of the property.
  ///   - owner: The object whose property is assigned.
  /// - Returns: A handle that stops the work. Discarding it does not stop the work.
  @MainActor
  @discardableResult
  public func assign<Owner: AnyObject>(
    to keyPath: ReferenceWritableKeyPath<Owner, Value>, on owner: Owner
  ) -> Disposable {
    // Neither the owner nor a key path to a main-actor property needs to be `Sendable`: they stay on the main actor.
    let set: @MainActor @Sendable (Value) -> Void = { [weak owner] value in owner?[keyPath: keyPath] = value }
    // Bound on the main queue, because a delivery may retain the owner and release it last.
    return observe(on: .mainImmediate).bound(to: owner).subscribe { (event: Event<Value, Never>) in
      guard case .value(let value) = event else { return }
      // The main queue is the main actor's executor.
      MainActor.assumeIsolated { set(value) }
    }
  }

  /// Assigns each value to an optional property of an owner on the main actor; see ``assign(to:on:)``.
  @MainActor
  @discardableResult
  public func assign<Owner: AnyObject>(
    to keyPath: ReferenceWritableKeyPath<Owner, Value?>, on owner: Owner
  ) -> Disposable {
    map { Optional($0) }.assign(to: keyPath, on: owner)
  }
}
