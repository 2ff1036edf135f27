import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// Promise 17 behind subjects: a newer value replaces an inner signal that is being started.
struct ContractLatestTests {
  let source = Source<Int>()
  let subject = PublishSubject<Int, Fault>()
  let clock = VirtualScheduler()
  let log = Log<Int>()

  /// Flattens with inner signals that do not check for disposal, and runs an action at the value 10.
  private func flatten(_ signal: Numbers, at10 action: @escaping @Sendable () -> Void) {
    signal.flatMap(.latest) { Numbers.stubborn($0, $0 + 1) }.subscribe(
      onValue: { [log] value in
        log.add(value)
        if value == 10 { action() }
      }, onFailure: { _ in })
  }

  @Test func promise17_aValueThatASubjectHasQueuedIsFlattenedOutsideItsGate() {
    subject.signal.subscribe(
      onValue: { [self] value in
        guard value == 1 else { return }
        flatten(subject.signal) { subject.send(20) }
        subject.send(10)
      }, onFailure: { _ in })
    subject.send(1)
    expectEqual(log.entries, [10, 20, 21])
  }

  @Test(arguments: 0..<3) func promise17_queuedValuesReplaceADeferredInner(kind: Int) {
    let current = CurrentValue(10)
    let (signal, send): (Numbers, @Sendable (Int) -> Void) =
      switch kind {
      case 0: (source.signal, { [source] in source.send($0) })
      case 1: (subject.signal, { [subject] in subject.send($0) })
      default: (current.signal.concat(Numbers.never), { current.value = $0 })
      }
    let queueing = signal.on(value: {
      if $0 == 10 {
        send(20)
        send(30)
      }
    })
    flatten(queueing) {}
    if kind < 2 { send(10) }
    expectEqual(log.entries, [30, 31])
  }

  @Test func promise17_valuesQueuedDuringAReplayAreFlattenedOutsideTheGateOnTheQueueToo() async {
    let current = CurrentValue(0)
    let signal = current.signal
      .on(value: { if $0 == 0 { for number in 1...100 { current.value = number * 10 } } })
      .filter { $0 != 0 }
      .flatMap(.latest) { number in
        Signal<Int, Never> { observer in
          observer.send(number)
          observer.send(number + 1)
          return Disposable {}
        }
      }
      .on(value: { if $0 == 1000 { current.value = 5000 } })
    let recorder = SignalRecorder(signal)
    await recorder.wait { $0.last == .value(5001) }
    expectEqual(recorder.values, [1000, 5000, 5001])
  }
}
