import Foundation
import Signals
import Testing

/// Finds a run that stands still: no wait has begun or ended for a quarter of an hour.
///
/// It prints what every unfinished test waits for, and ends the process with a backtrace of all threads.
package final class Watchdog: Sendable {
  package static let shared = Watchdog()

  /// Longer than any run.
  package static let unlimited = Duration.seconds(86_000)

  /// The time without any progress after which the run is over.
  ///
  /// On a busy machine, and under ThreadSanitizer, a task may be resumed only after minutes. The shortest limit of a CI job
  /// is twice as long.
  private static let limit = Duration.seconds(900)

  private struct State {
    var waits: [Int: String] = [:]
    var count = 0
    var latest = ContinuousClock.now
    var isWatching = false
  }

  private let state = Guarded(State())

  /// Registers a wait of the current test; returns its number.
  package func begin(_ object: String, at location: String? = nil) -> Int {
    let test = Test.current
    let place = location ?? test.map { "\($0.sourceLocation.fileID):\($0.sourceLocation.line)" } ?? ""
    let (number, mustStart) = state.withLock { state in
      defer { state.isWatching = true }
      state.count += 1
      state.latest = .now
      state.waits[state.count] = "\(test?.name ?? "no test") (\(place)) waits for \(object)"
      return (state.count, !state.isWatching)
    }
    if mustStart { Thread.detachNewThread { self.watch() } }
    return number
  }

  package func end(_ number: Int) {
    state.withLock { state in
      state.waits[number] = nil
      state.latest = .now
    }
  }

  private func watch() -> Never {
    while true {
      // sleeps: this is the clock of the whole run.
      Thread.sleep(forTimeInterval: 1)
      let (waits, quiet) = state.withLock { ($0.waits, $0.latest.duration(to: .now)) }
      guard quiet > Self.limit else { continue }
      let lines = waits.sorted { $0.key < $1.key }.map(\.value)
      print("The run stands still: nothing was waited for anew, and no wait has ended, for \(quiet).")
      print(lines.isEmpty ? "No test waits by a function of TestSupport." : lines.joined(separator: "\n"))
      fflush(nil)
      abort()
    }
  }
}
