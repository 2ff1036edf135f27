import Heliograph
import Observation

extension Signal where Failure == Never {
  /// What an expression over observable models comes to: now, and again after each change.
  ///
  /// Changes within one turn of the main actor are seen as one.
  ///
  /// - Parameter read: reads the models.
  /// - Returns: the signal; it does not end.
  static func observing(_ read: @escaping @MainActor @Sendable () -> Value) -> Signal {
    Signal { observer in
      let task = Task { @MainActor in track(read, for: observer) }
      return Disposable { task.cancel() }
    }
  }

  @MainActor
  private static func track(
    _ read: @escaping @MainActor @Sendable () -> Value, for observer: Observer<Value, Never>
  ) {
    guard !observer.isDisposed else { return }
    // Observation reports once, before the change: the next turn reads what has become of it, and asks again.
    let value = withObservationTracking {
      read()
    } onChange: {
      Task { @MainActor in track(read, for: observer) }
    }
    observer.send(value)
  }
}
