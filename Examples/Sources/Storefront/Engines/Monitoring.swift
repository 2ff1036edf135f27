import Heliograph
import Synchronization

/// The monitors of every client in this program.
enum Monitoring {
  /// None, unless the command asks for some; a task local, so that no engine has to pass them on.
  @TaskLocal static var monitors: [any Monitor] = []
}

/// A count of requests.
final class RequestCount: Monitor {
  private let count = Atomic(0)

  /// The number of requests so far.
  var value: Int { count.load(ordering: .relaxed) }

  func observe(_ event: MonitorEvent) {
    if case .started = event { count.add(1, ordering: .relaxed) }
  }
}
