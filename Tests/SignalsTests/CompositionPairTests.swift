import Foundation
import HeliographTesting
import Signals
import Testing

/// What a subscription allocates is freed at every end, however two operators are composed (promise 30).
@Suite struct CompositionPairTests {
  /// Each pair as an inner of one strategy, in turn; of all three if `HELIOGRAPH_PAIRS` is set.
  private static let isComplete = ProcessInfo.processInfo.environment["HELIOGRAPH_PAIRS"] != nil

  /// Runs a composition over every source to every ending.
  private func run(_ stages: [Stage], _ composition: Stage.Transformation, _ turn: Int) -> [String] {
    var problems: [String] = []
    var turn = turn
    let keepsSource = stages.contains { $0.reuse == .resubscribes }
    for origin in Feed.Origin.allCases {
      for ending in CompositionEnding.all(of: origin) where !(keepsSource && ending.isDeallocation) {
        turn += 1
        let inner = CompositionPairTests.isComplete ? Placement.inner : [Placement.inner[turn % 3]]
        for placement in [.root] + inner {
          let trial = CompositionTrial(origin, placement, ending)
          guard let problem = trial.problem(of: composition) else { continue }
          problems.append("\(stages.map(\.testDescription).joined(separator: " * ")) \(problem)")
        }
      }
    }
    return problems
  }

  @Test(arguments: Stage.all)
  func everyOperatorAloneFreesWhatItHolds(stage: Stage) {
    report((0..<3).flatMap { run([stage], stage.apply, $0) })
  }

  @Test(arguments: Stage.all)
  func everyPairOfOperatorsFreesWhatItHolds(first: Stage) {
    report(
      Stage.all.enumerated().flatMap { index, second in
        run([first, second], first * second, index)
      })
  }

  @Test(arguments: Stage.all)
  func everyPairOfOperatorsSendsNothingAfterAnEndOrADisposal(first: Stage) {
    report(
      Stage.all.flatMap { second in
        RawTrial.violations(of: first * second).map { "\(first.testDescription) * \(second.testDescription) \($0)" }
      })
  }
}
