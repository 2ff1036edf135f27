import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// The loop in virtual time.
struct RetryLoopTests {
  private let clock = VirtualScheduler()
  /// After 0.5 s, 1 s, 2 s and so on.
  private let retry = Retry(limit: 3, backoff: .exponential())

  private func recorder(_ script: Script, _ retry: Retry? = nil) -> SignalRecorder<Int, NetworkError> {
    SignalRecorder(script.signal.retrying(retry ?? self.retry, on: clock))
  }

  @Test("P10") func triesAgainAfterGrowingDelaysAndPassesOnTheLastError() {
    let script = Script(
      .failure(.status(503)), .failure(.status(502)), .failure(.network(.timedOut)), .failure(.status(500)), .value(1))
    let recorder = recorder(script)
    for (milliseconds, count) in [(0, 1), (499, 1), (1, 2), (999, 2), (1, 3), (1999, 3)] {
      clock.advance(by: .milliseconds(milliseconds))
      expectEqual(script.count, count)
      expect(recorder.events.isEmpty)
    }
    clock.advance(by: .milliseconds(1))
    expectEqual(script.count, 4)
    expectEqual(recorder.failure?.statusCode, 500)
    expectEqual(recorder.events.count, 1)
    expectEqual(clock.pendingCount, 0)
  }

  @Test func deliversTheValueOfTheTryThatWorked() {
    let script = Script(.failure(.status(503)), .failure(.status(503)), .value(7))
    let recorder = recorder(script)
    clock.run()
    expectEqual(recorder.events.count, 2)
    expectEqual(recorder.values, [7])
    expect(recorder.isCompleted)
  }

  @Test func nothingHappensBeforeASubscriptionAndEachCountsItsOwnTries() {
    let script = Script(.failure(.status(503)))
    let signal = script.signal.retrying(retry, on: clock)
    expectEqual(script.count, 0)
    let recorders = [SignalRecorder(signal), SignalRecorder(signal)]
    clock.run()
    expectEqual(script.count, 8)
    expect(recorders.allSatisfy { $0.events.count == 1 })
  }

  @Test func disposingEndsTheDelay() {
    let script = Script(.failure(.status(503)), .value(1))
    let recorder = recorder(script)
    expectEqual(clock.pendingCount, 1)
    recorder.dispose()
    expectEqual(clock.pendingCount, 0)
    clock.advance(by: .seconds(60))
    expectEqual(script.count, 1)
    expect(recorder.events.isEmpty)
  }

  @Test func disposingEndsTheTry() {
    let isDisposed = Guarded(false)
    let script = Script(.failure(.status(503)), .never)
    let watched = script.signal.on(dispose: { isDisposed.withLock { $0 = true } })
    let recorder = SignalRecorder(watched.retrying(retry, on: clock))
    clock.run()
    expectEqual(script.count, 2)
    recorder.dispose()
    expect(isDisposed.withLock { $0 })
  }

  @Test func whatHasSentAValueIsNotTriedAgain() {
    let script = Script(.both(1, .status(503)), .value(2))
    let recorder = recorder(script)
    clock.run()
    expectEqual(recorder.values, [1])
    expectEqual(recorder.failure?.statusCode, 503)
    expectEqual(script.count, 1)
    let later = Script(.failure(.status(503)), .both(1, .status(503)), .value(2))
    let second = self.recorder(later)
    clock.run()
    expectEqual(second.values, [1])
    expectEqual(later.count, 2)
  }

  @Test(arguments: [
    NetworkError.status(404), .network(.untrustedCertificate), .status(503, for: .sample(.post)),
    .status(503, for: .sample(isIdempotent: false)),
    NetworkError(.circuitOpen, request: .sample()),
  ])
  func whatIsNotCoveredIsPassedOnAtOnce(error: NetworkError) {
    let script = Script(.failure(error), .value(1))
    let recorder = recorder(script)
    expectEqual(recorder.failure?.code, error.code)
    expectEqual(script.count, 1)
    expectEqual(clock.pendingCount, 0)
  }

