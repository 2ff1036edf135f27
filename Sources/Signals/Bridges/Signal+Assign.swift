extension Signal where Failure == Never {
  /// Sets a property of an owner to each value, on the main actor.
  ///
  /// ```swift
  /// @MainActor final class Screen {
  ///   var title = ""
  ///   func follow(_ titles: Signal<String, Never>) { titles.assign(to: \.title, on: self) }
  /// }
  /// ```
  /// - Values that are sent on the main queue are set at once, others in order on the main queue (``MainImmediateScheduler``).
  /// - The owner is not retained. When it is deallocated the subscription is disposed, as by ``bound(to:)``; elsewhere than on
  ///   Apple's systems that takes up to 100 milliseconds, and the owner is retained while its property is being set.
  /// - Completion changes nothing.
  /// - Parameters:
  ///   - keyPath: the property.
  ///   - owner: whose property is set.
  /// - Returns: the handle that stops the work. Discarding it does not.
  @MainActor
  @discardableResult
  public func assign<Owner: AnyObject>(
    to keyPath: ReferenceWritableKeyPath<Owner, Value>, on owner: Owner
  ) -> Disposable {
    // Neither the owner nor a key path to a property of the main actor has to be `Sendable`: they stay on that actor.
    let set: @MainActor @Sendable (Value) -> Void = { [weak owner] value in owner?[keyPath: keyPath] = value }
    // Bound on the main queue, because a delivery may retain the owner.
    return observe(on: .mainImmediate).bound(to: owner).subscribe { (event: Event<Value, Never>) in
      guard case .value(let value) = event else { return }
      // The main queue is the main actor's executor.
      MainActor.assumeIsolated { set(value) }
    }
  }

  /// Sets an optional property of an owner to each value, on the main actor; see ``assign(to:on:)``.
  ///
  /// - Parameters:
  ///   - keyPath: the property.
  ///   - owner: whose property is set; it is not retained.
  /// - Returns: the handle that stops the work. Discarding it does not.
  @MainActor
  @discardableResult
  public func assign<Owner: AnyObject>(
    to keyPath: ReferenceWritableKeyPath<Owner, Value?>, on owner: Owner
  ) -> Disposable {
    map { Optional($0) }.assign(to: keyPath, on: owner)
  }
}
