/// The observer of a signal's whole life, which may replace its values and its failure.
///
/// The order is that of ``Signal/on(start:value:failure:completion:dispose:terminate:)``, but the completion precedes the
/// delivery of a last value that comes with it. Its methods may call out.
@usableFromInline
package protocol StageWatcher<Value, Failure>: AnyObject, Sendable {
  associatedtype Value: Sendable
  associatedtype Failure: Error

  /// Runs before the work starts.
  func start()
  /// Observes a value; returns the one that is delivered in its place, or `nil` to deliver it unchanged.
  func pass(_ value: Value) -> Value?
  /// Observes the failure and returns the one that is delivered.
  func pass(failure: Failure) -> Failure
  /// Observes the completion.
  func complete()
  /// Runs instead of a terminal event if the subscription is disposed first.
  func dispose()
}

extension Signal {
  /// Passes all events through an object, in a single stage; `on`, `map` and `mapError` would do nearly the same in three
  /// stages with about ten more objects, and a generic stage is specialized for its caller only if it is inlinable.
  @inlinable
  package func watched<Watcher: StageWatcher>(
    by watcher: Watcher
  ) -> Signal where Watcher.Value == Value, Watcher.Failure == Failure {
    .stage { downstream in
      let scope = Disposable { watcher.dispose() }
      downstream.scope.hold(scope)
      watcher.start()
      let stage = WatchedStage(watcher, downstream, scope)
      feed(downstream, scope: scope, next: { stage.next($0) }, end: { stage.end($0) })
      return nil
    }
  }
}

extension Signal {
  /// Calls a closure with the failure, and after the delivery of the failure what the closure returns, if anything.
  package func followingFailure(
    _ prepare: @escaping @Sendable (Failure) -> (@Sendable () -> Void)?
  ) -> Signal {
    .stage { downstream in
      feed(
        downstream, next: downstream.next,
        end: { end in
          guard case .failed(let failure) = end, let action = prepare(failure) else { return downstream.end(end) }
          downstream.end(end)
          action()
        })
      return nil
    }
  }
}

@usableFromInline
final class WatchedStage<Watcher: StageWatcher>: Sendable {
  @usableFromInline let watcher: Watcher
  // Not the whole downstream: copying it would retain six references.
  @usableFromInline let deliver: @Sendable (Watcher.Value) -> Void
  @usableFromInline let finish: @Sendable (End<Watcher.Value, Watcher.Failure>) -> Void
  /// The scope of the upstream, whose teardown reports the disposal.
  @usableFromInline let scope: Disposable

  @inlinable
  init(_ watcher: Watcher, _ downstream: Downstream<Watcher.Value, Watcher.Failure>, _ scope: Disposable) {
    self.watcher = watcher
    deliver = downstream.next
    finish = downstream.end
    self.scope = scope
  }

  @inlinable
  func next(_ value: Watcher.Value) {
    // Not `??`, which would copy the value.
    if let changed = watcher.pass(value) { deliver(changed) } else { deliver(value) }
  }

  @inlinable
  func end(_ end: End<Watcher.Value, Watcher.Failure>) {
    if end.isSilent { return finish(end) }
    guard scope.claim() else { return }
    // The teardown must no longer run: it would report a disposal.
    let held = scope.contents.withLock { $0.takeAll() }
    // Before the end is delivered, which may start the next attempt.
    held.upstream?.dispose()
    switch end {
    case .failed(let failure): finish(.failed(watcher.pass(failure: failure)))
    case .last(let value):
      // A last value is delivered after the completion was reported: another thread may continue with it at once.
      let changed = watcher.pass(value)
      watcher.complete()
      if let changed { finish(.last(changed)) } else { finish(end) }
    default:
      watcher.complete()
      finish(end)
    }
  }
}
