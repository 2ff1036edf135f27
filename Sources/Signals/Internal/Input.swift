/// How far an input of a stage with several has come.
enum InputPhase: Sendable {
  case running
  case completed
  case abandoned
}

extension Gate {
  /// Does a job inside the gate, now or after the thread that is inside.
  func run(_ job: @escaping @Sendable () -> Void) {
    guard enter() else { return later(job) }
    job()
    leave()
  }

  /// Ends the stage, from inside: closes the gate, disposes what is upstream and delivers the end.
  ///
  /// An abandoned stage disposes nothing: a teardown waits for the subscription's disposal.
  func finish<Value, Failure>(_ end: End<Value, Failure>, _ downstream: Downstream<Value, Failure>) {
    guard close() != nil else { return }
    if case .abandoned = end {} else { resources.dispose() }
    downstream.end(end)
  }
}
