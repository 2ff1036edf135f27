import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

struct AmbTests {
  private let first = Source<Int>()
  private let second = Source<Int>()

  @Test func theFirstEventChoosesItsSignal() {
    let recorder = SignalRecorder(first.signal.amb(second.signal))
    second.send(2)
    expect(first.isIdle)
    first.send(1)
    second.send(3)
    second.complete(with: 4)
    expectEqual(recorder.events, [.value(2), .value(3), .value(4), .completed])
    expect(second.isIdle)
  }

  @Test func theOthersAreDisposedBeforeTheFirstEventIsDelivered() {
    let wasIdle = Log<Bool>()
    first.signal.amb(second.signal).subscribe { [second] _ in wasIdle.add(second.isIdle) }
    first.send(1)
    expectEqual(wasIdle.entries, [true])
  }

  @Test func aCompletionOrAFailureChoosesToo() {
    for (event, send) in [
      (.completed, { $0.complete() }), (.failed(.broken), { $0.fail() }),
    ] as [(Event<Int, Fault>, (Source<Int>) -> Void)] {
      let (first, second) = (Source<Int>(), Source<Int>())
      let recorder = SignalRecorder(Signal.amb([first.signal, second.signal]))
      send(first)
      second.send(1)
      expectEqual(recorder.events, [event])
      expect(first.isIdle)
      expect(second.isIdle)
    }
  }

  @Test func aFusedLastValueChooses() {
    let recorder = SignalRecorder(first.signal.amb(second.signal))
    second.complete(with: 1)
    expectEqual(recorder.events, [.value(1), .completed])
    expect(first.isIdle)
  }

  @Test func aSignalThatSendsAtOnceKeepsTheRestFromStarting() {
    expectEqual(SignalRecorder(Numbers.from([1, 2]).amb(first.signal)).events, [.value(1), .value(2), .completed])
    expectEqual(first.subscriptionCount, 0)
    expectEqual(SignalRecorder(first.signal.amb(.stubborn(1, 2))).events, [.value(1), .value(2), .completed])
    expect(first.isIdle)
  }

  @Test func disposalStopsAll() {
    let recorder = SignalRecorder(first.signal.amb(second.signal))
    recorder.dispose()
    first.send(1)
    expect(recorder.events.isEmpty)
    expect(first.isIdle)
    expect(second.isIdle)
  }

  @Test(arguments: [false, true]) func nothingPassesAfterTheTeardownOfAnotherSignalHasDisposed(isLast: Bool) {
    let (handle, passed) = (Later<Disposable>(), Log<Int>())
    let loser = first.signal.on(dispose: { handle.value?.dispose() })
    handle.value = loser.amb(second.signal).on(value: { passed.add($0) }).subscribe { _ in }
    if isLast { second.complete(with: 1) } else { second.send(1) }
    expectEqual(passed.entries, [])
    expect(first.isIdle && second.isIdle)
  }

  @Test func aDeallocatedSourceIsNotChosen() {
    let subject = Later<PublishSubject<Int, Fault>>()
    subject.value = PublishSubject()
    let recorder = SignalRecorder((subject.value?.signal ?? .empty).amb(second.signal))
    subject.value = nil
    second.complete(with: 1)
    expectEqual(recorder.events, [.value(1), .completed])
  }

  @Test func oneIsChosenFromSeveralThreads() async {
    for _ in 0..<200 {
      let sources = [Source<Int>(), Source<Int>()]
      let recorder = SignalRecorder(Signal.amb(sources.map(\.signal)))
      await together(2) { index in for _ in 0..<10 { sources[index].send(index) } }
      expectEqual(recorder.values.count, 10)
      expectEqual(Set(recorder.values).count, 1)
    }
  }
}
