import HeliographTesting
import Signals
import Testing

@Suite struct TransformingTests {
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
    for source in sources() { #expect(SignalRecorder(source.map { $0 * 10 }).events == [.value(20), .completed]) }
    #expect(SignalRecorder(Numbers.empty.map { $0 }).events == [.completed])
    #expect(SignalRecorder(Numbers.fail(Odd(number: 1)).map { $0 }).events == [.failed(Odd(number: 1))])
  }

  @Test func filterSendsWhatPasses() {
    for source in sources() {
      #expect(SignalRecorder(source.filter { $0 == 2 }).events == [.value(2), .completed])
      #expect(SignalRecorder(source.filter { $0 != 2 }).events == [.completed])
    }
    #expect(SignalRecorder(Numbers.from(1...6).filter { $0 % 2 == 0 }).values == [2, 4, 6])
  }

  @Test func compactMapDropsNil() {
    for source in sources() { #expect(SignalRecorder(source.compactMap { _ in Int?.none }).events == [.completed]) }
    #expect(SignalRecorder(Numbers.from(1...4).compactMap { $0 > 2 ? "\($0)" : nil }).values == ["3", "4"])
  }

  @Test func tryMapFailsWithWhatIsThrownAndStopsTheSource() {
    let signal = Numbers.from(1...).tryMap { (value) throws(Odd) -> Int in
      if value == 3 { throw Odd(number: value) }
      return value
    }
    #expect(SignalRecorder(signal).events == [.value(1), .value(2), .failed(Odd(number: 3))])
    for source in sources() {
      let failing = source.tryMap { (value) throws(Odd) -> Int in throw Odd(number: value) }
      #expect(SignalRecorder(failing).events == [.failed(Odd(number: 2))])
    }
  }

  @Test func mapErrorChangesTheFailureAlone() {
    struct Other: Error, Equatable { let number: Int }
    let failing = Numbers.from([1]).concat(.fail(Odd(number: 7))).mapError { Other(number: $0.number) }
    #expect(SignalRecorder(failing).events == [.value(1), .failed(Other(number: 7))])
    for source in sources() {
      #expect(SignalRecorder(source.mapError { Other(number: $0.number) }).events == [.value(2), .completed])
    }
  }

  @Test func scanSendsRunningResultsWithoutTheSeed() {
    #expect(SignalRecorder(Numbers.from(1...4).scan(10, +)).values == [11, 13, 16, 20])
    #expect(SignalRecorder(Numbers.empty.scan(10, +)).events == [.completed])
    let scanned = Numbers.from([1, 2]).scan(0, +)
    #expect(SignalRecorder(scanned).values == [1, 3])
    #expect(SignalRecorder(scanned).values == [1, 3], "each subscription starts from the seed")
  }

  @Test func reduceAndCollectSendOneValueAlsoForNone() {
    #expect(SignalRecorder(Numbers.from(1...4).reduce(10, +)).events == [.value(20), .completed])
    #expect(SignalRecorder(Numbers.empty.reduce(10, +)).events == [.value(10), .completed])
    for source in sources() { #expect(SignalRecorder(source.collect()).events == [.value([2]), .completed]) }
    #expect(SignalRecorder(Numbers.empty.collect()).events == [.value([]), .completed])
    #expect(SignalRecorder(Numbers.from([1]).concat(.fail(Odd(number: 1))).collect()).values.isEmpty)
  }

  @Test func materializeAndDematerializeAreThereAndBack() {
    let failing = Numbers.from([1]).concat(.fail(Odd(number: 1)))
    #expect(
      SignalRecorder(failing.materialize()).events == [
        .value(.value(1)), .value(.failed(Odd(number: 1))), .completed,
      ])
    for source in sources() + [failing] {
      let back: Numbers = source.materialize().dematerialize()
      #expect(SignalRecorder(back).events == SignalRecorder(source).events)
    }
  }
}
