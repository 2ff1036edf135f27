import Foundation
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

@testable import Heliograph

/// The decisions of a run as values.
struct RunHistoryTests {
  @Test func aLongRunKeepsItsFirstAndItsLastSteps() {
    var history = RunHistory()
    for number in 1...1_000 { history.append(.attempt(number, .none), at: .milliseconds(number)) }
    expectEqual(history.steps.count, RunHistory.limit)
    expectEqual(history.droppedCount, 1_000 - RunHistory.limit)
    let numbers = history.steps.map { if case .attempt(let number, _) = $0.entry { number } else { 0 } }
    expectEqual(numbers, Array(1...32) + Array(969...1_000))
    let lines = history.text.split(separator: "\n")
    expectEqual(lines.count, 1 + RunHistory.limit + 1)
    expectEqual(lines[33].trimmingCharacters(in: .whitespaces), "… 936 steps left out")
  }

  @Test func aRedirectStatesItsLosses() {
    let former = HTTPRequest.redirected(.post, "https://a.example/x", ["Authorization": "s3cret", "Accept": "*/*"])
    let head = HTTPResponse(statusCode: 303, url: former.url)
    let next = HTTPRequest.redirected(.get, "https://b.example/y?token=s3cret", ["Accept": "*/*"])
    let redirect = RunHistory.Redirect(head, from: former, to: next)
    expect(redirect.isCrossOrigin)
    expectEqual(redirect.previousMethod, .post)
    expectEqual(redirect.droppedFields, ["Authorization"])
    var history = RunHistory()
    history.append(.redirect(redirect), at: .zero)
    let text = "redirect 303 to GET https://b.example/y?…, another origin, POST before, without Authorization"
    expectEqual(history.text, "Decisions\n       0.0 ms  \(text)")
    let same = RunHistory.Redirect(head, from: former, to: former)
    expect(!same.isCrossOrigin && same.droppedFields.isEmpty && same.previousMethod == nil && !same.dropsBody)
  }

  @Test func theHistoryOfAResponseEndsWithItsDelivery() throws {
    let log = RunLog()
    log.append(.attempt(1, .none), at: .zero)
    let stored = log.position
    expectEqual(stored.historyUntilDelivery.steps.count, 1)
    for entry: RunHistory.Entry in [.delivered, .attempt(2, .none)] { log.append(entry, at: .zero) }
    let second = log.position
    log.append(.responded(statusCode: 200), at: .zero)
    expectEqual([stored, second].map(\.historyUntilDelivery.steps.count), [2, 4])
    for _ in 1...3 { log.append(.delivered, at: .zero) }
    expectEqual([stored, second].map(\.historyUntilDelivery.steps.count), [2, 5])
    expectEqual([stored, second].map(\.history.steps.count), [1, 3])
    expectEqual(log.history.steps.count, 7)
  }

  @Test func theDeliveryIsFoundAlsoIfStepsWereDropped() {
    let log = RunLog()
    for number in 1...100 { log.append(.attempt(number, .none), at: .zero) }
    let position = log.position
    for _ in 1...2 { log.append(.delivered, at: .zero) }
    expectEqual(position.historyUntilDelivery.steps.count, RunHistory.limit - 1)
    expectEqual(position.historyUntilDelivery.droppedCount, 38)
    expectEqual(position.history.steps.count, RunHistory.limit - 2)
    expectEqual(position.history.droppedCount, 38)
  }

  /// The first value of `cacheThenNetwork` is kept while the second request is repeated.
  @Test(arguments: [1, 31, 32, 33, 64, 90]) func whatCameBeforeDroppedStepsIsExplained(_ count: Int) {
    let log = RunLog()
    for number in 1..<count { log.append(.attempt(number, .none), at: .zero) }
    let position = log.position
    log.append(.delivered, at: .zero)
    let before = position.historyUntilDelivery
    for number in 1...20 { log.append(.attempt(number, .none), at: .zero) }
    expectEqual(position.historyUntilDelivery.text.contains("value delivered"), true)
    expectEqual(position.historyUntilDelivery.stepCount, before.stepCount)
    for number in 1...100 { log.append(.attempt(number, .none), at: .zero) }
    expect(position.history.text.hasPrefix("Decisions"))
    expectEqual(position.history.stepCount, count - 1)
    if count <= 32 { expectEqual(position.historyUntilDelivery.text, before.text) }
  }

