extension Signal {
  /// Runs this signal as the upstream of a stage whose output goes to `place`.
  ///
  /// `scope` is what disposes the upstream; a stage that has to stop it alone passes a scope of its own.
  @inlinable
  func feed<Output: Sendable, Problem: Error>(
    _ place: Continuation<Output, Problem>,
    scope: Disposable? = nil,
    next: @escaping @Sendable (Value) -> Void,
    end: @escaping @Sendable (End<Value, Failure>) -> Void
  ) {
    run(
      in: Continuation(
        sink: Sink(next: next, end: end, depth: place.sink.depth, pressure: place.sink.pressure),
        scope: scope ?? place.scope))
  }
}

extension Continuation {
  /// A scope of its own for a stage's upstream, so that the stage can stop it before the subscription ends.
  @inlinable
  func child() -> Disposable {
    let child = Disposable()
    scope.hold(child)
    return child
  }
}
