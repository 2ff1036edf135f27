import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// A signal that something outside can fail.
struct InterruptingTests {
  /// What is outside of the signal.
  private final class Outside: Sendable {
    let fail = Guarded<(@Sendable (Fault) -> Void)?>(nil)
    let isStale = Guarded(false)
  }

  private let entries = Log<String>()
  private let outside = Outside()

  private func interrupted(_ source: Numbers) -> Numbers {
    plain(
      source.on(start: { [entries] in entries.add("start") }, dispose: { [entries] in entries.add("dispose") }))
  }

  private func plain(_ source: Numbers) -> Numbers {
    source.interrupted(
      check: { [outside] _ in outside.isStale.withLock { $0 } ? .broken : nil },
      enter: { [entries, outside] _, new in
        entries.add("enter")
        outside.fail.withLock { $0 = new }
      },
      leave: { [entries] _ in entries.add("leave") })
  }

  private func interrupt() { outside.fail.withLock { $0 }?(.broken) }

  @Test func aFailureFromOutsideEndsTheWorkOnce() {
    let recorder = SignalRecorder(interrupted(.just(1).concat(.never)))
    expectEqual(entries.entries, ["enter", "start"])
    interrupt()
    interrupt()
    expectEqual(recorder.events, [.value(1), .failed(.broken)])
    expectEqual(entries.entries, ["enter", "start", "dispose", "leave"])
    expect(recorder.violations.isEmpty)
  }

  @Test func nothingStartsIfItIsFailedBefore() {
    let entries = entries
    let recorder = SignalRecorder(
      Numbers.just(1).on(start: { entries.add("start") })
        .interrupted(enter: { _, fail in fail(.broken) }, leave: { _ in entries.add("leave") }))
    expectEqual(recorder.events, [.failed(.broken)])
    expect(!entries.entries.contains("start") && entries.entries.contains("leave"))
  }

  @Test(arguments: [Numbers.just(1), .empty, .fail(.late)]) func itsOwnEndLeaves(_ source: Numbers) {
    let plain = SignalRecorder(source)
    let recorder = SignalRecorder(interrupted(source))
    expectEqual(recorder.events, plain.events)
    expectEqual(entries.entries, ["enter", "start", "leave"])
    interrupt()
    expectEqual(recorder.events, plain.events)
  }

  @Test func disposalLeaves() {
    let recorder = SignalRecorder(interrupted(.never))
    recorder.dispose()
    expectEqual(entries.entries, ["enter", "start", "dispose", "leave"])
    interrupt()
    expect(recorder.events.isEmpty)
  }

  @Test func eachValueIsChecked() {
    let subject = PublishSubject<Int, Fault>()
    let recorder = SignalRecorder(interrupted(subject.signal))
    subject.send(1)
    outside.isStale.withLock { $0 = true }
    subject.send(2)
    subject.send(3)
    expectEqual(recorder.events, [.value(1), .failed(.broken)])
  }

  /// A last value and its completion are one: what the value does comes too late.
  @Test func aLastValueIsDeliveredWhole() {
    let recorder = SignalRecorder(plain(.just(1)).on(value: { _ in interrupt() }))
    expectEqual(recorder.events, [.value(1), .completed])
    outside.isStale.withLock { $0 = true }
    expectEqual(SignalRecorder(plain(.just(1))).events, [.failed(.broken)])
  }

  @Test func aLastValueIsDeliveredWholeByAStageThatReplacesFailures() {
    let recorder = SignalRecorder(plain(.just(1).replacingFailure { _ in nil }).on(value: { _ in interrupt() }))
    expectEqual(recorder.events, [.value(1), .completed])
  }

  @Test func aSourceThatIsDroppedCanStillBeFailed() {
    let recorder = SignalRecorder(interrupted(Numbers { _ in nil }))
    expect(recorder.events.isEmpty)
    interrupt()
    expectEqual(recorder.events, [.failed(.broken)])
    expect(entries.entries.contains("leave"))
  }

  @Test func aReplacementStartsAlthoughTheWorkIsStillStarting() {
    let starting = Numbers.deferred { [entries] in
      interrupt()
      entries.add("started")
      return .just(3)
    }
    let recorder = SignalRecorder(
      plain(starting).replacingFailure { [entries] _ in
        entries.add("replaced")
        return .just(2)
      })
    expectEqual(recorder.events, [.value(2), .completed])
    expectEqual(entries.entries.filter { $0 == "started" || $0 == "replaced" }, ["replaced", "started"])
  }

  @Test func aPausedSourceResumes() {
    let (clock, pausing) = (VirtualScheduler(), PausingSource(100))
    let recorder = SignalRecorder(plain(pausing.signal).observe(on: clock))
    expectEqual(pausing.sentCount, Pressure.highCount)
    clock.advance()
    expectEqual(recorder.values, Array(0..<100))
    expect(recorder.isCompleted)
    expect(pausing.pauseCount > 1)
  }

  @Test func aPausedSourceCanBeFailed() {
    let (clock, pausing) = (VirtualScheduler(), PausingSource(100))
    let recorder = SignalRecorder(plain(pausing.signal).observe(on: clock))
    interrupt()
    expectEqual(pausing.teardownCount, 1)
    expectEqual(entries.entries, ["enter", "leave"])
    clock.advance()
    expectEqual(recorder.values.count, Pressure.highCount)
    expectEqual(recorder.failure, .broken)
    expectEqual(pausing.sentCount, Pressure.highCount)
  }

  @Test func aPausedSourceEndsWithItsOwner() {
    let (clock, pausing) = (VirtualScheduler(), PausingSource(100))
    var owner: Lifetime? = Lifetime()
    let recorder = owner.map { SignalRecorder(plain(pausing.signal).bound(to: $0).observe(on: clock)) }
    expectEqual(pausing.sentCount, Pressure.highCount)
    owner = nil
    expectEqual(pausing.teardownCount, 1)
    expectEqual(entries.entries, ["enter", "leave"])
    clock.advance()
    expectEqual(pausing.sentCount, Pressure.highCount)
    expectNil(recorder?.failure)
  }
}

/// Values through a closure, and a successor that knows whether there were any.
struct FollowingTests {
  @Test(arguments: [false, true]) func theSuccessorKnowsWhetherAValueWasSent(_ sends: Bool) {
    let source = sends ? Numbers.just(1).concat(.fail(.broken)) : .fail(.broken)
    let recorder = SignalRecorder(
      source.following(value: { $0 * 10 }, failure: { _, hasSent in .just(hasSent ? 2 : 3) }))
    expectEqual(recorder.values, sends ? [10, 2] : [3])
    expect(recorder.isCompleted)
  }

  @Test func aLastValuePassesThroughTheClosure() {
    let recorder = SignalRecorder(Numbers.just(1).following(value: { $0 + 1 }, failure: { _, _ in .empty }))
    expectEqual(recorder.events, [.value(2), .completed])
  }

  @Test(arguments: [Numbers.just(1), .just(1).concat(.fail(.broken)), .empty])
  func everyEventPassesThroughTheClosureThatReplaces(_ source: Numbers) {
    let events = Log<Event<Int, Fault>>()
    let recorder = SignalRecorder(
      source.replacingFailure { event in
        events.add(event)
        return nil
      })
    expectEqual(recorder.events, events.entries)
  }
}