  @Test func onlyStagesThatChangeFieldsAreRecorded() {
    var fields: HTTPHeaders = ["Accept": "*/*"]
    var provenance = CopyOnWrite(
      RequestProvenance(
        base: .client, service: nil, environment: nil, addsClient: true, addsService: true, clientFields: fields))
    provenance.record(fields, after: .service)
    fields["X-Shop"] = "1"
    provenance.record(fields, after: .request)
    provenance.record(fields, after: .filters)
    expectEqual(provenance.value.snapshots.map(\.stage), [.client, .request])
    expectEqual(provenance.value.stage(of: "accept", in: fields), .client)
    expectEqual(provenance.value.stage(of: "x-shop", in: fields), .request)
    fields["X-Shop"] = "2"
    expectEqual(provenance.value.stage(of: "x-shop", in: fields), .middleware)
  }

  @Test func everyRetryRuleNamesItself() {
    let verdicts: [(Retry, NetworkError)] = [
      (Retry(limit: 3), .status(404)), (Retry(limit: 3), .status(503, for: .sample(.post))),
      (Retry(limit: 3) { _, _ in .doNotRetry }, .status(503)),
      (Retry(limit: 3, maximumRetryAfter: .seconds(1)), .status(503, ["Retry-After": "9"])),
      (Retry(limit: 1, backoff: .none), .status(503)),
      (Retry(limit: 1, backoff: .none), .status(503, ["Retry-After": "0"])),
      (Retry(limit: 1) { _, _ in .retry(after: .zero) }, .status(404)),
    ]
    let texts = verdicts.map { retry, error in
      let verdicts = [1, 2].map { retry.verdict(before: $0, after: error, until: nil, nil) }
      return verdicts.prefix(verdicts[0].delay == nil ? 1 : 2).map(\.description)
    }
    expectEqual(
      texts,
      [
        ["not retried: the retry rules do not list this failure"],
        ["not retried: the request is not idempotent; set an idempotency key or isIdempotent"],
        ["not retried: `Retry.decide` has decided so"],
        ["not retried: Retry-After asks for 9000.0 ms, more than 1000.0 ms"],
        ["retry 1 of 1 after 0.0 ms, by backoff", "not retried: the limit of retries is 1"],
        ["retry 1 of 1 after 0.0 ms, by backoff", "not retried: the limit of retries is 1"],
        ["retry 1 of 1 after 0.0 ms, by `Retry.decide`", "not retried: the limit of retries is 1"],
      ])
  }

  @Test func valuesBudgetAndTimeoutEndRetries() {
    let clock = VirtualScheduler()
    let patient = Retry(limit: 3, backoff: .constant(.seconds(9)))
    func last(
      _ outcomes: Script, _ budget: RetryBudget? = nil, _ totalTimeout: Duration? = nil
    ) -> RetryVerdict? {
      let signal = outcomes.signal.attempted {
        $0.retry = patient
        $0.retryBudget = budget
        $0.totalTimeout = totalTimeout
        $0.scheduler = clock
        $0.monitors = [MonitorLog()]
      }
      let entries = SignalRecorder(signal).failure?.log?.history.steps.map(\.entry) ?? []
      return entries.compactMap { if case .retry(let verdict) = $0 { verdict } else { nil } }.last
    }
    expectEqual(last(Script(.both(1, .status(503)))), .delivered)
    let budget = RetryBudget(share: 0, reserveCount: 0, scheduler: clock)
    expectEqual(last(Script(.failure(.status(503))), budget), .budgetSpent)
    expectEqual(last(Script(.failure(.status(503))), nil, .seconds(5)), .delayBeyondTimeout(.seconds(9)))
  }
}

extension HTTPRequest {
  fileprivate static func redirected(_ method: HTTPMethod, _ url: String, _ headers: HTTPHeaders) -> HTTPRequest {
    HTTPRequest(method: method, url: URL(string: url) ?? URL(filePath: "/"), headers: headers)
  }
}
