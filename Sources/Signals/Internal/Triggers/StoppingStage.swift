/// A stage that may terminate before its source: `take`, `take(while:)`, `tryMap`, `dematerialize`.
///
/// Its source has its own scope. Claiming that scope decides which thread terminates the stage.
@usableFromInline
struct StoppingStage<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline let downstream: Downstream<Value, Failure>
  @usableFromInline let source: Disposable

  init(_ downstream: Downstream<Value, Failure>) {
    self.downstream = downstream
    source = downstream.child()
  }

  var isTerminated: Bool { source.isCancelled }

  /// Sends a value, unless the stage has terminated.
  func next(_ value: Value) {
    if !source.isCancelled { downstream.next(value) }
  }

  /// Disposes the source and delivers the end, unless the stage has terminated.
  func end(_ end: End<Value, Failure>) {
    if end.isUnreachable { return downstream.end(end) }
    guard source.claim() else { return }
    source.release()
    downstream.end(end)
  }
}
