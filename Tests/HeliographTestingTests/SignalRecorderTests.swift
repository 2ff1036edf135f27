import HeliographTesting
import Signals
import Testing

/// How a recorder waits, and what is left of that.
@Suite struct SignalRecorderTests {
  private final class Thing: Sendable {}

  /// A condition that is evaluated inside the recorder's lock would wait for itself.
  @Test(.timeLimit(.minutes(1))) func aConditionMayReadTheRecorder() async {
    let subject = PublishSubject<Int, Never>()
    let recorder = SignalRecorder(subject.signal)
    let asked = Guarded(false)
    let task = Task {
      await recorder.wait { _ in
        asked.withLock { $0 = true }
        return recorder.values == [1, 2]
      }
    }
    let end = ContinuousClock.now + .seconds(10)
    while !asked.withLock({ $0 }), ContinuousClock.now < end { await Task.yield() }
    for number in 1...2 { subject.send(number) }
    #expect(await task.value)
  }

  /// The task is cancelled before it waits, or while it does.
  @Test(.timeLimit(.minutes(1)), arguments: [false, true])
  func aCancelledTaskWaitsNoLonger(isWaiting: Bool) async {
    let recorder = SignalRecorder(Signal<Int, Never>.never)
    let asked = Guarded(false)
    let startedAt = ContinuousClock.now
    let end = startedAt + .seconds(10)
    let task = Task<Bool, Never> {
      while !isWaiting, !Task.isCancelled, ContinuousClock.now < end { await Task.yield() }
      return await recorder.wait(for: .seconds(120)) { _ in
        asked.withLock { $0 = true }
        return false
      }
    }
    while isWaiting, !asked.withLock({ $0 }), ContinuousClock.now < end { await Task.yield() }
    task.cancel()
    #expect(await task.value == false)
    #expect(ContinuousClock.now - startedAt < .seconds(30))
  }

  /// The timer of a wait would retain what was recorded until its timeout.
  @Test(.timeLimit(.minutes(1))) func aWaitThatIsOverRetainsNothing() async {
    weak var thing: Thing?
    do {
      let recorder = SignalRecorder(Signal<Void, Never>.timer(after: .milliseconds(20)).map { Thing() })
      #expect(await recorder.waitForEnd(.seconds(600)))
      #expect(recorder.values.count == 1)
      thing = recorder.values.first
    }
    // The thread that has delivered the end lets go of it a little later.
    let end = ContinuousClock.now + .seconds(10)
    while thing != nil, ContinuousClock.now < end { await Task.yield() }
    #expect(thing == nil)
  }
}