  @Test func aPostThatSaysSoIsTriedAgain() {
    let script = Script(.failure(.status(503, for: .sample(.post, isIdempotent: true))), .value(1))
    let recorder = recorder(script)
    clock.run()
    expectEqual(recorder.values, [1])
  }

  @Test(arguments: [Retry.never, Retry(limit: -1), Retry(limit: .min)]) func withoutALimitThereIsNone(retry: Retry) {
    let script = Script(.failure(.status(503)), .value(1))
    expectEqual(recorder(script, retry).failure?.statusCode, 503)
    expectEqual(script.count, 1)
  }

  @Test func aServersWishCountsWhereItIsLonger() {
    for (resolved, milliseconds) in [("3", 3000), ("0", 500)] {
      let script = Script(.failure(.status(503, ["Retry-After": resolved])), .value(1))
      let recorder = recorder(script)
      clock.advance(by: .milliseconds(milliseconds - 1))
      expectEqual(script.count, 1)
      clock.advance(by: .milliseconds(1))
      expectEqual(recorder.values, [1])
    }
  }

  @Test func tooLongAWishIsPassedOnAndMayBeIgnored() {
    let error = NetworkError.status(429, ["Retry-After": "61"])
    let script = Script(.failure(error), .value(1))
    expectEqual(recorder(script).failure?.statusCode, 429)
    var patient = retry
    patient.maximumRetryAfter = .seconds(61)
    var deaf = retry
    deaf.maximumRetryAfter = nil
    for (retry, seconds) in [(patient, 61.0), (deaf, 0.5)] {
      let script = Script(.failure(error), .value(1))
      let start = clock.now
      let recorder = recorder(script, retry)
      clock.run()
      expectEqual(recorder.values, [1])
      expectEqual(clock.now - start, .seconds(seconds))
    }
  }

  @Test func aWishForADateIsComparedWithTheWallClock() {
    let head = HTTPResponse(
      statusCode: 503, headers: ["Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT"], url: HTTPRequest.sample().url)
    expectEqual(head.retryAfter { Date(timeIntervalSince1970: 784_111_777 - 20) }, .seconds(20))
  }

  @Test func noRetryIsWaitedForThatWouldBeginAfterTheTotalTimeout() {
    let script = Script(.failure(.status(503)))
    let recorder = SignalRecorder(script.signal.retrying(retry, totalTimeout: .milliseconds(1500), on: clock))
    clock.run()
    // After 0.5 s; another second would be the totalTimeout.
    expectEqual(script.count, 2)
    expectEqual(recorder.failure?.statusCode, 503)
    expectEqual(clock.now, .milliseconds(500))
  }

  @Test func aClosureDecidesBeforeTheRules() {
    let asked = Guarded<[(code: NetworkError.Code, attempt: Int)]>([])
    var retry = retry
    retry.decide = { error, attempt in
      asked.withLock { $0.append((error.code, attempt)) }
      return switch error.code {
      case .status(409): .retry(after: .seconds(7))
      case .status(503): .default
      default: .doNotRetry
      }
    }
    // The rules do not cover the first one, and the second neither as a POST; they do cover the last.
    let script = Script(
      .failure(.status(409, for: .sample(.post))), .failure(.status(503)), .failure(.status(502)), .value(1))
    let recorder = recorder(script, retry)
    clock.advance(by: .milliseconds(6999))
    expectEqual(script.count, 1)
    clock.advance(by: .milliseconds(1))
    expectEqual(script.count, 2)
    clock.advance(by: .seconds(1))
    expectEqual(script.count, 3)
    expectEqual(recorder.failure?.code, .status(502))
    expectEqual(asked.withLock { $0.map(\.code) }, [.status(409), .status(503), .status(502)])
    expectEqual(asked.withLock { $0.map(\.attempt) }, [1, 2, 3])
  }

