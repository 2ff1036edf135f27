import HeliographTesting
import SignalsTestSupport
import TestSupport
import Testing

@testable import Signals

/// Work that must not grow with the square of the number of signals.
struct WorkGrowthTests {
  private let source = Source<Int>()

  /// Inner signals that end in the order of their starts.
  @Test func theEndsOfManyInnerSignals() {
    let factor = growth(from: 250, to: 4_000) { count in
      let source = Source<Int>()
      let recorder = SignalRecorder(Numbers.from(0..<count).flatMap { _ in source.signal })
      let observers = source.observers
      expectEqual(observers.count, count)
      for observer in observers { observer.complete() }
      expect(recorder.isCompleted)
    }
    expect(factor < 70, "\(factor)")
  }

  /// The same number of inner signals never end; they start first.
  @Test func theEndsOfManyInnerSignalsAmongUnreachableOnes() {
    let factor = growth(from: 250, to: 4_000) { count in
      let source = Source<Int>()
      let inners = (0..<2 * count).map { $0 < count ? Numbers.never : source.signal }
      let recorder = SignalRecorder(Signal<Numbers, Fault>.from(inners).flatMap { $0 })
      for observer in source.observers.dropLast() { observer.complete() }
      expect(!recorder.hasEnded)
    }
    expect(factor < 70, "\(factor)")
  }

  @Test func manyInnerSignalsThatDropTheirObservers() {
    let factor = growth(from: 250, to: 4_000) { count in
      let observers = Guarded<[Observer<Int, Fault>?]>([])
      let recorder = SignalRecorder(
        Numbers.from(0..<count).flatMap { _ in
          Numbers { observer in
            observers.withLock { $0.append(observer) }
            return nil
          }
        })
      for index in 0..<count {
        let dropped = observers.withLock { $0[index].take() }
        withExtendedLifetime(dropped) {}
      }
      expect(!recorder.hasEnded)
    }
    expect(factor < 70, "\(factor)")
  }

  /// Sequences that wait for the same boundary, because their outer signal does not wait.
  @Test func theWaitsOfManySources() {
    let factor = growth(from: 100, to: 1_600) { count in
      let (clock, outer) = (VirtualScheduler(), Source<Int>())
      let recorder = SignalRecorder(outer.signal.flatMap { _ in Numbers.from(0..<3) }.observe(on: clock))
      for number in 0..<count { outer.send(number) }
      clock.advance()
      expectEqual(recorder.values.count, 3 * count)
    }
    expect(factor < 70, "\(factor)")
  }

  /// A join that can send nothing, because one of its signals is unreachable.
  @Test(arguments: [true, false]) func theValuesOfAJoinThatIsStuck(_ isZip: Bool) {
    let factor = growth(from: 250, to: 4_000) { count in
      let signals = [Numbers.never] + (0..<count).map { Numbers.from([$0, $0]) }
      let recorder = SignalRecorder(isZip ? Signal.zip(signals) : Signal.combineLatest(signals))
      expect(recorder.values.isEmpty)
    }
    expect(factor < 70, "\(factor)")
  }

  /// A chain that is run after each signal that it gets, and its prefixes once more.
  @Test func aChainThatGrows() {
    var chains = [Numbers.just(0).concat(.just(1))]
    for number in 2..<100 { chains.append(chains[number - 2].concat(.just(number))) }
    for (index, chain) in chains.enumerated() { expectEqual(SignalRecorder(chain).values, Array(0...index + 1)) }
    expectEqual(chains.map(\.flattenedCount).reduce(0, +), 100)
    for (index, chain) in chains.enumerated() { expectEqual(SignalRecorder(chain).values, Array(0...index + 1)) }
  }

  /// So many that those that are disposed are not removed one by one.
  @Test func manySubscribersInAnyOrder() {
    let (subject, log) = (PublishSubject<Int, Fault>(), Log<Int>())
    let count = 500
    let handles = (0..<count).map { number in
      subject.signal.subscribe(
        onValue: { _ in log.add(number) }, onFailure: { _ in })
    }
    var alive = Array(0..<count)
    // The first ones, some in between, the last ones, and all but two.
    for disposed in [Array(0..<150), Array(stride(from: 151, to: 400, by: 3)), Array(400..<500), Array(155..<490)] {
      for number in disposed {
        handles[number].dispose()
        handles[number].dispose()
      }
      alive.removeAll { disposed.contains($0) }
      let count = log.count
      subject.send(0)
      expectEqual(Array(log.entries.dropFirst(count)), alive)
    }
    expectEqual(alive.count, 3)
    for handle in handles { handle.dispose() }
    let total = log.count
    subject.send(0)
    expectEqual(log.count, total)
  }

  /// A connection ends with its last subscriber, however many have left before.
  @Test func theLastOfManySubscribersDisconnects() {
    let shared = source.signal.share()
    let handles = (0..<200).map { _ in shared.subscribe(onValue: { _ in }, onFailure: { _ in }) }
    for handle in handles.dropLast() { handle.dispose() }
    expectEqual(source.observers.filter { !$0.isDisposed }.count, 1)
    handles.last?.dispose()
    expectEqual(source.observers.filter { !$0.isDisposed }.count, 0)
  }
}

extension Signal {
  /// The number of signals that a chain stores in its cache.
  fileprivate var flattenedCount: Int {
    if case .chain(let chain) = kind { chain.flattened.withLock { $0?.count ?? 0 } } else { 0 }
  }
}
