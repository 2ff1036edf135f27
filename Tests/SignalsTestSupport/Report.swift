import Foundation
import Testing

/// Records one issue for all problems that a loop has found: the count and the first few, or all of them if
/// `HELIOGRAPH_PROBLEMS` is set.
package func report(_ problems: [String], sourceLocation: SourceLocation = #_sourceLocation) {
  if problems.isEmpty { return }
  let isComplete = ProcessInfo.processInfo.environment["HELIOGRAPH_PROBLEMS"] != nil
  let shown = isComplete ? problems : Array(problems.prefix(8))
  Issue.record("\(problems.count) problems:\n\(shown.joined(separator: "\n"))", sourceLocation: sourceLocation)
}
