/// Methods of the thread inside the gate.
extension Gate {
  /// Delivers a value.
  @inlinable
  func send(_ value: Value) {
    // Moving the closure out and back costs two stores; calling the property directly costs a retain and a release.
    // (`take()` is not used: a closure that passes through a generic function comes back wrapped in another one.)
    if let next {
      self.next = nil
      next(value)
      self.next = next
    } else if let subscriber {
      self.subscriber = nil
      subscriber(.value(value))
      self.subscriber = subscriber
    }
  }

  /// Terminates the stage: closes the gate, disposes the upstream and delivers the end.
  ///
  /// An unreachable end disposes nothing: the teardown runs when the subscription is disposed.
  @inlinable
  func finish(_ end: End<Value, Failure>) {
    guard let deliver = self.end, close() else { return }
    cut()
    if !end.isUnreachable { disposeResource() }
    deliver(end)
  }

  /// Runs a job inside the gate, now or after the thread that is inside.
  @inlinable
  func run(_ job: @escaping @Sendable () -> Void) {
    guard enter() else { return later(job) }
    job()
    leave()
  }
}
