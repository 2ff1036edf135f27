import HeliographTesting
import Signals
import TestSupport
import Testing

/// How a recorder waits, and what is left of that.
struct SignalRecorderTests {
  private final class Thing: Sendable {}

  /// A condition that is evaluated inside the recorder's lock would wait for itself.
  @Test func aConditionMayReadTheRecorder() async {
    let subject = PublishSubject<Int, Never>()
    let recorder = SignalRecorder(subject.signal)
    let asked = Guarded(false)
    let task = Task {
      await recorder.wait { _ in
        asked.withLock { $0 = true }
        return recorder.values == [1, 2]
      }
    }
    await until { asked.withLock({ $0 }) }
    for number in 1...2 { subject.send(number) }
    await expect(task.value)
  }

  /// The task is cancelled before it waits, or while it does.
  @Test(arguments: [false, true])
  func aCancelledTaskWaitsNoLonger(isWaiting: Bool) async {
    let recorder = SignalRecorder(Signal<Int, Never>.never)
    let asked = Guarded(false)
    let task = Task<Bool, Never> {
      while !isWaiting, !Task.isCancelled { await Task.yield() }
      return await recorder.wait { _ in
        asked.withLock { $0 = true }
        return false
      }
    }
    await until { !isWaiting || asked.withLock({ $0 }) }
    task.cancel()
    // The wait itself has no limit.
    await expectEqual(task.value, false)
  }

  /// The timer of a wait would retain what was recorded until its timeout.
  @Test func aWaitThatIsOverRetainsNothing() async {
    weak var thing: Thing?
    do {
      let recorder = SignalRecorder(Signal<Void, Never>.timer(after: .milliseconds(20)).map { Thing() })
      await expect(recorder.waitForEnd())
      expectEqual(recorder.values.count, 1)
      thing = recorder.values.first
    }
    // The thread that has delivered the end lets go of it a little later.
    await until { thing == nil }
    expectNil(thing)
  }
}
