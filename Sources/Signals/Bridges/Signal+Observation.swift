import Observation

extension Signal where Failure == Never {
  /// Creates a signal of a value that is read from `@Observable` models.
  ///
  /// ```swift
  /// @MainActor @Observable final class Model { var count = 0 }
  /// @MainActor func follow(_ model: Model) {
  ///   Signal.observing { [weak model] in model?.count }.subscribe(onValue: { print($0 ?? 0) })
  /// }
  /// ```
  /// - On subscription, the closure is called on the main queue and its value is sent: before `subscribe` returns if
  ///   the subscriber is on that queue, otherwise asynchronously. The value is read and sent again after each change of
  ///   a property that the closure has read. Several changes in one block of the main queue are sent as one value.
  ///   Equal values are sent too.
  /// - Values are delivered on the main actor. Change the models on the main actor too: after a change on another
  ///   thread, the value may be read too early, so that the new value is missed.
  /// - The models retain the subscription and its closure until disposal. A closure that captures its model strongly
  ///   therefore keeps the model alive until disposal; a weak capture does not. The signal does not complete by itself.
  ///   When all models that were read have been deallocated, or if the closure has read no observable property, such as
  ///   when its model is still `nil`, the subscription terminates silently, and a `for await` loop over it ends.
  /// - Disposal releases the closure and the subscriber immediately. About 800 bytes stay with the models until one of
  ///   the properties changes: for many short subscriptions to a model that seldom changes, such as in `flatMap`, share
  ///   one.
  /// - Parameter read: Reads the value on the main actor.
  /// - Returns: A signal that never completes.
  public static func observing(_ read: @escaping @MainActor @Sendable () -> Value) -> Signal {
    .stage { downstream in
      let gate = Gate(next: downstream.next, end: downstream.end)
      downstream.scope.hold(gate)
      let tracking = Tracking(read, gate, downstream.starts)
      // Weak, so that only the models retain it and it is released with the last model.
      gate.hold(Disposable { [weak tracking] in tracking?.stop() })
      let scheduler: DispatchScheduler = .mainImmediate
      scheduler.schedule { MainActor.assumeIsolated { tracking.send() } }
      return nil
    }
  }
}

/// A subscription to the value that a closure reads from models.
///
/// The models retain it from one change to the next; it retains its downstream gate.
private final class Tracking<Value: Sendable>: Sendable {
  private struct Contents: Sendable {
    let read: @MainActor @Sendable () -> Value
    let gate: Gate<Value, Never>
    let starts: DeferredStarts?
  }

  /// The state of the subscription; `nil` after disposal.
  ///
  /// A model still retains the empty object until its next change.
  private let contents: Guarded<Contents?>

  init(
    _ read: @escaping @MainActor @Sendable () -> Value, _ gate: Gate<Value, Never>, _ starts: DeferredStarts?
  ) {
    contents = Guarded(Contents(read: read, gate: gate, starts: starts))
  }

  deinit {
    // The models have been deallocated, so no event can follow.
    guard let gate = contents.withLock({ $0?.gate }) else { return }
    gate.run { gate.finish(.abandoned) }
  }

  /// Reads the value, registers for the next change and sends the value.
  @MainActor
  func send() {
    guard let contents = contents.withLock({ $0 }) else { return }
    let value = withObservationTracking(contents.read) {
      if self.contents.withLock({ $0 == nil }) { return }
      // This handler runs before the new value is set, so the read is scheduled for later.
      let scheduler: DispatchScheduler = .main
      scheduler.schedule { MainActor.assumeIsolated { self.send() } }
    }
    contents.starts?.hold()
    contents.gate.emit(value)
    contents.starts?.resume()
  }

  func stop() {
    let dropped = contents.withLock { $0.take() }
    withExtendedLifetime(dropped) {}
  }
}
