/// What the thread inside does.
extension Gate {
  /// Delivers a value.
  @inlinable
  func send(_ value: Value) {
    // Taken out and put back: that costs two stores, where a call of the property itself is a retain and a release.
    // (Not with `take()`: a closure that passes through a generic function comes back wrapped in another.)
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

  /// Ends the stage: closes the gate, disposes what is upstream and delivers the end.
  ///
  /// If nothing more can come, nothing is disposed: a teardown waits for the subscription's disposal.
  @inlinable
  func finish(_ end: End<Value, Failure>) {
    guard let deliver = self.end, close() else { return }
    cut()
    if !end.isUnreachable { disposeResource() }
    deliver(end)
  }

  /// Does a job inside the gate, now or after the thread that is inside.
  @inlinable
  func run(_ job: @escaping @Sendable () -> Void) {
    guard enter() else { return later(job) }
    job()
    leave()
  }
}