  @Test func aClosureMayLeaveTheDelayToTheRules() {
    let retry = Retry(limit: 2, backoff: .constant(.seconds(1))) { error, _ in
      error.request?.method == .post ? .retry() : .doNotRetry
    }
    let script = Script(
      .failure(.status(429, ["Retry-After": "6.5"], for: .sample(.post))),
      .failure(.status(529, for: .sample(.post))), .value(1))
    let recorder = recorder(script, retry)
    clock.advance(by: .milliseconds(6999))
    expectEqual(script.count, 1)
    clock.advance(by: .milliseconds(1))
    expectEqual(script.count, 2)
    clock.advance(by: .seconds(1))
    expectEqual(recorder.values, [1])
    let late = Script(.failure(.status(429, ["Retry-After": "61"], for: .sample(.post))))
    expectEqual(self.recorder(late, retry).failure?.statusCode, 429)
    expectEqual(late.count, 1)
  }

  @Test func whatAClosureDecidesKeepsToTheLimits() {
    let always = Retry(limit: 3, backoff: .none) { _, _ in .retry(after: .seconds(-1)) }
    let script = Script(.failure(.status(404)))
    expectEqual(recorder(script, always).failure?.code, .status(404))
    expectEqual(script.count, 4)
    let sent = Script(.both(1, .status(503)))
    expectEqual(recorder(sent, always).values, [1])
    expectEqual(sent.count, 1)
    let poor = Script(.failure(.status(404)))
    let budget = RetryBudget(share: 0, reserveCount: 1, reservePerSecond: 0, scheduler: clock)
    expect(SignalRecorder(poor.signal.retrying(always, budget: budget, on: clock)).hasEnded)
    expectEqual(poor.count, 2)
    let late = Script(.failure(.status(404)))
    let patient = Retry(limit: 3) { _, _ in .retry(after: .seconds(2)) }
    let recorder = SignalRecorder(late.signal.retrying(patient, totalTimeout: .seconds(5), on: clock))
    clock.run()
    expectEqual(late.count, 3)
    expectEqual(recorder.failure?.code, .status(404))
  }

  @Test func withoutBudgetTheErrorIsPassedOn() {
    let budget = RetryBudget(share: 0, reserveCount: 1, reservePerSecond: 0, scheduler: clock)
    let script = Script(.failure(.status(503)))
    let recorder = SignalRecorder(script.signal.retrying(retry, budget: budget, on: clock))
    clock.run()
    expectEqual(script.count, 2)
    expectEqual(recorder.failure?.statusCode, 503)
    // What is not tried again anyhow takes nothing out.
    let other = RetryBudget(share: 0, reserveCount: 1, reservePerSecond: 0, scheduler: clock)
    let bad = Script(.failure(.status(404)))
    let second = SignalRecorder(bad.signal.retrying(retry, budget: other, on: clock))
    expect(second.hasEnded)
    expectEqual(other.availableCount, 1)
  }

  /// On a thread of 512 KiB: nested, they would need more than that.
  @Test func manyTriesAtOnceDoNotNest() async {
    let script = Script(.failure(.status(503)))
    let recorded = Guarded<SignalRecorder<Int, NetworkError>?>(nil)
    await together(1, stackByteCount: 512 * 1024) { _ in
      let signal = script.signal.retrying(Retry(limit: 2_000, backoff: .none), on: .immediate)
      let recorder = SignalRecorder(signal)
      recorded.withLock { $0 = recorder }
    }
    expectEqual(script.count, 2_001)
    expectEqual(recorded.withLock { $0 }?.failure?.statusCode, 503)
  }

  @Test func threadsThatDisposeAtTheInstantOfARetrySeeNothingAfterwards() async {
    for _ in 0..<50 {
      let clock = VirtualScheduler()
      let script = Script(.failure(.status(503)))
      let recorder = SignalRecorder(script.signal.retrying(retry, on: clock))
      await together(2) { index in
        if index == 0 { clock.run() } else { recorder.dispose() }
      }
      clock.run()
      expectEqual(clock.pendingCount, 0)
      expect(recorder.violations.isEmpty)
      expect(recorder.events.count <= 1)
    }
  }
}
