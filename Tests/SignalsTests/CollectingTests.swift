import HeliographTesting
import Signals
import Testing

@Suite struct CollectingTests {
  private let clock = VirtualScheduler()
  private let source = Source<Int>()

  @Test func scanIntoUpdatesAnewForEachSubscription() {
    let arrays = Numbers.from([1, 2, 3]).scan(into: []) { (result: inout [Int], value) in result.append(value) }
    for _ in 1...2 {
      #expect(SignalRecorder(arrays).events == [.value([1]), .value([1, 2]), .value([1, 2, 3]), .completed])
    }
    let fused = Numbers.fused(4).scan(into: 10) { (result: inout Int, value) in result += value }
    #expect(SignalRecorder(fused).events == [.value(14), .completed])
  }

  @Test func reduceIntoSendsTheResultAtCompletion() {
    let sums = source.signal.reduce(into: 0) { (result: inout Int, value) in result += value }
    let recorder = SignalRecorder(sums)
    source.send(1)
    #expect(recorder.events.isEmpty)
    source.complete(with: 2)
    #expect(recorder.events == [.value(3), .completed])
    let none = Numbers.empty.reduce(into: 7) { (result: inout Int, value) in result += value }
    #expect(SignalRecorder(none).events == [.value(7), .completed])
    let failed = Numbers.from([1]).concat(.fail(.broken)).reduce(into: 0) { (_: inout Int, _) in }
    #expect(SignalRecorder(failed).events == [.failed(.broken)])
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
    #expect(SignalRecorder(counts).values == [count])
    #expect(Set(addresses.entries).count == 1, "the array is not copied")
  }

  @Test func pairwiseSendsEachValueWithTheOneBefore() {
    let pairs = Numbers.from([1, 2, 3]).pairwise().map { [$0.previous, $0.current] }
    for _ in 1...2 { #expect(SignalRecorder(pairs).events == [.value([1, 2]), .value([2, 3]), .completed]) }
    let recorder = SignalRecorder(source.signal.pairwise().map { $0.current - $0.previous })
    source.send(1)
    source.complete(with: 5)
    #expect(recorder.events == [.value(4), .completed])
    #expect(SignalRecorder(Numbers.fused(1).pairwise().map { $0.current }).events == [.completed])
    #expect(SignalRecorder(Signal<Int?, Fault>.from([nil, 1]).pairwise().map { $0.previous }).values == [nil])
  }

  @Test func collectCountSendsTheRestAtCompletion() {
    #expect(SignalRecorder(Numbers.from(1...5).collect(count: 2)).values == [[1, 2], [3, 4], [5]])
    #expect(SignalRecorder(Numbers.from(1...4).collect(count: 2)).values == [[1, 2], [3, 4]])
    #expect(SignalRecorder(Numbers.empty.collect(count: 2)).events == [.completed])
    #expect(SignalRecorder(Numbers.from([1, 2]).collect(count: 0)).values == [[1], [2]])
    let recorder = SignalRecorder(source.signal.collect(count: 2))
    source.send(1)
    source.complete(with: 2)
    #expect(recorder.events == [.value([1, 2]), .completed])
  }

  @Test func collectCountDropsTheRestAtAFailure() {
    let recorder = SignalRecorder(source.signal.collect(count: 2))
    for value in 1...3 { source.send(value) }
    source.fail()
    #expect(recorder.events == [.value([1, 2]), .failed(.broken)])
  }

  @Test func collectEverySendsTheValuesOfEachInterval() {
    let recorder = SignalRecorder(source.signal.collect(every: .milliseconds(10), on: clock))
    clock.advance(by: .milliseconds(3))
    source.send(1)
    source.send(2)
    clock.advance(by: .milliseconds(6))
    #expect(recorder.values.isEmpty)
    clock.advance(by: .milliseconds(1))
    #expect(recorder.values == [[1, 2]])
    #expect(clock.pendingCount == 0, "no timer for an empty interval")
    clock.advance(by: .milliseconds(39))
    source.send(3)
    clock.advance(by: .milliseconds(1))
    source.send(4)
    clock.advance(by: .milliseconds(9))
    #expect(recorder.values == [[1, 2], [3]])
    source.complete(with: 5)
    #expect(recorder.events == [.value([1, 2]), .value([3]), .value([4, 5]), .completed])
    #expect(clock.pendingCount == 0)
  }

  @Test func collectEveryDropsTheValuesAtAFailureOrADisposal() {
    for isFailure in [true, false] {
      let source = Source<Int>()
      let recorder = SignalRecorder(source.signal.collect(every: .seconds(1), on: clock))
      source.send(1)
      if isFailure { source.fail() } else { recorder.dispose() }
      #expect(recorder.events == (isFailure ? [.failed(.broken)] : []))
      #expect(clock.pendingCount == 0)
      #expect(source.isIdle)
    }
    let ready = SignalRecorder(Numbers.from([1, 2]).collect(every: .seconds(1), on: clock))
    #expect(ready.events == [.value([1, 2]), .completed])
    #expect(SignalRecorder(Numbers.empty.collect(every: .seconds(1), on: clock)).events == [.completed])
  }

  @Test func collectEverySendsWhatADeallocatedSourceHasSent() {
    let subject = Later<PublishSubject<Int, Fault>>()
    subject.value = PublishSubject()
    let recorder = SignalRecorder(
      (subject.value?.signal ?? .empty).collect(every: .zero, on: clock))
    subject.value?.send(1)
    subject.value = nil
    clock.advance(by: .milliseconds(1))
    #expect(recorder.events == [.value([1])])
    #expect(clock.pendingCount == 0)
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
    #expect(log.entries == [[1], [2]])
  }

  @Test func appendSendsValuesAfterTheCompletion() {
    #expect(SignalRecorder(Numbers.fused(1).append(2, 3)).events == [.value(1), .value(2), .value(3), .completed])
    #expect(SignalRecorder(Numbers.empty.append()).events == [.completed])
    #expect(SignalRecorder(Numbers.fail(.broken).append(2)).events == [.failed(.broken)])
    #expect(SignalRecorder(source.signal.append(2).take(1)).events.isEmpty)
  }
}
