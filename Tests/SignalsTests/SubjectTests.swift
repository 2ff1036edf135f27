import HeliographTesting
import Signals
import TestSupport
import Testing

struct SubjectTests {
  private struct Oops: Error, Equatable {}

  @Test func subscribersGetWhatIsSentAfterTheyHaveCome() {
    let subject = PublishSubject<Int, Oops>()
    subject.send(0)
    let early = SignalRecorder(subject.signal)
    subject.send(1)
    let late = SignalRecorder(subject.signal)
    subject.send(2)
    early.dispose()
    subject.send(3)
    subject.complete()
    subject.send(4)
    expectEqual(early.events, [.value(1), .value(2)])
    expectEqual(late.events, [.value(2), .value(3), .completed])
    expectEqual(SignalRecorder(subject.signal).events, [.completed])
  }

  @Test func whoComesAfterAFailureGetsIt() {
    let subject = PublishSubject<Int, Oops>()
    subject.fail(Oops())
    expectEqual(SignalRecorder(subject.signal).events, [.failed(Oops())])
  }

  @Test func aCurrentValueGivesTheLatestFirst() {
    let value = CurrentValue(1)
    let recorder = SignalRecorder(value.signal)
    value.send(2)
    value.value = 3
    expectEqual(value.value, 3)
    expectEqual(recorder.values, [1, 2, 3])
    expectEqual(SignalRecorder(value.signal).values, [3])
  }

  @Test func aSharedSourceRunsOnceAndReplaysAsAsked() {
    let source = PublishSubject<Int, Oops>()
    for (count, expected) in [(0, []), (1, [2]), (5, [1, 2])] {
      let shared = source.signal.share(replay: count)
      let first = SignalRecorder(shared)
      source.send(1)
      source.send(2)
      let late = SignalRecorder(shared)
      expectEqual(late.values, expected)
      source.send(3)
      expectEqual(first.values, [1, 2, 3])
      expectEqual(late.values, expected + [3])
    }
  }

  @Test func aSharedSourceStartsAgainAfterTheLastHasLeftButNotAfterItsEnd() {
    let starts = CurrentValue(0)
    let source = PublishSubject<Int, Oops>()
    let shared = source.signal.on(start: { starts.value += 1 }).share(replay: 1)
    let first = SignalRecorder(shared)
    source.send(1)
    first.dispose()
    let second = SignalRecorder(shared)
    expect(second.values.isEmpty, "what belonged to the run before is forgotten")
    expectEqual(starts.value, 2)
    source.fail(Oops())
    expectEqual(SignalRecorder(shared).events, [.failed(Oops())])
    expectEqual(starts.value, 2)
  }
}
