import Heliograph
import Signals

/// A monitor that counts the requests that have ended, in the foreground and in the background.
final class EndMonitor: Monitor {
  private let ended = CurrentValue(0)

  var endedCount: Int { ended.value }

  func observe(_ event: MonitorEvent) {
    if case .ended = event { ended.modify { $0 += 1 } }
  }

  /// Waits until a number of requests has ended, for ten minutes at most.
  func wait(forEndedCount count: Int) async -> Bool {
    let reached = ended.signal.filter { $0 >= count }.take(1).map { _ in true }
      .setFailureType(to: Late.self).timeout(.seconds(600), failing: Late())
    return (try? await reached.first()) == true
  }

  private struct Late: Error {}
}
