import HeliographTesting
import Signals
import TestSupport
import Testing

struct CombiningTests {
  private struct Oops: Error, Equatable {}
  private let left = PublishSubject<Int, Oops>()
  private let right = PublishSubject<String, Oops>()

  private func texts(_ signal: Signal<(Int, String), Oops>) -> SignalRecorder<String, Oops> {
    SignalRecorder(signal.map { "\($0)\($1)" })
  }

  @Test func zipPairsInOrderAndCompletesWhenNoPairIsPossible() {
    let recorder = texts(left.signal.zip(right.signal))
    left.send(1)
    left.send(2)
    right.send("a")
    expectEqual(recorder.values, ["1a"])
    left.complete()
    expect(!recorder.hasEnded, "2 still waits for its partner")
    right.send("b")
    expectEqual(recorder.events, [.value("1a"), .value("2b"), .completed])
  }

  @Test func combineLatestSendsWhenBothHave() {
    let recorder = texts(left.signal.combineLatest(right.signal))
    left.send(1)
    left.send(2)
    right.send("a")
    left.send(3)
    right.complete()
    left.send(4)
    left.complete()
    expectEqual(recorder.events, [.value("2a"), .value("3a"), .value("4a"), .completed])
  }

  @Test func combineLatestCompletesWhenOneHasNothingToGive() {
    let recorder = texts(left.signal.combineLatest(right.signal))
    right.complete()
    expectEqual(recorder.events, [.completed])
  }

  @Test func withLatestSendsForTheLeftAlone() {
    let recorder = texts(left.signal.withLatest(from: right.signal))
    left.send(1)
    right.send("a")
    right.send("b")
    left.send(2)
    left.send(3)
    left.complete()
    expectEqual(recorder.events, [.value("2b"), .value("3b"), .completed])
    // The other is subscribed to first.
    let ready = texts(Signal.just(1).withLatest(from: Signal.from(["x"])))
    expectEqual(ready.values, ["1x"])
  }

  @Test(arguments: [false, true])
  func withLatestCompletesWithItsSourceAfterTheOtherWasDeallocated(hasValue: Bool) {
    var other: PublishSubject<String, Oops>? = PublishSubject()
    let recorder = other.map { texts(left.signal.withLatest(from: $0.signal)) }
    if hasValue { other?.send("a") }
    other = nil
    left.send(1)
    left.complete()
    expectEqual(recorder?.events, hasValue ? [.value("1a"), .completed] : [])
  }

  @Test func aFailureOfEitherFailsAndDisposesTheOther() {
    for make in [{ $0.zip($1) }, { $0.combineLatest($1) }, { $0.withLatest(from: $1) }]
      as [@Sendable (Signal<Int, Oops>, Signal<String, Oops>) -> Signal<(Int, String), Oops>]
    {
      let (left, right) = (PublishSubject<Int, Oops>(), PublishSubject<String, Oops>())
      let recorder = texts(make(left.signal, right.signal))
      right.fail(Oops())
      left.send(1)
      expectEqual(recorder.events, [.failed(Oops())])
    }
  }

  @Test func zipAndCombineLatestTakeUpToSix() {
    let one = Signal<Int, Oops>.just(1)
    let six = Signal.zip(one, .just(2), .just(3), .just(4), .just(5), .just(6)).map { [$0, $1, $2, $3, $4, $5] }
    expectEqual(SignalRecorder(six).events, [.value([1, 2, 3, 4, 5, 6]), .completed])
    let latest = Signal.combineLatest(one, .just(2), .just(3), .just(4), .just(5), .just(6)).map {
      [$0, $1, $2, $3, $4, $5]
    }
    expectEqual(SignalRecorder(latest).events, [.value([1, 2, 3, 4, 5, 6]), .completed])
    expectEqual(SignalRecorder(Signal.zip(one, .just(2), .just(3)).map { $0 + $1 + $2 }).values, [6])
    expectEqual(SignalRecorder(Signal.zip(one, .just(2), .just(3), .just(4)).map { $0 + $1 + $2 + $3 }).values, [10])
  }

  @Test func withoutSignalsZipAndCombineLatestComplete() {
    let signals = [Signal<Void, Oops>.zip(), Signal<Void, Oops>.combineLatest()]
    for signal in signals {
      let recorder = SignalRecorder(signal)
      expect(recorder.isCompleted)
      expect(recorder.values.isEmpty)
    }
  }

  @Test func mergeSendsWhatAllSend() {
    let merged = Signal<Int, Oops>.from([1, 2]).merge(.from([3]), .just(4))
    expectEqual(SignalRecorder(merged).events, [.value(1), .value(2), .value(3), .value(4), .completed])
  }

  @Test func prependThenAndConcatKeepTheirOrder() {
    let signal = Signal<Int, Oops>.just(3).prepend(1, 2).concat(.just(4))
    expectEqual(SignalRecorder(signal).values, [1, 2, 3, 4])
    expectEqual(SignalRecorder(signal.then(.just("end"))).events, [.value("end"), .completed])
    expectEqual(SignalRecorder(Signal<Int, Oops>.concat([.just(1), .empty, .just(2)])).values, [1, 2])
    expectEqual(SignalRecorder(Signal<Int, Oops>.concat([])).events, [.completed])
  }

  /// One value stays, which decides whether the end of its signal completes the pairs.
  @Test(arguments: [0, 2]) func zipFreesTheValuesForAPartnerThatCanSendNoMore(pairCount: Int) {
    let (census, tokens) = (Census(), PublishSubject<Token, Oops>())
    let partner = Signal<Int, Oops>.from(0..<pairCount).concat(.never)
    let recorder = SignalRecorder(partner.zip(tokens.signal).map { number, token in [number, token.number] })
    for number in 0..<10 { tokens.send(census.token(number)) }
    expectEqual(recorder.values, (0..<pairCount).map { [$0, $0] })
    expect(census.alive <= 1, "\(census.alive)")
    tokens.complete()
    expectEqual(recorder.hasEnded, false)
    expectEqual(census.alive, 0)
  }
}
