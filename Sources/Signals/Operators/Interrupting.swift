extension Signal {
  /// Returns this signal, which something outside can fail while it lasts.
  ///
  /// `tryMap` and `take(until:)` with a failing trigger would do the same in three stages more, which every request has.
  /// - Parameters:
  ///   - check: Returns the failure to deliver in place of a value, or of the signal's own failure, which it receives.
  ///     Default: none.
  ///   - enter: Called before the work starts, with the key of the subscription and the closure that fails it. It must
  ///     retain the closure until `leave`, also if the source is dropped: a failure may still come.
  ///   - leave: Called with the key at the end and on disposal, perhaps more than once.
  /// - Returns: The signal. When it is failed, its work is disposed, and nothing follows.
  @inlinable
  package func interrupted(
    check: @escaping @Sendable (_ own: Failure?) -> Failure? = { _ in nil },
    enter: @escaping @Sendable (_ key: Disposable, _ fail: @escaping @Sendable (Failure) -> Void) -> Void,
    leave: @escaping @Sendable (_ key: Disposable) -> Void
  ) -> Signal {
    .stage { downstream in
      let gate = Gate(next: downstream.next, end: downstream.end)
      let source = Disposable()
      gate.hold(
        Disposable {
          source.dispose()
          leave(source)
        })
      downstream.scope.hold(gate)
      enter(source) { failure in gate.run { gate.finish(.failed(failure)) } }
      // The disposal may have come first.
      if gate.isDisposed { leave(source) }
      feed(
        downstream, scope: source,
        next: { value in
          if let failure = check(nil) { gate.run { gate.finish(.failed(failure)) } } else { gate.emit(value) }
        },
        end: { end in
          // A failure may still come.
          if end.isUnreachable { return }
          let failure: Failure? =
            switch end {
            case .last: check(nil)
            case .failed(let own): check(own)
            default: nil
            }
          gate.run { gate.finish(failure.map { .failed($0) } ?? end) }
        })
      return nil
    }
  }
}
