import Foundation
import Signals
import TestSupport
import Testing

@testable import Heliograph

/// The transitions of exchanges in sequence, without exchanges.
struct ExchangePlanTests {
  private struct Rule: ExchangeRule {
    let request: HTTPRequest
    var isRedirecting = true
    var isAuthenticated: Bool { false }
    var isAfterEffect: Bool { false }
    var isIdempotent: Bool { true }

    func makeRequest() -> HTTPRequest { request }
    func hasLostCredentials(at head: HTTPResponse) -> Bool { false }
    func successor(after head: HTTPResponse) -> Rule? { nil }
  }

  private let rule: Rule
  private let followed: ExchangePlan.Input
  /// The response is a challenge.
  private let answered: ExchangePlan.Input
  private let delivered = ExchangePlan.Input.head(successor: nil)
  private let failed = ExchangePlan.Input.failed(NetworkError(.connectionLost), isFinal: false)
  private let late = ExchangePlan.Input.failed(NetworkError(.timedOut), isFinal: true)

  init() throws {
    rule = Rule(request: HTTPRequest(url: try require(URL(string: "https://a.example/new"))))
    followed = .head(successor: rule)
    answered = .head(successor: Rule(request: rule.request, isRedirecting: false))
  }

  private func metrics(_ duration: Int, sent: Int = 0) -> Metrics {
    var metrics = Metrics(endedAt: .seconds(duration))
    metrics.sentByteCount = sent
    return metrics
  }

  /// Returns the actions, as text, with which a plan meets the events of an exchange.
  private func actions(_ plan: inout ExchangePlan, _ number: Int, _ inputs: [ExchangePlan.Input]) -> [String] {
    inputs.map { text(plan.react(to: $0, of: number)) }
  }

  private func text(_ action: ExchangePlan.Action) -> String {
    switch action {
    case .ignore: "ignore"
    case .deliver: "deliver"
    case .deliverMetrics(let metrics):
      "metrics \(metrics.endedAt) \(metrics.sentByteCount) \(metrics.redirectCount) \(metrics.resendCount)"
    case .fail(let error): "fail \(error.code)"
    case .wait: "wait"
    case .start(_, let number): "start \(number)"
    }
  }

  @Test func aResponseThatIsDeliveredIsDeliveredWhole() {
    var plan = ExchangePlan()
    let inputs: [ExchangePlan.Input] = [
      .progress, delivered, .body(byteCount: 1_000_000), .waitEnded, .body(byteCount: 1), .metrics(metrics(1, sent: 2)),
      .completed,
    ]
    expectEqual(
      actions(&plan, 0, inputs),
      ["deliver", "deliver", "deliver", "ignore", "deliver", "metrics 1.0 seconds 2 0 0", "deliver"])
  }

  @Test func aResponseThatIsFollowedIsDropped() {
    var plan = ExchangePlan()
    let inputs: [ExchangePlan.Input] = [
      .progress, followed, .progress, .body(byteCount: 1), .metrics(metrics(1, sent: 2)), .completed,
    ]
    expectEqual(actions(&plan, 0, inputs), ["deliver", "wait", "deliver", "ignore", "ignore", "start 1"])
    expectEqual(
      actions(&plan, 1, [delivered, .metrics(metrics(2, sent: 3)), .completed]),
      ["deliver", "metrics 3.0 seconds 5 1 0", "deliver"])
  }

  /// What starts the next exchange, and what does not.
  @Test func theNextExchangeStartsAtTheFirstOfThese() {
    let limit = ExchangePlan.droppedByteLimit
    for start in [ExchangePlan.Input.completed, failed, .waitEnded, .body(byteCount: limit + 1)] {
      var plan = ExchangePlan()
      expectEqual(actions(&plan, 0, [followed, start]), ["wait", "start 1"])
      // Once: the former exchange still sends until it is disposed, and its timer fires.
      let rest: [ExchangePlan.Input] = [
        followed, delivered, .progress, .body(byteCount: limit + 1), .metrics(metrics(1)), .waitEnded, failed, late,
        .completed,
      ]
      expectEqual(actions(&plan, 0, rest), rest.map { _ in "ignore" })
      expectEqual(actions(&plan, 1, [delivered, .completed]), ["deliver", "deliver"])
    }
    var plan = ExchangePlan()
    let pieces = [ExchangePlan.Input.body(byteCount: limit), .body(byteCount: 0), .body(byteCount: 1)]
    expectEqual(actions(&plan, 0, [followed] + pieces), ["wait", "ignore", "ignore", "start 1"])
    // Each has a limit of its own.
    expectEqual(actions(&plan, 1, [followed] + pieces), ["wait", "ignore", "ignore", "start 2"])
  }

