import Signals

/// Lines that something wrote, from whatever thread.
final class Lines: Sendable {
  private let lines = Guarded<[String]>([])

  var all: [String] { lines.withLock { $0 } }

  func add(_ line: String) { lines.withLock { $0.append(line) } }
}
