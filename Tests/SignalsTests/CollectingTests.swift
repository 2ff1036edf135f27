import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

struct CollectingTests {
  private let clock = VirtualScheduler()
  private let source = Source<Int>()

  @Test func scanIntoUpdatesAnewForEachSubscription() {
    let arrays = Numbers.from([1, 2, 3]).scan(into: []) { (result: inout [Int], value) in result.append(value) }
    for _ in 1...2 {
      expectEqual(SignalRecorder(arrays).events, [.value([1]), .value([1, 2]), .value([1, 2, 3]), .completed])
    }
    let fused = Numbers.fused(4).scan(into: 10) { (result: inout Int, value) in result += value }
    expectEqual(SignalRecorder(fused).events, [.value(14), .completed])
  }

  @Test func reduceIntoSendsTheResultAtCompletion() {
    let sums = source.signal.reduce(into: 0) { (result: inout Int, value) in result += value }
    let recorder = SignalRecorder(sums)
    source.send(1)
    expect(recorder.events.isEmpty)
    source.complete(with: 2)
    expectEqual(recorder.events, [.value(3), .completed])
    let none = Numbers.empty.reduce(into: 7) { (result: inout Int, value) in result += value }
    expectEqual(SignalRecorder(none).events, [.value(7), .completed])
    let failed = Numbers.from([1]).concat(.fail(.broken)).reduce(into: 0) { (_: inout Int, _) in }
    expectEqual(SignalRecorder(failed).events, [.failed(.broken)])
  }

  @Test func accumulatingIntoAnArrayIsLinear() {
    let count = 200_000
    let addresses = Log<UInt>()
    let counts = Numbers.from(0..<count)
      .scan(into: []) { (result: inout [Int], value) in
        if result.isEmpty { result.reserveCapacity(count) }
        result.append(value)
        if value % 50_000 == 0 { result.withUnsafeBufferPointer { addresses.add(UInt(bitPattern: $0.baseAddress)) } }
      }
      .map { $0.count }.last()
    expectEqual(SignalRecorder(counts).values, [count])
    expectEqual(Set(addresses.entries).count, 1, "the array is not copied")
  }

  @Test func pairwiseSendsEachValueWithTheOneBefore() {
    let pairs = Numbers.from([1, 2, 3]).pairwise().map { [$0.previous, $0.current] }
    for _ in 1...2 { expectEqual(SignalRecorder(pairs).events, [.value([1, 2]), .value([2, 3]), .completed]) }
    let recorder = SignalRecorder(source.signal.pairwise().map { $0.current - $0.previous })
    source.send(1)
    source.complete(with: 5)
    expectEqual(recorder.events, [.value(4), .completed])
    expectEqual(SignalRecorder(Numbers.fused(1).pairwise().map { $0.current }).events, [.completed])
    expectEqual(SignalRecorder(Signal<Int?, Fault>.from([nil, 1]).pairwise().map { $0.previous }).values, [nil])
  }

  @Test func collectCountSendsTheRestAtCompletion() {
    expectEqual(SignalRecorder(Numbers.from(1...5).collect(count: 2)).values, [[1, 2], [3, 4], [5]])
    expectEqual(SignalRecorder(Numbers.from(1...4).collect(count: 2)).values, [[1, 2], [3, 4]])
    expectEqual(SignalRecorder(Numbers.empty.collect(count: 2)).events, [.completed])
    expectEqual(SignalRecorder(Numbers.from([1, 2]).collect(count: 0)).values, [[1], [2]])
    let recorder = SignalRecorder(source.signal.collect(count: 2))
    source.send(1)
    source.complete(with: 2)
    expectEqual(recorder.events, [.value([1, 2]), .completed])
  }

  @Test func collectCountDropsTheRestAtAFailure() {
    let recorder = SignalRecorder(source.signal.collect(count: 2))
    for value in 1...3 { source.send(value) }
    source.fail()
    expectEqual(recorder.events, [.value([1, 2]), .failed(.broken)])
  }

  @Test func collectEverySendsTheValuesOfEachInterval() {
    let recorder = SignalRecorder(source.signal.collect(every: .milliseconds(10), on: clock))
    clock.advance(by: .milliseconds(3))
    source.send(1)
    source.send(2)
    clock.advance(by: .milliseconds(6))
    expect(recorder.values.isEmpty)
    clock.advance(by: .milliseconds(1))
    expectEqual(recorder.values, [[1, 2]])
    expectEqual(clock.pendingCount, 0, "no timer for an empty interval")
    clock.advance(by: .milliseconds(39))
    source.send(3)
    clock.advance(by: .milliseconds(1))
    source.send(4)
    clock.advance(by: .milliseconds(9))
    expectEqual(recorder.values, [[1, 2], [3]])
    source.complete(with: 5)
    expectEqual(recorder.values, [[1, 2], [3]])
    clock.advance()
    expectEqual(recorder.events, [.value([1, 2]), .value([3]), .value([4, 5]), .completed])
    expectEqual(clock.pendingCount, 0)
  }

  @Test func collectEveryDropsTheValuesAtAFailureOrADisposal() {
    for isFailure in [true, false] {
      let source = Source<Int>()
      let recorder = SignalRecorder(source.signal.collect(every: .seconds(1), on: clock))
      source.send(1)
      if isFailure { source.fail() } else { recorder.dispose() }
      expectEqual(recorder.events, (isFailure ? [.failed(.broken)] : []))
      expectEqual(clock.pendingCount, 0)
      expect(source.isIdle)
    }
    let ready = SignalRecorder(Numbers.from([1, 2]).collect(every: .seconds(1), on: clock))
    expectEqual(ready.events, [])
    clock.advance()
    expectEqual(ready.events, [.value([1, 2]), .completed])
    expectEqual(SignalRecorder(Numbers.empty.collect(every: .seconds(1), on: clock)).events, [.completed])
  }

  @Test func collectEverySendsWhatADeallocatedSourceHasSent() {
    let subject = Later<PublishSubject<Int, Fault>>()
    subject.value = PublishSubject()
    let recorder = SignalRecorder(
      (subject.value?.signal ?? .empty).collect(every: .zero, on: clock))
    subject.value?.send(1)
    subject.value = nil
    clock.advance(by: .milliseconds(1))
    expectEqual(recorder.events, [.value([1])])
    expectEqual(clock.pendingCount, 0)
  }

  @Test func aReentrantValueBelongsToTheNextInterval() {
    let log = Log<[Int]>()
    source.signal.collect(every: .seconds(1), on: clock).subscribe(
      onValue: { [source] values in
        log.add(values)
        if log.count == 1 { source.send(2) }
      }, onFailure: { _ in })
    source.send(1)
    clock.advance(by: .seconds(2))
    expectEqual(log.entries, [[1], [2]])
  }

  @Test func appendSendsValuesAfterTheCompletion() {
    expectEqual(SignalRecorder(Numbers.fused(1).append(2, 3)).events, [.value(1), .value(2), .value(3), .completed])
    expectEqual(SignalRecorder(Numbers.empty.append()).events, [.completed])
    expectEqual(SignalRecorder(Numbers.fail(.broken).append(2)).events, [.failed(.broken)])
    expect(SignalRecorder(source.signal.append(2).take(1)).events.isEmpty)
  }
}
