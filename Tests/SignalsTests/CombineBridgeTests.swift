#if canImport(Combine)
import Combine
import HeliographTesting
import Signals
import Testing

/// `publisher` and `Signal(publisher)`.
@Suite struct CombineBridgeTests {
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
    #expect(asking.log.entries.isEmpty)
    asking.subscription?.request(.max(2))
    #expect(asking.log.entries == ["1", "2"])
    source.complete(with: 4)
    asking.subscription?.request(.max(1))
    #expect(asking.log.entries == ["1", "2", "3"])
    asking.subscription?.request(.unlimited)
    #expect(asking.log.entries == ["1", "2", "3", "4", "finished"])
  }

  @Test func aFailureFollowsTheValuesAndDemandMayBeReturned() {
    let asking = Asking(census.token(), extra: 1)
    Numbers.from([1, 2, 3]).concat(.fail(.late)).publisher.subscribe(asking)
    #expect(asking.log.entries.isEmpty)
    asking.subscription?.request(.max(1))
    #expect(asking.log.entries == ["1", "2", "3", "late"])
  }

  @Test func aSourcePausesUntilItsValuesAreDemanded() {
    let pausing = PausingSource(100)
    let asking = Asking(census.token())
    pausing.signal.publisher.subscribe(asking)
    #expect(pausing.sentCount == Pressure.highCount)
    asking.subscription?.request(.max(11))
    #expect(pausing.sentCount == Pressure.highCount)
    asking.subscription?.request(.max(1))
    #expect(asking.log.count == 12)
    #expect(pausing.sentCount == 12 + Pressure.highCount)
    asking.subscription?.request(.unlimited)
    #expect(asking.log.entries == (0..<100).map { "\($0)" } + ["finished"])
    #expect(pausing.resumptionCount == pausing.pauseCount)
    #expect(pausing.teardownCount == 1)
  }

  @Test func cancellingDisposesTheSignalAndCallsASourceThatWaits() {
    let pausing = PausingSource(100)
    let asking = Asking(census.token())
    pausing.signal.publisher.subscribe(asking)
    asking.subscription?.request(.max(2))
    asking.subscription?.cancel()
    asking.subscription?.request(.unlimited)
    #expect(asking.log.entries == ["0", "1"])
    #expect(pausing.resumptionCount == 1)
    #expect(pausing.teardownCount == 1)
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
    #expect(census.alive == 1)
    switch end {
    case "completion": holder.value?.complete()
    case "failure": holder.value?.fail(.broken)
    case "cancellation": subscription?.cancel()
    default: holder.value = nil
    }
    #expect(census.alive == 0)
    #expect(log.entries == ["1"] + (["completion": ["finished"], "failure": ["broken"]][end] ?? []))
  }

  @Test func theSubscriberIsReleasedWithACurrentValue() {
    let current = Later<CurrentValue<Int>>()
    current.value = CurrentValue(1)
    func subscribe() -> (any Subscription)? {
      let asking = Asking(census.token())
      current.value?.signal.mapError { never -> Fault in }.publisher.subscribe(asking)
      asking.subscription?.request(.unlimited)
      #expect(asking.log.entries == ["1"])
      return asking.subscription
    }
    let subscription = subscribe()
    #expect(census.alive == 1)
    current.value = nil
    #expect(census.alive == 0)
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
    #expect(census.alive == 1)
    lifetime = nil
    #expect(census.alive == 0)
    #expect(source.isIdle)
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
    #expect(census.alive == 1)
    subscription?.request(.max(1))
    #expect(log.entries == ["1"])
    #expect(census.alive == 0)
  }

  @Test func aPublisherFeedsASignalAndIsCancelledByItsDisposal() {
    let row = Row(count: 3)
    #expect(SignalRecorder(Signal(row)).events == [.value(0), .value(1), .value(2), .failed(.late)])
    #expect(SignalRecorder(Signal(row).take(2)).events == [.value(0), .value(1), .completed])
    #expect(row.cancelled.count == 1)
  }

  @Test func aSetOfCombinesHandlesKeepsASubscription() {
    let source = Source<Int>()
    var cancellables: Set<AnyCancellable> = []
    source.signal.sink(receiveCompletion: { _ in }, receiveValue: { _ in }).store(in: &cancellables)
    source.signal.subscribe { _ in }.store(in: &cancellables)
    #expect(source.subscriptionCount == 2 && source.teardownCount == 0)
    cancellables.removeAll()
    #expect(source.isIdle)
  }
}
#endif
