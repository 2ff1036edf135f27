import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// A batch or chain that is cancelled by the work that it is starting.
struct CancelAtStartTests {
  private struct Cancelling: Accessory {
    func willStart(_ work: any Startable) { work.cancel() }
  }

  /// The signal of a work that is cancelled by the start of its first part, which then sends many values.
  private func numbers(_ count: CurrentValue<Int>, _ cancel: @escaping @Sendable () -> Void) -> Signal<
    Int, NetworkError
  > {
    Signal.from(0..<1_000).on(value: { number in
      count.modify { $0 += 1 }
      if number == 1 { cancel() }
    })
  }

  @Test(arguments: [nil, 1]) func aBatchStopsItsSignalsAndStartsNoOther(_ limit: Int?) {
    let (first, second) = (CurrentValue(0), CurrentValue(0))
    let own = CurrentValue<Batch<Int>?>(nil)
    let signals = [numbers(first) { own.value?.cancel() }, numbers(second) {}]
    let batch = Batch(signals, concurrencyLimit: limit)
    own.value = batch
    let log = MomentLog()
    batch.accessories = [log]
    expect(batch.start())
    expectEqual(first.value, 2)
    expectEqual(second.value, 0)
    expect(batch.isCancelled && !batch.isExecuting)
    expectEqual(log.texts, ["willStart", "willStop", "didStop"])
    own.value = nil
  }

  /// Its results are those of the latest run.
  @Test func aRunThatAnAccessoryCancelsHasNoResultsOfTheFormerOne() async {
    let kit = TestKit { $0.processing = .global }
    kit.stub.on(.get, "/a", .text("a"))
    let call = kit.client.call("/a", as: String.self)
    let batch = Batch([Signal<Int, NetworkError>.just(1)])
    await SignalRecorder(call.signal).waitForEnd()
    await SignalRecorder(batch.signal).waitForEnd()
    expectEqual(call.value, "a")
    expectEqual(batch.values, [1])
    (call.accessories, batch.accessories) = ([Cancelling()], [Cancelling()])
    expect(call.start() && batch.start())
    expect(call.isCancelled && batch.isCancelled)
    expectNil(call.value)
    expectEqual(batch.values, [])
  }

  /// It runs once, so that it needs their closures no longer.
  @Test func aChainThatAnAccessoryCancelsReleasesItsSteps() {
    final class Token: Sendable {}
    var token: Token? = Token()
    weak var released: Token?
    released = token
    let chain = Chain()
    chain.add { [token] _ in withExtendedLifetime(token) { numbers(CurrentValue(0)) {} } }
    chain.accessories = [Cancelling()]
    token = nil
    expect(released != nil)
    expect(chain.start())
    expect(chain.isCancelled && !chain.isExecuting)
    expect(released == nil)
  }

  /// Wherever its start has come to.
  @Test func aChainThatAnotherThreadCancelsReleasesItsSteps() async {
    final class Token: Sendable {
      let count: CurrentValue<Int>
      init(_ count: CurrentValue<Int>) { self.count = count }
      deinit { count.modify { $0 += 1 } }
    }
    let released = CurrentValue(0)
    for number in 1...2_000 {
      let chain = Chain()
      chain.add { [token = Token(released)] _ in withExtendedLifetime(token) { Signal<Int, NetworkError>.never } }
      let cancelling = Task.detached {
        while !chain.isExecuting {}
        for _ in 0..<number % 50 { _ = chain.isExecuting }
        chain.cancel()
      }
      expect(chain.start())
      await cancelling.value
      expectEqual(released.value, number)
    }
  }

  @Test(arguments: [false, true]) func aChainStopsItsStepsAndStartsNoOther(cancelsInClosure: Bool) {
    let (first, second) = (CurrentValue(0), CurrentValue(0))
    let chain = Chain()
    chain.add { chain in
      if cancelsInClosure { chain.cancel() }
      return numbers(first) { chain.cancel() }
    }
    chain.add { _ in numbers(second) {} }
    let log = MomentLog()
    chain.accessories = [log]
    expect(chain.start())
    expectEqual(first.value, cancelsInClosure ? 0 : 2)
    expectEqual(second.value, 0)
    expect(chain.isCancelled && !chain.isExecuting)
    expectEqual(log.texts, ["willStart", "willStop", "didStop"])
  }
}
