import Foundation

/// How much the tests explore: `HELIOGRAPH_SCALE`, 1 by default, 10 in `.ci/run`, 100 in `make check`.
package enum Scale {
  package static let factor = ProcessInfo.processInfo.environment["HELIOGRAPH_SCALE"].flatMap { Int($0) } ?? 1

  /// Whether the counts of `.ci/run` are wanted.
  package static var isMedium: Bool { factor >= 10 }
  /// Whether the counts of `make check` are wanted.
  package static var isFull: Bool { factor >= 100 }

  /// A count, ten times as much in `make check`.
  package static func count(_ count: Int) -> Int { isFull ? count * 10 : count }
}
