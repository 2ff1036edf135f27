import HeliographTesting
import Observation
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// `Signal.observing`.
@Suite @MainActor struct ObservingTests {
  @Observable final class Model {
    var count = 0
    var other = 0
    var usesOther = false
    var shown: Int { usesOther ? other : count }
  }

  private final class Owner { var model: Model? }

  let model = Model()

  @Test func thePresentValueIsSentAtSubscriptionAndThenEachTurnsChange() async {
    model.count = 1
    let recorder = SignalRecorder(Signal.observing { [model] in model.count })
    expectEqual(recorder.values, [1])
    model.count = 2
    model.count = 3
    expectEqual(recorder.values, [1])
    await mainQueueTurn()
    expectEqual(recorder.values, [1, 3])
    model.count = 4
    await mainQueueTurn()
    expectEqual(recorder.values, [1, 3, 4])
  }

  @Test func aClosureThatReadsNoPropertyIsReadOnce() async {
    let owner = Owner()
    let recorder = SignalRecorder(Signal.observing { owner.model?.count ?? 0 })
    owner.model = model
    model.count = 1
    await mainQueueTurn()
    expectEqual(recorder.values, [0])
    let states = Signal.observing { 7 }
    for await state in states.values { expectEqual(state, 7) }
  }

  @Test func equalValuesAreSentAndOtherPropertiesAreNotObserved() async {
    let recorder = SignalRecorder(Signal.observing { [model] in model.count / 10 })
    model.other = 1
    await mainQueueTurn()
    expectEqual(recorder.values, [0])
    model.count = 1
    await mainQueueTurn()
    expectEqual(recorder.values, [0, 0])
  }

  @Test func whatIsReadMayChangeWithTheModel() async {
    let recorder = SignalRecorder(Signal.observing { [model] in model.shown })
    model.usesOther = true
    await mainQueueTurn()
    model.count = 5
    await mainQueueTurn()
    expectEqual(recorder.values, [0, 0])
    model.other = 6
    await mainQueueTurn()
    expectEqual(recorder.values, [0, 0, 6])
  }

  @Test func aSubscriptionFromAnotherThreadIsServedOnTheMainActor() async {
    let recorder = Later<SignalRecorder<Int, Never>>()
    let signal = Signal.observing { [model] in model.count }.on(value: { _ in MainActor.assertIsolated() })
    whileTheMainThreadWaits { recorder.value = SignalRecorder(signal) }
    expectEqual(recorder.value?.values, [])
    await mainQueueTurn()
    expectEqual(recorder.value?.values, [0])
  }

  @Test func aDisposalBeforeTheFirstTurnReadsNothing() async {
    let reads = Tally()
    let signal = Signal.observing { [model] in
      reads.arrive()
      return model.count
    }
    whileTheMainThreadWaits { signal.subscribe(onValue: { _ in }).dispose() }
    await mainQueueTurn()
    expectEqual(reads.count, 0)
  }

  @Test func aHandlerMayChangeTheModel() async {
    let log = Log<Int>()
    let handle = Signal.observing { [model] in model.count }.subscribeOnMain(onValue: { [model] value in
      log.add(value)
      if value < 3 { model.count = value + 1 }
    })
    for _ in 1...8 { await mainQueueTurn() }
    expectEqual(log.entries, [0, 1, 2, 3])
    handle.dispose()
  }

  @Test func disposalStopsItAndFreesTheClosures() async {
    let census = Census()
    func subscribe() -> SignalRecorder<Int, Never> {
      let token = census.token()
      return SignalRecorder(
        Signal.observing { [model] in
          token.use()
          return model.count
        })
    }
    let recorder = subscribe()
    model.count = 1
    recorder.dispose()
    expectEqual(census.alive, 0)
    await mainQueueTurn()
    model.count = 2
    await mainQueueTurn()
    expectEqual(recorder.values, [0])
  }

  @Test func theFirstValueMayEndIt() async {
    let reads = Tally()
    let signal = Signal.observing { [model] in
      reads.arrive()
      return model.count
    }
    let recorder = SignalRecorder(signal.take(1))
    expectEqual(recorder.events, [.value(0), .completed])
    model.count = 1
    await mainQueueTurn()
    expectEqual(reads.count, 1)
  }

  private static func subscription(to model: Model, _ token: Token) -> Disposable {
    Signal.observing { [weak model] in model?.count }.subscribe(onValue: { _ in token.use() })
  }

  @Test(arguments: [false, true])
  func theSubscriberIsReleasedWithAModelThatIsCapturedWeakly(keepsHandle: Bool) async {
    let census = Census()
    var model: Model? = Model()
    let observed = { [weak model] in model }
    var handle: Disposable? = model.map { ObservingTests.subscription(to: $0, census.token()) }
    if !keepsHandle { handle = nil }
    model?.count = 1
    await mainQueueTurn()
    expectEqual(census.alive, 1)
    model = nil
    expectNil(observed())
    expectEqual(census.alive, 0)
    expect(handle?.isDisposed ?? true)
  }

  @Test func aModelThatIsCapturedStronglyIsKeptUntilTheDisposal() {
    var model: Model? = Model()
    let observed = { [weak model] in model }
    let handle = model.map { model in Signal.observing { model.count }.subscribe(onValue: { _ in }) }
    model = nil
    expect(observed() != nil)
    handle?.dispose()
    expectNil(observed())
  }

  @Test func aLoopOverItEndsWithTheModel() async {
    var model: Model? = Model()
    let iterator = Signal.observing { [weak model] in model?.count }.values.makeAsyncIterator()
    await expectEqual(iterator.next(), 0)
    model?.count = 1
    await expectEqual(iterator.next(), 1)
    model = nil
    await expectNil(iterator.next())
  }
}
