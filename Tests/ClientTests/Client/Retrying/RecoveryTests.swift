import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// A session whose token expires, over a scripted transport in virtual time.
struct RecoveryTests {
  private let clock = VirtualScheduler()
  private let session: Session

  init() { session = Session(clock) }

  private func recorders(_ count: Int, _ recovery: Recovery) -> [SignalRecorder<Int, NetworkError>] {
    (0..<count).map { _ in SignalRecorder(recovery.recovering(session.request)) }
  }

  @Test("P5") func twentyExpiredRequestsAreRefreshedOnceAndSentAgain() {
    let recovery = Recovery(scheduler: clock) { session.refresh }
    let recorders = recorders(20, recovery)
    clock.run()
    expectEqual(session.refreshCount, 1)
    expectEqual(session.requestCount, 40)
    expect(recorders.allSatisfy { $0.values == [1] && $0.isCompleted && $0.violations.isEmpty })
  }

  @Test("P5") func aFailingRefreshFailsEachOnceAndSendsNothingMore() {
    session.refreshing = .failure(.status(400))
    let recovery = Recovery(scheduler: clock) { session.refresh }
    let recorders = recorders(20, recovery)
    clock.run()
    expectEqual(session.refreshCount, 1)
    expectEqual(session.requestCount, 20)
    expect(recorders.allSatisfy { $0.failure?.statusCode == 400 && $0.events.count == 1 })
  }

  /// A server's own code may have the number of a change of the identity, which is no failure of the refresh.
  @Test func aRefreshThatFailsWithAnyCodeOfTheServersTellsSo() {
    let domains = Guarded<[NetworkError.Domain]>([])
    let recovery = Recovery(scheduler: clock) {
      session.refresh
    } onFailure: { error in
      domains.withLock { $0.append(error.domain) }
    }
    for error in [NetworkError(.contextChanged), NetworkError(.api(613))] {
      session.refreshing = .failure(error)
      let recorder = SignalRecorder(recovery.recovering(session.request))
      clock.run()
      expectEqual(recorder.failure?.code, error.code)
    }
    expectEqual(domains.withLock { $0 }, [.api])
  }

  @Test func nothingHappensToWhatDoesNotMatch() {
    let recovery = Recovery(scheduler: clock) { session.refresh }
    let bad = Script(.failure(.status(403)))
    let recorder = SignalRecorder(recovery.recovering(bad.signal))
    let good = SignalRecorder(recovery.recovering(Script(.value(1)).signal))
    let begun = SignalRecorder(recovery.recovering(Script(.both(1, .status(401))).signal))
    expectEqual(recorder.failure?.statusCode, 403)
    expectEqual(good.values, [1])
    expectEqual(begun.values, [1])
    expectEqual(begun.failure?.statusCode, 401)
    expectEqual(session.refreshCount, 0)
    expectEqual(bad.count, 1)
  }

  @Test func statusesAndCodesMatchForTheirService() {
    let recovery = Recovery(statuses: [401, 419], codes: [.api(1)], service: "shop", scheduler: clock) {
      session.refresh
    }
    let api = NetworkError(.api(1))
    let both = NetworkError(.api(9), response: NetworkError.status(419).response)
    var refused = NetworkError.status(400)
    refused.serverCode = .api(1)
    for error in [.status(401), .status(419), api, both, refused] as [NetworkError] {
      expect(recovery.matches(error, service: "shop"))
      expect(!recovery.matches(error, service: "news"))
      expect(!recovery.matches(error, service: nil))
    }
    let others: [NetworkError.Code] = [.api(401), NetworkError.Code(.client, 401), .network(1)]
    for error in [.status(403), .status(1)] + others.map({ NetworkError($0) }) {
      expect(!recovery.matches(error, service: "shop"))
    }
    let all = Recovery(scheduler: clock) { session.refresh }
    expect(all.matches(.status(401), service: nil))
    expect(all.matches(.status(401), service: "shop"))
  }

  @Test func codesMatchWhateverTheirDomain() {
    let recovery = Recovery(statuses: [], codes: [.status(403), .connectionLost, .unreachable], scheduler: clock) {
      session.refresh
    }
    expect(recovery.matches(.status(403), service: nil))
    expect(recovery.matches(NetworkError(.connectionLost), service: nil))
    expect(!recovery.matches(.status(401), service: nil))
    expect(!recovery.matches(NetworkError(.unreachable), service: nil))
  }

