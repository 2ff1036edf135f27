#if canImport(Combine)
import Combine
import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// `publisher` and `Signal(publisher)`.
struct CombineBridgeTests {
  /// A subscriber that asks when the test says so.
  private final class Asking: Subscriber, @unchecked Sendable {
    let log = Log<String>()
    let token: Token
    let extra: Int
    private(set) var subscription: (any Subscription)?

    init(_ token: Token, extra: Int = 0) {
      self.token = token
      self.extra = extra
    }

    func receive(subscription: any Subscription) { self.subscription = subscription }

    func receive(_ input: Int) -> Subscribers.Demand {
      log.add("\(input)")
      return .max(extra)
    }

    func receive(completion: Subscribers.Completion<Fault>) {
      switch completion {
      case .finished: log.add("finished")
      case .failure(let fault): log.add("\(fault)")
      }
    }
  }

  /// A publisher of a row of numbers that ignores cancellation.
  private struct Row: Publisher {
    typealias Output = Int
    typealias Failure = Fault
    let count: Int
    let cancelled = Tally()

    private final class Link: Subscription {
      let cancelled: Tally
      init(_ cancelled: Tally) { self.cancelled = cancelled }
      func request(_ demand: Subscribers.Demand) {}
      func cancel() { cancelled.arrive() }
    }

    func receive<S>(subscriber: S) where S: Subscriber, S.Failure == Fault, S.Input == Int {
      subscriber.receive(subscription: Link(cancelled))
      for number in 0..<count { _ = subscriber.receive(number) }
      subscriber.receive(completion: .failure(.late))
    }
  }

  let census = Census()
  let source = Source<Int>()

  @Test func asManyValuesAreDeliveredAsAreDemandedAndThenTheCompletion() {
    let asking = Asking(census.token())
    source.signal.publisher.subscribe(asking)
    for number in 1...3 { source.send(number) }
    expect(asking.log.entries.isEmpty)
    asking.subscription?.request(.max(2))
    expectEqual(asking.log.entries, ["1", "2"])
    source.complete(with: 4)
    asking.subscription?.request(.max(1))
    expectEqual(asking.log.entries, ["1", "2", "3"])
    asking.subscription?.request(.unlimited)
    expectEqual(asking.log.entries, ["1", "2", "3", "4", "finished"])
  }

  @Test func aFailureFollowsTheValuesAndDemandMayBeReturned() {
    let asking = Asking(census.token(), extra: 1)
    Numbers.from([1, 2, 3]).concat(.fail(.late)).publisher.subscribe(asking)
    expect(asking.log.entries.isEmpty)
    asking.subscription?.request(.max(1))
    expectEqual(asking.log.entries, ["1", "2", "3", "late"])
  }

  @Test func aSourcePausesUntilItsValuesAreDemanded() {
    let pausing = PausingSource(100)
    let asking = Asking(census.token())
    pausing.signal.publisher.subscribe(asking)
    expectEqual(pausing.sentCount, Pressure.highCount)
    asking.subscription?.request(.max(11))
    expectEqual(pausing.sentCount, Pressure.highCount)
    asking.subscription?.request(.max(1))
    expectEqual(asking.log.count, 12)
    expectEqual(pausing.sentCount, 12 + Pressure.highCount)
    asking.subscription?.request(.unlimited)
    expectEqual(asking.log.entries, (0..<100).map { "\($0)" } + ["finished"])
    expectEqual(pausing.resumptionCount, pausing.pauseCount)
    expectEqual(pausing.teardownCount, 1)
  }

  @Test func cancellingDisposesTheSignalAndCallsASourceThatWaits() {
    let pausing = PausingSource(100)
    let asking = Asking(census.token())
    pausing.signal.publisher.subscribe(asking)
    asking.subscription?.request(.max(2))
    asking.subscription?.cancel()
    asking.subscription?.request(.unlimited)
    expectEqual(asking.log.entries, ["0", "1"])
    expectEqual(pausing.resumptionCount, 1)
    expectEqual(pausing.teardownCount, 1)
  }

  @Test(arguments: ["completion", "failure", "cancellation", "abandoned"])
  func theSubscriberIsReleasedAtEveryEnd(end: String) {
    let holder = Later<Observer<Int, Fault>>()
    func subscribe() -> (Log<String>, (any Subscription)?) {
      let asking = Asking(census.token())
      Numbers { observer in
        holder.value = observer
        return nil
      }.map { $0 }.publisher.subscribe(asking)
      holder.value?.send(1)
      asking.subscription?.request(.max(2))
      return (asking.log, asking.subscription)
    }
    let (log, subscription) = subscribe()
    expectEqual(census.alive, 1)
    switch end {
    case "completion": holder.value?.complete()
    case "failure": holder.value?.fail(.broken)
    case "cancellation": subscription?.cancel()
    default: holder.value = nil
    }
    expectEqual(census.alive, 0)
    expectEqual(log.entries, ["1"] + (["completion": ["finished"], "failure": ["broken"]][end] ?? []))
  }

  @Test func theSubscriberIsReleasedWithACurrentValue() {
    let current = Later<CurrentValue<Int>>()
    current.value = CurrentValue(1)
    func subscribe() -> (any Subscription)? {
      let asking = Asking(census.token())
      current.value?.signal.mapError { never -> Fault in }.publisher.subscribe(asking)
      asking.subscription?.request(.unlimited)
      expectEqual(asking.log.entries, ["1"])
      return asking.subscription
    }
    let subscription = subscribe()
    expectEqual(census.alive, 1)
    current.value = nil
    expectEqual(census.alive, 0)
    withExtendedLifetime(subscription) {}
  }

  @Test func theSubscriberOfABoundSignalIsReleasedWithTheOwner() {
    var lifetime: Lifetime? = Lifetime()
    func subscribe() -> (any Subscription)? {
      let asking = Asking(census.token())
      lifetime.map { source.signal.bound(to: $0).publisher.subscribe(asking) }
      return asking.subscription
    }
    let subscription = subscribe()
    expectEqual(census.alive, 1)
    lifetime = nil
    expectEqual(census.alive, 0)
    expect(source.isIdle)
    withExtendedLifetime(subscription) {}
  }

  @Test func whatWaitsWhenTheSourceIsDeallocatedIsStillDelivered() {
    let holder = Later<Observer<Int, Fault>>()
    func subscribe() -> (Log<String>, (any Subscription)?) {
      let asking = Asking(census.token())
      Numbers { observer in
        holder.value = observer
        return nil
      }.publisher.subscribe(asking)
      return (asking.log, asking.subscription)
    }
    let (log, subscription) = subscribe()
    holder.value?.send(1)
    holder.value = nil
    expectEqual(census.alive, 1)
    subscription?.request(.max(1))
    expectEqual(log.entries, ["1"])
    expectEqual(census.alive, 0)
  }

  @Test func aPublisherFeedsASignalAndIsCancelledByItsDisposal() {
    let row = Row(count: 3)
    expectEqual(SignalRecorder(Signal(row)).events, [.value(0), .value(1), .value(2), .failed(.late)])
    expectEqual(SignalRecorder(Signal(row).take(2)).events, [.value(0), .value(1), .completed])
    expectEqual(row.cancelled.count, 1)
  }
}
#endif
