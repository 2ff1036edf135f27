import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

struct DeliveringTests {
  let source = Source<Int>()
  let clock = VirtualScheduler()
  let log = Log<String>()

  private func watched(_ signal: Numbers) -> Numbers {
    signal.on(
      start: { [log] in log.add("start") }, value: { [log] in log.add("value \($0)") },
      failure: { [log] in log.add("failure \($0)") }, completion: { [log] in log.add("completion") },
      dispose: { [log] in log.add("dispose") }, terminate: { [log] in log.add("terminate") })
  }

  private func subscribe(_ signal: Numbers) -> Disposable {
    signal.subscribe(
      onValue: { [log] in log.add("got \($0)") }, onFailure: { [log] in log.add("got \($0)") },
      onCompletion: { [log] in log.add("got completed") })
  }

  @Test func onSeesACompletionInOrder() {
    _ = subscribe(watched(source.signal))
    source.send(1)
    source.complete()
    expectEqual(log.entries, ["start", "value 1", "got 1", "completion", "got completed", "terminate"])
  }

  @Test func onSeesAFailureInOrder() {
    _ = subscribe(watched(source.signal))
    source.fail()
    expectEqual(log.entries, ["start", "failure broken", "got broken", "terminate"])
  }

  @Test func onSeesAFusedEndingAsTwoEvents() {
    _ = subscribe(watched(source.signal))
    source.complete(with: 1)
    expectEqual(log.entries, ["start", "value 1", "got 1", "completion", "got completed", "terminate"])
  }

  @Test func onSeesADisposalInTheHandlerOfAFusedLastValue() {
    let handle = Later<Disposable>()
    handle.value = watched(source.signal).subscribe(
      onValue: { [log] _ in
        log.add("got it")
        handle.value?.dispose()
      }, onFailure: { _ in })
    source.complete(with: 1)
    expectEqual(log.entries, ["start", "value 1", "got it", "dispose"])
  }

  @Test func onSeesADisposal() {
    let handle = subscribe(watched(source.signal))
    source.send(1)
    handle.dispose()
    handle.dispose()
    source.complete()
    expectEqual(log.entries, ["start", "value 1", "got 1", "dispose"])
  }

  @Test func onSeesTakeAsADisposal() {
    _ = subscribe(watched(source.signal).take(1))
    source.send(1)
    expectEqual(log.entries, ["start", "value 1", "dispose", "got 1", "got completed"])
  }

  @Test func namedTellsEverything() {
    let recorder = SignalRecorder(source.signal.debug("it", log: { [log] in log.add($0) }))
    source.send(1)
    recorder.dispose()
    expectEqual(log.entries, ["it: started", "it: 1", "it: disposed"])
  }

  @Test func observeOnDeliversOnTheScheduler() {
    let recorder = SignalRecorder(source.signal.observe(on: clock))
    source.send(1)
    source.complete(with: 2)
    expect(recorder.events.isEmpty)
    clock.advance()
    expectEqual(recorder.events, [.value(1), .value(2), .completed])
  }

  @Test func subscribeOnStartsOnTheScheduler() {
    let recorder = SignalRecorder(source.signal.subscribe(on: clock))
    expectEqual(source.subscriptionCount, 0)
    clock.advance()
    source.send(1)
    expectEqual(recorder.values, [1])
  }

  @Test func subscribeOnNeverStartsWhenDisposedBefore() {
    let recorder = SignalRecorder(source.signal.subscribe(on: clock))
    recorder.dispose()
    clock.run()
    expectEqual(source.subscriptionCount, 0)
  }

  @Test func aFloodIsDeliveredWholeThoughTheSchedulerTakesTurns() async {
    let count = 50_000
    let recorder = SignalRecorder(source.signal.observe(on: .serial("flood")))
    await together(1) { [source] _ in
      for value in 0..<count { source.send(value) }
      source.complete()
    }
    await expect(recorder.waitForEnd())
    expectEqual(recorder.values, Array(0..<count))
  }

  /// A scheduler that runs work before `schedule` returns, and whose clock ends each run of `observe(on:)`.
  private struct EagerScheduler: SignalScheduler {
    let reads = Tally()

    var now: Duration {
      reads.arrive()
      return .milliseconds(reads.count)
    }

    func schedule(_ work: @escaping @Sendable () -> Void) { work() }

    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> Disposable {
      work()
      return Disposable {}
    }
  }

  @Test func observingOnASynchronousSchedulerNeedsNoStack() async {
    let (sender, received) = (Later<UnguardedObserver<Int, Fault>>(), Tally())
    let signal = Numbers.unguarded { observer in
      sender.value = observer
      return Disposable {}
    }
    await onSmallThread {
      // The first value is in flight while the others arrive, as from another thread.
      signal.observe(on: EagerScheduler()).subscribe { _ in
        received.arrive()
        if received.count == 1 { for number in 1..<20_000 { sender.value?.send(.value(number)) } }
      }
      sender.value?.send(.value(0))
    }
    expectEqual(received.count, 20_000)
  }
}