  @Test func whatFailsAgainIsPassedOn() {
    let recovery = Recovery(scheduler: clock) { session.refresh }
    let script = Script(.failure(.status(401)))
    let recorder = SignalRecorder(recovery.recovering(script.signal))
    clock.run()
    expectEqual(recorder.failure?.statusCode, 401)
    expectEqual(script.count, 2)
    expectEqual(session.refreshCount, 1)
  }

  @Test func whoBeganBeforeARefreshEndedNeedsNoOther() {
    let recovery = Recovery(scheduler: clock) { session.refresh }
    session.delay = .seconds(10)
    let slow = recorders(1, recovery)
    session.delay = .seconds(1)
    let quick = recorders(1, recovery)
    clock.advance(by: .seconds(5))
    expect(quick[0].isCompleted)
    expectEqual(session.refreshCount, 1)
    clock.run()
    expect(slow[0].isCompleted)
    expectEqual(session.refreshCount, 1)
    expectEqual(session.requestCount, 4)
  }

  @Test func whoBeganBeforeARefreshFailedFailsWithIt() {
    let recovery = Recovery(scheduler: clock) { session.refresh }
    session.refreshing = .failure(.status(400))
    session.delay = .seconds(10)
    let slow = recorders(1, recovery)
    session.delay = .seconds(1)
    let quick = recorders(1, recovery)
    clock.run()
    expect((slow + quick).allSatisfy { $0.failure?.statusCode == 400 })
    expectEqual(session.refreshCount, 1)
    expectEqual(session.requestCount, 2)
    // Who comes later tries once more.
    session.refreshing = .success(())
    let later = recorders(1, recovery)
    clock.run()
    expect(later[0].isCompleted)
    expectEqual(session.refreshCount, 2)
  }

  @Test("P5") func tooManyRefreshesAreRefusedUntilTheWindowHasPassed() {
    let recovery = Recovery(limit: 3, window: .seconds(60), scheduler: clock) { session.refresh }
    let script = Script(.failure(.status(401)))
    for count in 1...5 {
      let recorder = SignalRecorder(recovery.recovering(script.signal))
      clock.run()
      expectEqual(session.refreshCount, min(count, 3))
      guard count > 3 else {
        expectEqual(recorder.failure?.statusCode, 401)
        continue
      }
      expectEqual(recorder.failure?.code, .recoveryRefused)
      expectEqual(recorder.failure?.request, .sample())
      expectEqual((recorder.failure?.underlying as? NetworkError)?.code, .status(401))
    }
    clock.advance(by: .seconds(60))
    let recorder = SignalRecorder(recovery.recovering(script.signal))
    clock.run()
    expectEqual(recorder.failure?.statusCode, 401)
    expectEqual(session.refreshCount, 4)
  }

  /// The server may have replaced a rotating refresh token.
  @Test func theRefreshGoesOnWithoutThoseThatWait() {
    let recovery = Recovery(limit: 1, scheduler: clock) { session.refresh }
    let first = recorders(3, recovery)
    clock.advance(by: .seconds(1))
    for recorder in first { recorder.dispose() }
    expectEqual(session.disposedCount, 0)
    // A later failure waits for it.
    let next = recorders(1, recovery)
    clock.advance(by: .seconds(1))
    clock.run()
    expect(next[0].isCompleted)
    expect(first.allSatisfy { $0.events.isEmpty })
    expectEqual(session.refreshCount, 1)
    expectEqual(session.disposedCount, 0)
  }

  @Test func aRefreshThatNobodyWaitsForEndsAtItsTimeout() {
    let recovery = Recovery(totalTimeout: .seconds(5), scheduler: clock) { Signal<Void, NetworkError>.never }
    let recorders = recorders(1, recovery)
    clock.advance(by: .seconds(1))
    recorders[0].dispose()
    expectEqual(clock.pendingCount, 1)
    clock.advance(by: .seconds(5))
    expectEqual(clock.pendingCount, 0)
    expectEqual(recovery.refreshCount, 1)
  }

  @Test func theRefreshGoesOnWithoutTheOneThatBeganIt() {
    let recovery = Recovery(scheduler: clock) { session.refresh }
    let recorders = recorders(3, recovery)
    clock.advance(by: .seconds(1))
    recorders[0].dispose()
    clock.run()
    expectEqual(session.refreshCount, 1)
    expectEqual(session.disposedCount, 0)
    expect(recorders[0].events.isEmpty)
    expect(recorders[1].isCompleted)
    expect(recorders[2].isCompleted)
  }

