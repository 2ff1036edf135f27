/// A subscription that is queued on a scheduler and not yet started.
final class ScheduledStart<Value: Sendable, Failure: Error>: Disposing {
  private struct Work: Sendable {
    let signal: Signal<Value, Failure>
    let downstream: Downstream<Value, Failure>
  }

  private let source = Disposable()
  private let work: Guarded<Work?>

  init(_ signal: Signal<Value, Failure>, _ downstream: Downstream<Value, Failure>) {
    work = Guarded(Work(signal: signal, downstream: downstream))
  }

  var isDisposed: Bool { source.isCancelled }

  func run() {
    guard let work = work.withLock({ $0.take() }) else { return }
    let downstream = work.downstream
    work.signal.feed(downstream, scope: source, next: downstream.next, end: downstream.end)
  }

  func dispose() {
    let dropped = work.withLock { $0.take() }
    withExtendedLifetime(dropped) {}
    source.dispose()
  }
}
