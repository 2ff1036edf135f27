import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// Promises 20 to 24: combining, time, failure, sharing.
struct ContractCombiningTests {
  enum Joining: CaseIterable {
    case zip
    case combineLatest
    case withLatest
  }

  let left = Source<Int>()
  let right = Source<Int>()
  let clock = VirtualScheduler()

  private func join(_ joining: Joining, _ a: Numbers, _ b: Numbers) -> Numbers {
    switch joining {
    case .zip: a.zip(b).map { $0 * 100 + $1 }
    case .combineLatest: a.combineLatest(b).map { $0 * 100 + $1 }
    case .withLatest: a.withLatest(from: b).map { $0 * 100 + $1 }
    }
  }

  /// The other source ends, or the subscription is disposed, from inside a delivery of the first.
  @Test(arguments: Joining.allCases, 0..<4)
  func promise20_anEndFromInsideASourceDoesNotDeadlock(joining: Joining, ending: Int) {
    let (log, handle) = (Log<Event<Int, Fault>>(), Later<Disposable>())
    handle.value = join(joining, left.signal, right.signal).subscribe { [left, right] event in
      log.add(event)
      guard !event.isTerminal else { return }
      switch ending {
      case 0:
        left.complete()
        right.complete()
      case 1: right.fail()
      case 2: left.fail()
      default: handle.value?.dispose()
      }
    }
    left.send(1)
    right.send(2)
    left.send(3)
    let first = joining == .withLatest ? 302 : 102
    let endings: [Event<Int, Fault>] = [.completed, .failed(.broken), .failed(.broken)]
    expectEqual(log.entries, [.value(first)] + (ending < 3 ? [endings[ending]] : []))
    expect(left.isIdle)
    expect(right.isIdle)
  }

  @Test(arguments: Joining.allCases, [Event<Int, Fault>.completed, .failed(.broken)])
  func promise20_aSourceThatEndsWhileItIsBeingSubscribedTo(joining: Joining, ending: Event<Int, Fault>) {
    let ended: Numbers = ending == .completed ? .empty : .fail(.broken)
    for signal in [join(joining, ended, right.signal), join(joining, left.signal, ended)] {
      let recorder = SignalRecorder(signal)
      expectEqual(recorder.events, [ending])
      expect(left.isIdle)
      expect(right.isIdle)
    }
  }

  @Test(arguments: Joining.allCases)
  func promise20_oneSignalJoinedWithItself(joining: Joining) {
    let subject = PublishSubject<Int, Fault>()
    let recorder = SignalRecorder(join(joining, subject.signal, subject.signal))
    subject.send(1)
    subject.send(2)
    subject.fail(.late)
    expectEqual(recorder.values.last, 202)
    expectEqual(recorder.failure, .late)
  }

  @Test(arguments: Joining.allCases)
  func promise20_failureOnOneThreadAndValuesOnAnother(joining: Joining) async {
    for _ in 1...200 {
      let (left, right) = (Source<Int>(), Source<Int>())
      let recorder = SignalRecorder(join(joining, left.signal, right.signal))
      await together(3) { thread in
        switch thread {
        case 0: for value in 0..<100 { left.send(value) }
        case 1: for value in 0..<100 { right.send(value) }
        default: right.fail()
        }
      }
      expectEqual(recorder.failure, .broken)
      expect(recorder.violations.isEmpty)
      expect(left.isIdle)
      expect(right.isIdle)
    }
  }

  @Test func promise20_zipCompletesAsSoonAsNoFurtherPairIsPossible() {
    let first = SignalRecorder(left.signal.zip(right.signal).map { $0 + $1 })
    left.send(1)
    left.complete()
    expect(!first.hasEnded)
    right.send(10)
    expectEqual(first.events, [.value(11), .completed])
    expect(right.isIdle)

    let second = SignalRecorder(left.signal.zip(right.signal).map { $0 + $1 })
    left.send(1)
    right.send(10)
    right.complete()
    expectEqual(second.events, [.value(11), .completed])
    expect(left.isIdle)
  }

  @Test func promise20_zipPairsInOrderFromTwoThreads() async {
    let recorder = SignalRecorder(left.signal.zip(right.signal).map { [$0, $1] })
    await together(2) { [left, right] thread in
      for value in 0..<3000 { (thread == 0 ? left : right).send(value) }
    }
    expectEqual(recorder.values, (0..<3000).map { [$0, $0] })
    expect(recorder.violations.isEmpty)
  }

  @Test func promise21_retryCountsPerSubscriptionAndForwardsTheLastFailure() {
    let runs = Tally()
    let signal = Numbers { observer in
      runs.arrive()
      observer.fail(.number(runs.count))
      return nil
    }
    .retry(2)
    expectEqual(SignalRecorder(signal).events, [.failed(.number(3))])
    expectEqual(SignalRecorder(signal).events, [.failed(.number(6))])
  }

  @Test func promise21_aCompletionIsNeverRetried() {
    let recorder = SignalRecorder(left.signal.retry(5))
    left.fail()
    left.complete()
    expectEqual(recorder.events, [.completed])
    expectEqual(left.subscriptionCount, 2)
    expect(left.isIdle)
  }

  @Test func promise21_aPendingDelayIsCancelledByDisposal() {
    let recorder = SignalRecorder(left.signal.retry(3, .constant(.seconds(5)), on: clock))
    left.fail()
    expectEqual(clock.pendingCount, 1)
    recorder.dispose()
    expectEqual(clock.pendingCount, 0)
    clock.run()
    expectEqual(left.subscriptionCount, 1)
  }