  @Test func theRefreshsOwnRequestDoesNotWaitForItself() {
    let own = Guarded<Recovery?>(nil)
    let recovery = Recovery(scheduler: clock) {
      own.withLock { $0 }?.recovering(Script(.failure(.status(401))).signal) ?? .never
    }
    own.withLock { $0 = recovery }
    let recorder = SignalRecorder(recovery.recovering(Script(.failure(.status(401))).signal))
    expectEqual(recorder.failure?.statusCode, 401)
    own.withLock { $0 = nil }
  }

  /// They are told when the refresh is no longer being begun.
  @Test func whatFollowsARefreshThatEndsAtOnceIsRecoveredLikeAnyOther() {
    let recovery = Recovery(scheduler: clock) { Signal<Int, NetworkError>.just(1) }
    let following = Script(.failure(.status(401)), .value(2))
    let chain = recovery.recovering(Script(.failure(.status(401)), .value(1)).signal)
      .flatMap { _ in recovery.recovering(following.signal) }
    let recorder = SignalRecorder(chain)
    expectEqual(recorder.values, [2])
    expectEqual(following.count, 2)
  }

  @Test func aRefreshMayDisposeWhoBeganIt() {
    let handle = Guarded<Disposable?>(nil)
    let subject = PublishSubject<Int, NetworkError>()
    let recovery = Recovery(scheduler: clock) {
      Signal<Int, NetworkError>.deferred {
        handle.withLock { $0 }?.dispose()
        return session.refresh.map { _ in 1 }
      }
    }
    let subscription = recovery.recovering(subject.signal).subscribe { _ in Issue.record("disposed") }
    handle.withLock { $0 = subscription }
    subject.fail(.status(401))
    clock.run()
    expectEqual(clock.pendingCount, 0)
    let recorder = SignalRecorder(recovery.recovering(session.request))
    clock.run()
    expect(recorder.isCompleted)
  }

  @Test func aReplayIsRetriedAsTheRulesSay() {
    let recovery = Recovery(scheduler: clock) { session.refresh }
    let script = Script(.failure(.status(503)), .failure(.status(401)), .failure(.status(503)), .value(1))
    let recorder = SignalRecorder(
      script.signal.attempted {
        $0.retry = Retry()
        $0.scheduler = clock
        $0.recoveries = [recovery]
      })
    clock.run()
    expectEqual(recorder.values, [1])
    expectEqual(script.count, 4)
    expectEqual(session.refreshCount, 1)
  }

  @Test func nothingIsKeptAfterwards() {
    weak var trace: Recovery?
    do {
      let recovery = Recovery(scheduler: clock) { session.refresh }
      trace = recovery
      let recorders = recorders(3, recovery)
      clock.advance(by: .seconds(1))
      recorders[0].dispose()
      clock.run()
      expect(recorders[2].isCompleted)
    }
    expectNil(trace)
  }
}

/// A token that has expired, the requests that need it, and what renews it.
private final class Session: Sendable {
  private struct State {
    var isValid = false
    var delay = Duration.seconds(1)
    var refreshing: Result<Void, NetworkError> = .success(())
    var requestCount = 0
    var refreshCount = 0
    var disposedCount = 0
  }

  private let state = Guarded(State())
  private let clock: VirtualScheduler

  init(_ clock: VirtualScheduler) { self.clock = clock }

  var requestCount: Int { state.withLock { $0.requestCount } }
  var refreshCount: Int { state.withLock { $0.refreshCount } }
  var disposedCount: Int { state.withLock { $0.disposedCount } }

  var delay: Duration {
    get { state.withLock { $0.delay } }
    set { state.withLock { $0.delay = newValue } }
  }

  var refreshing: Result<Void, NetworkError> {
    get { state.withLock { $0.refreshing } }
    set { state.withLock { $0.refreshing = newValue } }
  }

  /// Answers after a while, by the token of the time when it was sent.
  var request: Signal<Int, NetworkError> {
    .deferred { [self] in
      let (isValid, delay) = state.withLock { state in
        state.requestCount += 1
        return (state.isValid, state.delay)
      }
      return Signal<Void, NetworkError>.timer(after: delay, on: clock)
        .then(isValid ? .just(1) : .fail(.status(401)))
    }
  }

  var refresh: Signal<Void, NetworkError> {
    .deferred { [self] in
      state.withLock { $0.refreshCount += 1 }
      return Signal<Void, NetworkError>.timer(after: .seconds(2), on: clock)
        .then(
          .deferred { [self] in
            switch refreshing {
            case .success:
              state.withLock { $0.isValid = true }
              return .empty
            case .failure(let error): return .fail(error)
            }
          }
        )
        .on(dispose: { [self] in state.withLock { $0.disposedCount += 1 } })
    }
  }
}
