import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// Promise 17 behind subjects, joins and timers: a newer value replaces an inner signal that is being started.
struct ContractLatestTests {
  enum Merged: CaseIterable {
    case ready, fused, sequence, concatenation, timer

    func signal(on clock: VirtualScheduler) -> Numbers {
      switch self {
      case .ready: .just(10)
      case .fused: .fused(10)
      case .sequence: .from([10])
      case .concatenation: .just(10).concat(.never)
      case .timer: Numbers.just(10).delay(.seconds(1), on: clock)
      }
    }
  }

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

  @Test(arguments: Merged.allCases) func promise17_aValueThatAMergeQueuesReplacesTheInner(merged: Merged) {
    flatten(.merge(source.signal, merged.signal(on: clock))) { [source] in source.send(20) }
    clock.advance(by: .seconds(1))
    expectEqual(log.entries, [10, 20, 21])
  }

  @Test(arguments: [false, true])
  func promise17_aValueThatAStageQueuesBeforeTheFlatteningReplacesTheInner(isMerge: Bool) {
    let combined = source.signal.prepend(10).combineLatest(.just(0)).map { $0 + $1 }
    let signal = isMerge ? Signal.merge(source.signal, .just(10)) : combined
    flatten(signal.on(value: { [source] in if $0 == 10 { source.send(20) } })) {}
    expectEqual(log.entries, [20, 21])
  }

  @Test func promise17_aValueThatACombinationQueuesReplacesTheInner() {
    let combined = source.signal.prepend(10).combineLatest(.just(0)).map { $0 + $1 }
    flatten(combined) { [source] in source.send(20) }
    expectEqual(log.entries, [10, 20, 21])
  }

  @Test func promise17_aDelayedValueReplacesTheInnerOfTheTickBefore() {
    flatten(source.signal.delay(.seconds(1), on: clock)) { [clock] in clock.advance(by: .milliseconds(500)) }
    source.send(10)
    clock.advance(by: .milliseconds(500))
    source.send(20)
    clock.advance(by: .milliseconds(500))
    expectEqual(log.entries, [10, 20, 21])
  }

  @Test func promise17_anIntervalReplacesTheInnerOfTheOneBefore() {
    flatten(source.signal.collect(every: .seconds(1), on: clock).map { $0[0] }) { [source, clock] in
      source.send(20)
      clock.advance(by: .seconds(1))
    }
    source.send(10)
    clock.advance(by: .seconds(1))
    expectEqual(log.entries, [10, 20, 21])
  }

  /// The start waits for the source, not only for the merge.
  @Test func promise17_aReadyInnerOfAMergeIsFlattenedOutsideTheGateOfTheSource() {
    flatten(source.signal.flatMap { .just($0) }) { [source] in source.send(20) }
    source.send(10)
    expectEqual(log.entries, [10, 20, 21])
  }

  @Test func promise17_theValuesOfOneDeliveryAreFlattenedInOrderBehindAMerge() {
    flatten(source.signal.flatMap { .from([$0, $0 + 5]) }) {}
    source.send(10)
    expectEqual(log.entries, [10, 11, 15, 16])
  }

  /// The inner signal of the last value starts before the successor.
  @Test func promise17_aSuccessorDoesNotReplaceTheInnerOfTheLastValue() {
    let combined = Numbers.just(10).combineLatest(.just(0)).map { $0 + $1 }
    for signal in [combined, Numbers.just(10).delay(.seconds(1), on: clock), .merge(.just(10), .empty)] {
      flatten(signal.concat(.stubborn(50))) {}
      clock.advance(by: .seconds(1))
    }
    expectEqual(log.entries, [10, 11, 50, 51, 10, 11, 50, 51, 10, 11, 50, 51])
  }
}