  @Test func aFailureIsDeliveredUnlessItsResponseIsFollowed() {
    for inputs in [[failed], [delivered, failed], [delivered, late], [late], [followed, late]] {
      var plan = ExchangePlan()
      expectEqual(actions(&plan, 0, inputs).last?.hasPrefix("fail"), true)
      // Nothing follows the end.
      expectEqual(
        actions(&plan, 0, [.completed, .waitEnded, failed, late, .progress]), Array(repeating: "ignore", count: 5))
    }
    var plan = ExchangePlan()
    expectEqual(actions(&plan, 0, [.completed, .completed, failed]), ["deliver", "ignore", "ignore"])
  }

  /// A redirect and an answered challenge count apart; the instants and bytes of both are added.
  @Test func theMetricsOfTheEarlierExchangesAreAdded() {
    var plan = ExchangePlan()
    for (number, head) in [followed, answered, followed].enumerated() {
      _ = actions(&plan, number, [head, .metrics(metrics(1, sent: 10)), .completed])
    }
    expectEqual(actions(&plan, 3, [delivered, .metrics(metrics(1, sent: 1))]).last, "metrics 4.0 seconds 31 2 1")
  }

  /// Those of a transport that has itself resent the last exchange are added.
  @Test(arguments: [NetworkError.Code.connectionLost, .unreachable])
  func aFailureHasTheCountsOfTheEarlierExchanges(_ code: NetworkError.Code) throws {
    var plan = ExchangePlan()
    _ = actions(&plan, 0, [answered, .metrics(metrics(1)), .completed])
    var last = metrics(5)
    last.resendCount = 1
    let action = plan.react(to: .failed(NetworkError(code, metrics: last), isFinal: false), of: 1)
    guard case .fail(let error) = action else { return expect(false, "\(action)") }
    let found = try require(error.metrics)
    expectEqual([found.resendCount, found.challengeCount, found.redirectCount], [2, 1, 0])
    expectEqual(found.endedAt, code == .unreachable ? .seconds(6) : .seconds(5))
  }

  @Test func aFailureBeforeAHeadStartsTheRepetitionWhichAnswersNoChallenge() throws {
    var plan = ExchangePlan()
    let lost = ExchangePlan.Input.failed(NetworkError(.connectionLost), isFinal: false, repetition: rule)
    let repeated = ExchangePlan.Input.failed(
      NetworkError(.connectionLost), isFinal: false, repetition: Rule(request: rule.request, isRedirecting: false))
    expectEqual(actions(&plan, 0, [repeated]), ["start 1"])
    let action = plan.react(to: .metrics(metrics(1)), of: 1)
    guard case .deliverMetrics(let sum) = action else { return expect(false, "\(action)") }
    expectEqual([sum.resendCount, sum.challengeCount], [1, 0])
    // Not after a head, which would come twice.
    expectEqual(actions(&plan, 1, [delivered, lost]), ["deliver", "fail \(NetworkError.Code.connectionLost)"])
    plan = ExchangePlan()
    let final = ExchangePlan.Input.failed(NetworkError(.connectionLost), isFinal: true, repetition: rule)
    expectEqual(actions(&plan, 0, [final]), ["fail \(NetworkError.Code.connectionLost)"])
  }

  @Test func aCancelledExchangeCountsToo() throws {
    var plan = ExchangePlan()
    _ = actions(&plan, 0, [followed, .waitEnded])
    let lost = plan.react(to: .failed(NetworkError(.connectionLost, metrics: metrics(5)), isFinal: false), of: 1)
    guard case .fail(let error) = lost else { return expect(false, "\(lost)") }
    // How far the last exchange got.
    expectEqual(error.metrics?.endedAt, .seconds(5))
    expectEqual(error.metrics?.redirectCount, 1)
    plan = ExchangePlan()
    _ = actions(&plan, 0, [followed, .metrics(metrics(1)), .completed])
    let refused = plan.react(to: .failed(NetworkError(.tooManyRedirects), isFinal: true), of: 1)
    guard case .fail(let refusal) = refused else { return expect(false, "\(refused)") }
    try expect(require(refusal.metrics).endedAt >= .seconds(1))
    expectEqual(refusal.metrics?.redirectCount, 1)
  }
}
