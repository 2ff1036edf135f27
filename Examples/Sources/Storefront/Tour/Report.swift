import Foundation

/// Prints what the tour shows as it goes, and counts what it failed to show.
@MainActor
final class Report {
  private let startedAt = ContinuousClock.now
  private var stepCount = 0
  private var shownCount = 0
  private var failureCount = 0
  private var skippedCount = 0

  func begin(_ title: String) {
    stepCount += 1
    write("\n\(stepCount). \(title)")
  }

  /// Prints a claim with a mark that says whether it holds, and what was seen.
  func check(_ holds: Bool, _ claim: String, _ observation: String) {
    if holds { shownCount += 1 } else { failureCount += 1 }
    write("   \(holds ? "✓" : "✗") \(claim)\n       \(observation)")
  }

  func skip(_ reason: String) {
    skippedCount += 1
    write("   – skipped: \(reason)")
  }

  /// Prints the sum.
  ///
  /// - Returns: whether every claim held.
  func conclude() -> Bool {
    let skipped = skippedCount == 0 ? "" : ", \(skippedCount) steps skipped"
    let time = String(format: "%.1f s", (ContinuousClock.now - startedAt) / .seconds(1))
    write("\n\(failureCount == 0 ? "✓" : "✗") \(shownCount) claims shown, \(failureCount) not\(skipped), in \(time)")
    return failureCount == 0
  }

  private func write(_ line: String) {
    print(line)
    // A pipe would keep the lines back until the end.
    fflush(nil)
  }
}
