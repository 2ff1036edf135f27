public import Signals
import Synchronization

extension Signal {
  /// Counts each subscription in an activity monitor, from its start until it completes, fails or is disposed.
  ///
  /// A flow of several requests counts once, including the time between them. Requests of clients with the same monitor
  /// are counted separately. The count changes after the terminal event is delivered.
  /// - Parameter monitor: The monitor; subscriptions retain it.
  /// - Returns: A signal of the same events.
  public func counted(by monitor: ActivityMonitor) -> Signal {
    .deferred {
      let activity = CountedActivity(monitor)
      return finally { activity.end() }
    }
  }
}

/// One counted activity; its deinit ends it if the subscription was disposed before its start.
private final class CountedActivity: Sendable {
  private let monitor: ActivityMonitor
  private let hasEnded = Atomic<Bool>(false)

  init(_ monitor: ActivityMonitor) {
    self.monitor = monitor
    monitor.begin()
  }

  deinit { end() }

  func end() { if !hasEnded.exchange(true, ordering: .acquiringAndReleasing) { monitor.end() } }
}
