import Observation

extension Signal where Failure == Never {
  /// A signal of a value that is read from `@Observable` models.
  ///
  /// ```swift
  /// @MainActor @Observable final class Model { var count = 0 }
  /// @MainActor func follow(_ model: Model) {
  ///   Signal.observing { [weak model] in model?.count }.subscribe(onValue: { print($0 ?? 0) })
  /// }
  /// ```
  /// - It sends the value that the closure reads at the subscription: before `subscribe` returns on the main queue, otherwise
  ///   in a turn of the main queue. Then it reads and sends again after each turn of the main queue in which a property that
  ///   the closure has read was set. Changes of one turn are sent as one value; equal values are sent too.
  /// - Values are delivered on the main actor. Change the models there, too: a change on another thread may be read too early
  ///   and its value missed.
  /// - The models keep the subscription and its closure until it is disposed. So a closure that captures its model strongly
  ///   keeps that alive until the disposal; one that captures it weakly does not. It does not complete by itself: when all
  ///   models that were read have been deallocated, the subscription ends silently, and with it a `for await` loop.
  /// - Disposal releases the closure and the subscriber at once.
  /// - Parameter read: reads the value on the main actor.
  /// - Returns: a signal that does not end.
  public static func observing(_ read: @escaping @MainActor @Sendable () -> Value) -> Signal {
    .stage { downstream in
      let gate = Gate(next: downstream.next, end: downstream.end)
      downstream.scope.hold(gate)
      let tracking = Tracking(read, gate, downstream.starts)
      // Weak: the models keep it, so that all is released with the last of them.
      gate.hold(Disposable { [weak tracking] in tracking?.stop() })
      let scheduler: MainImmediateScheduler = .mainImmediate
      scheduler.schedule { MainActor.assumeIsolated { tracking.send() } }
      return nil
    }
  }
}

/// One subscription to what a closure reads from models.
///
/// The models keep it from one change to the next, and it keeps what it feeds.
private final class Tracking<Value: Sendable>: Sendable {
  private struct Contents: Sendable {
    let read: @MainActor @Sendable () -> Value
    let gate: Gate<Value, Never>
    let starts: DeferredStarts?
  }

  /// `nil` after the disposal: a model still keeps the empty rest until its next change.
  private let contents: Guarded<Contents?>

  init(
    _ read: @escaping @MainActor @Sendable () -> Value, _ gate: Gate<Value, Never>, _ starts: DeferredStarts?
  ) {
    contents = Guarded(Contents(read: read, gate: gate, starts: starts))
  }

  deinit {
    // The models have been deallocated: nothing more can come.
    guard let gate = contents.withLock({ $0?.gate }) else { return }
    gate.run { gate.finish(.abandoned) }
  }

  /// Reads the value, asks to be told of the next change, and sends the value.
  @MainActor
  func send() {
    guard let contents = contents.withLock({ $0 }) else { return }
    let value = withObservationTracking(contents.read) {
      // The value has not been set yet.
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