  @Test func promise22_anEventInTimeWinsAndLaterInputIsIgnored() {
    let recorder = SignalRecorder(left.signal.timeout(.seconds(10), failing: .late, on: clock))
    clock.advance(by: .seconds(9))
    left.send(1)
    clock.advance(by: .seconds(9))
    expectEqual(recorder.events, [.value(1)])
    clock.advance(by: .seconds(1))
    left.send(2)
    left.complete()
    expectEqual(recorder.events, [.value(1), .failed(.late)])
    expectEqual(left.teardownCount, 1)
    expectEqual(clock.pendingCount, 0)
  }

  @Test func promise22_anEndInTimeCancelsTheTimeout() {
    let recorder = SignalRecorder(left.signal.timeout(.seconds(10), failing: .late, on: clock))
    left.complete(with: 1)
    expectEqual(clock.pendingCount, 0)
    clock.advance(by: .seconds(100))
    expectEqual(recorder.events, [.value(1), .completed])
  }

  @Test func promise22_onlyVirtualTimeMovesThem() {
    let recorders = [
      SignalRecorder(left.signal.delay(.milliseconds(1), on: clock)),
      SignalRecorder(left.signal.debounce(.milliseconds(1), on: clock)),
      SignalRecorder(left.signal.throttle(.milliseconds(1), on: clock)),
    ]
    left.send(1)
    left.send(2)
    expectEqual(recorders.map(\.values), [[], [], [1]])
    clock.advance(by: .milliseconds(1))
    expectEqual(recorders.map(\.values), [[1, 2], [2], [1, 2]])
  }

  @Test func promise23_theReplacementIsDisposedWithTheSubscription() {
    let recorder = SignalRecorder(left.signal.catch { [right] _ in right.signal })
    left.fail()
    right.send(1)
    recorder.dispose()
    expectEqual(right.subscriptionCount, 1)
    expect(right.isIdle)
    right.send(2)
    expectEqual(recorder.events, [.value(1)])
  }

  @Test(arguments: [0, 1, Int.max])
  func promise24_oneUpstreamSubscriptionThoughSubscribersComeAtTheSameMoment(replay: Int) async {
    for _ in 1...100 {
      let source = Source<Int>()
      let signal = source.signal.share(replay: replay)
      let recorders = Log<SignalRecorder<Int, Fault>>()
      await together(4) { _ in recorders.add(SignalRecorder(signal)) }
      expectEqual(source.subscriptionCount, 1)
      source.send(1)
      source.complete()
      expect(recorders.entries.allSatisfy { $0.events == [.value(1), .completed] })
    }
  }

  @Test func promise24_lateSubscribersGetWhatIsReplayedAndTheEnding() {
    let shares = [left.signal.share(), left.signal.share(replay: 2), left.signal.replayLazily()]
    let first = shares.map { SignalRecorder($0) }
    for value in 1...3 { left.send(value) }
    left.fail(.late)
    expect(first.allSatisfy { $0.events == [.value(1), .value(2), .value(3), .failed(.late)] })
    let late = shares.map { SignalRecorder($0).events }
    expectEqual(late[0], [.failed(.late)])
    expectEqual(late[1], [.value(2), .value(3), .failed(.late)])
    expectEqual(late[2], [.value(1), .value(2), .value(3), .failed(.late)])
    // It never restarts.
    expectEqual(left.subscriptionCount, 3)
  }

  @Test(arguments: [true, false]) func promise24_theLastToLeaveCancelsTheSource(_ replays: Bool) {
    let signal = replays ? left.signal.replayLazily() : left.signal.share()
    let recorders = [SignalRecorder(signal), SignalRecorder(signal)]
    recorders[0].dispose()
    expectEqual(left.teardownCount, 0)
    recorders[1].dispose()
    recorders[1].dispose()
    expectEqual(left.teardownCount, 1)
    let again = SignalRecorder(signal)
    left.send(1)
    expectEqual(left.subscriptionCount, 2)
    expectEqual(again.values, [1])
  }

  @Test func promise24_aSynchronousSourceDoesNotDeadlock() {
    let signal = Numbers.from([1, 2]).share(replay: 1)
    let nested = Later<SignalRecorder<Int, Fault>>()
    let outer = SignalRecorder(
      signal.map { value in
        if value == 1 { nested.value = SignalRecorder(signal) }
        return value
      })
    expectEqual(outer.events, [.value(1), .value(2), .completed])
    expectEqual(nested.value?.events, [.value(1), .value(2), .completed])
  }

  @Test func promise24_subscribersComeAndGoOnManyThreadsWhileItSends() async {
    let (source, violations) = (Source<Int>(), Log<String>())
    let signal = source.signal.share(replay: 3)
    await together(4) { thread in
      if thread == 0 {
        for value in 0..<3000 { source.send(value) }
        return
      }
      for _ in 0..<300 {
        let recorder = SignalRecorder(signal)
        recorder.dispose()
        for violation in recorder.violations { violations.add(violation) }
        if zip(recorder.values, recorder.values.dropFirst()).contains(where: { $0 + 1 != $1 }) {
          violations.add("gap in \(recorder.values)")
        }
      }
    }
    expectEqual(violations.entries, [])
    expect(source.isIdle)
  }
}
