import Foundation
import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// Random compositions deliver what the reference interpreter says, and keep nothing afterwards.
///
/// The trees are the same in each run. `HELIOGRAPH_SCALE` makes them more, `HELIOGRAPH_SEED=random` others, and
/// `HELIOGRAPH_SEED=<number>` begins with one that failed.
@Suite(.serialized) struct CompositionTreeTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let treeCount = 2_000 * Scale.factor
  private static let partCount = min(treeCount, 8)
  private static let firstSeed: UInt64 = {
    guard let text = environment["HELIOGRAPH_SEED"] else { return 1 }
    return UInt64(text) ?? .random(in: 0 ... .max / 2)
  }()

  /// One tree with which something is wrong.
  private struct Finding {
    let seed: UInt64
    let trial: TreeTrial
  }

  @Test(arguments: 0..<partCount)
  func aRandomTreeDeliversWhatTheReferenceDoesAndKeepsNothing(part: Int) {
    var (wrong, leaking): ([Finding], [Finding]) = ([], [])
    for index in stride(from: part, to: CompositionTreeTests.treeCount, by: CompositionTreeTests.partCount) {
      let seed = CompositionTreeTests.firstSeed &+ UInt64(index)
      let trial = TreeTrial(seed: seed, size: 12)
      let outcome = trial.outcome()
      if outcome.events != nil { wrong.append(Finding(seed: seed, trial: trial)) }
      if outcome.kept != nil { leaking.append(Finding(seed: seed, trial: trial)) }
    }
    report(wrong.count, "deliver other events", wrong) { $0.events }
    report(leaking.count, "keep something", leaking) { $0.kept }
  }

  /// Records the simplest of some trees, made as small as possible.
  private func report(
    _ count: Int, _ text: String, _ findings: [Finding], _ aspect: (TreeTrial.Outcome) -> String?
  ) {
    if findings.isEmpty { return }
    let simplest = findings.sorted { "\($0.trial)".count < "\($1.trial)".count }.prefix(4)
    let lines = simplest.map { finding -> String in
      let smallest = finding.trial.shrunk { aspect($0) != nil }
      return "  seed \(finding.seed): \(smallest)\n    \(aspect(smallest.outcome()) ?? "")"
    }
    Issue.record("\(count) trees \(text):\n\(lines.joined(separator: "\n"))")
  }

  @Test func theTreesAreNotTrivial() {
    let outcomes = (0..<500).map { TreeTrial(seed: $0, size: 12).outcome() }
    let valueCounts = outcomes.map { outcome in outcome.expected.filter { !$0.event.isEnd }.count }
    expect(valueCounts.filter { $0 > 0 }.count > 300)
    expect(valueCounts.filter { $0 >= 5 }.count > 50)
  }

  @Test func aDifferenceIsNoticedAndMadeSmall() {
    var trial = TreeTrial(seed: 1, size: 12)
    trial.tree = .unary(.map(1), .unary(.filter, .leaf(.just(3))))
    expectNil(trial.outcome().events)
    expect(trial.outcome(referenceTree: .unary(.map(2), .leaf(.just(3)))).events != nil)
    let smallest = trial.shrunk { $0.expected.contains { $0.event == .value(10) } }
    expectEqual(smallest.tree.description, "just(3).map(1)")
    expect(smallest.steps.isEmpty)
  }
}
