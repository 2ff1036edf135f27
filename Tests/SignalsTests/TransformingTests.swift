import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

struct TransformingTests {
  private struct Odd: Error, Equatable { let number: Int }
  private typealias Numbers = Signal<Int, Odd>

  /// The same operator on a ready value, a sequence, and work that ends in one call or two.
  private func sources() -> [Numbers] {
    [
      .just(2), .from([2]),
      Signal { observer in
        observer.complete(with: 2)
        return nil
      },
      Signal { observer in
        observer.send(2)
        observer.complete()
        return nil
      },
    ]
  }

  @Test func mapSendsEachValueTransformed() {
    for source in sources() { expectEqual(SignalRecorder(source.map { $0 * 10 }).events, [.value(20), .completed]) }
    expectEqual(SignalRecorder(Numbers.empty.map { $0 }).events, [.completed])
    expectEqual(SignalRecorder(Numbers.fail(Odd(number: 1)).map { $0 }).events, [.failed(Odd(number: 1))])
  }

  @Test func filterSendsWhatPasses() {
    for source in sources() {
      expectEqual(SignalRecorder(source.filter { $0 == 2 }).events, [.value(2), .completed])
      expectEqual(SignalRecorder(source.filter { $0 != 2 }).events, [.completed])
    }
    expectEqual(SignalRecorder(Numbers.from(1...6).filter { $0 % 2 == 0 }).values, [2, 4, 6])
  }

  @Test func compactMapDropsNil() {
    for source in sources() { expectEqual(SignalRecorder(source.compactMap { _ in Int?.none }).events, [.completed]) }
    expectEqual(SignalRecorder(Numbers.from(1...4).compactMap { $0 > 2 ? "\($0)" : nil }).values, ["3", "4"])
  }

  @Test func tryMapFailsWithWhatIsThrownAndStopsTheSource() {
    let signal = Numbers.from(1...).tryMap { (value) throws(Odd) -> Int in
      if value == 3 { throw Odd(number: value) }
      return value
    }
    expectEqual(SignalRecorder(signal).events, [.value(1), .value(2), .failed(Odd(number: 3))])
    for source in sources() {
      let failing = source.tryMap { (value) throws(Odd) -> Int in throw Odd(number: value) }
      expectEqual(SignalRecorder(failing).events, [.failed(Odd(number: 2))])
    }
  }

  @Test func mapErrorChangesTheFailureAlone() {
    struct Other: Error, Equatable { let number: Int }
    let failing = Numbers.from([1]).concat(.fail(Odd(number: 7))).mapError { Other(number: $0.number) }
    expectEqual(SignalRecorder(failing).events, [.value(1), .failed(Other(number: 7))])
    for source in sources() {
      expectEqual(SignalRecorder(source.mapError { Other(number: $0.number) }).events, [.value(2), .completed])
    }
  }

  @Test func scanSendsRunningResultsWithoutTheSeed() {
    expectEqual(SignalRecorder(Numbers.from(1...4).scan(10, +)).values, [11, 13, 16, 20])
    expectEqual(SignalRecorder(Numbers.empty.scan(10, +)).events, [.completed])
    let scanned = Numbers.from([1, 2]).scan(0, +)
    expectEqual(SignalRecorder(scanned).values, [1, 3])
    expectEqual(SignalRecorder(scanned).values, [1, 3], "each subscription starts from the seed")
  }

  @Test func reduceAndCollectSendOneValueAlsoForNone() {
    expectEqual(SignalRecorder(Numbers.from(1...4).reduce(10, +)).events, [.value(20), .completed])
    expectEqual(SignalRecorder(Numbers.empty.reduce(10, +)).events, [.value(10), .completed])
    for source in sources() { expectEqual(SignalRecorder(source.collect()).events, [.value([2]), .completed]) }
    expectEqual(SignalRecorder(Numbers.empty.collect()).events, [.value([]), .completed])
    expect(SignalRecorder(Numbers.from([1]).concat(.fail(Odd(number: 1))).collect()).values.isEmpty)
  }

  @Test func materializeAndDematerializeAreThereAndBack() {
    let failing = Numbers.from([1]).concat(.fail(Odd(number: 1)))
    expectEqual(
      SignalRecorder(failing.materialize()).events,
      [
        .value(.value(1)), .value(.failed(Odd(number: 1))), .completed,
      ])
    for source in sources() + [failing] {
      let back: Numbers = source.materialize().dematerialize()
      expectEqual(SignalRecorder(back).events, SignalRecorder(source).events)
    }
  }
}
