import Foundation
import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// What a subscription allocates is freed at every end, however two operators are composed (promise 30).
@Suite(.serialized) struct CompositionPairTests {
  /// All pairs if `HELIOGRAPH_SCALE` is 10 or more, as in `.ci/run`; otherwise every third pair.
  private static let hasAllPairs = Scale.isMedium
  /// Each ending as an inner of all three strategies, as in `make check`; otherwise of one strategy in turn.
  private static let isComplete = Scale.isFull

  /// The second operators of a first one's pairs, with their places in the registry.
  private func seconds(of first: Stage) -> [(offset: Int, element: Stage)] {
    let place = Stage.all.firstIndex { $0.testDescription == first.testDescription } ?? 0
    return Stage.all.enumerated().filter { CompositionPairTests.hasAllPairs || ($0.offset + place) % 3 == 0 }
  }

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
      seconds(of: first).flatMap { index, second in
        run([first, second], first * second, index)
      })
  }

  @Test(arguments: Stage.all)
  func everyPairOfOperatorsSendsNothingAfterAnEndOrADisposal(first: Stage) {
    report(
      seconds(of: first).flatMap { _, second in
        RawTrial.violations(of: first * second).map { "\(first.testDescription) * \(second.testDescription) \($0)" }
      })
  }

  /// Keeps itself, and a token, as a cycle does.
  private final class Cycle: Sendable {
    let own = Later<Cycle>()
    let token: Token

    init(_ token: Token) {
      self.token = token
    }
  }

  @Test(arguments: Placement.allCases)
  func aStageThatKeepsSomethingIsReported(placement: Placement) {
    let cycles = Log<Cycle>()
    let leaking: Stage.Transformation = { source, parts in
      let cycle = Cycle(parts.token())
      cycle.own.value = cycle
      cycles.add(cycle)
      return source
    }
    let problem = CompositionTrial(.create, placement, .completion).problem(of: leaking)
    expectEqual(problem, "over create, \(placement.rawValue), completion: 1 alive")
    for cycle in cycles.entries { cycle.own.value = nil }
  }

  @Test func aStageThatDoesNotStopItsSourceIsReported() {
    let problem = CompositionTrial(.create, .root, .disposal).problem(of: RawRecorderTests.goesOn)
    expectEqual(problem?.contains("the source is not idle"), true)
  }

  @Test func aStageThatIsTornDownTwiceIsReported() {
    let problem = CompositionTrial(.subject, .root, .completion).problem(of: RawRecorderTests.tearsDownTwice)
    expectEqual(problem?.contains("2 teardowns of 1 starts"), true)
  }
}
