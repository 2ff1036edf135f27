import Signals

/// Lines that something wrote, from whatever thread.
package final class Lines: Sendable {
  private let lines = Guarded<[String]>([])

  package init() {}

  package var all: [String] { lines.withLock { $0 } }

  package func add(_ line: String) { lines.withLock { $0.append(line) } }
}
