#if canImport(Combine)
  public import Combine
  import Synchronization

  extension Signal {
    /// The signal as a Combine publisher: each subscriber starts the work anew and gets as many values as it asks for.
    public var publisher: SignalPublisher<Value, Failure> { SignalPublisher(self) }

    /// Makes a signal from a Combine publisher, to which each subscription attaches a subscriber of its own.
    ///
    /// The publisher is asked for no end of values. Its completion and failure end the signal; disposing the
    /// subscription cancels the publisher's, and what it still sends is dropped.
    ///
    /// Combine does not mark its publishers `Sendable`, while a signal may be subscribed to from any thread. Combine's
    /// own publishers allow that; a publisher of yours must allow it too, and so must the closures given to Combine's
    /// operators: one written on the main actor belongs after `subscribe(on: DispatchQueue.main)`.
    /// - Parameter publisher: attached to at each subscription, on the subscriber's thread.
    public init<P: Publisher>(_ publisher: P) where P.Output == Value, P.Failure == Failure {
      let attach = Carried { (subscriber: ObservingSubscriber<Value, Failure>) in publisher.subscribe(subscriber) }
      self.init { observer in
        let subscriber = ObservingSubscriber(observer)
        let handle = Disposable { subscriber.cancel() }
        attach.content(subscriber)
        return handle
      }
    }
  }

  /// A signal as a Combine publisher; made by ``Signal/publisher``.
  ///
  /// - Each subscriber starts the signal's work, right after it has received its subscription.
  /// - Values wait in memory, without a limit, until the subscriber asks for them; an ending follows the last of them.
  /// - Cancelling the Combine subscription disposes the signal's and frees what waits; nothing is delivered afterwards.
  /// - Values arrive on the thread that the signal sends from, or on the one that asks for values that wait.
  public struct SignalPublisher<Output: Sendable, Failure: Error>: Publisher, Sendable {
    private let signal: Signal<Output, Failure>

    init(_ signal: Signal<Output, Failure>) {
      self.signal = signal
    }

    /// Starts the signal for a subscriber; called by Combine.
    ///
    /// - Parameter subscriber: receives its subscription, then as many values as it asks for, then the ending.
    public func receive<S>(subscriber: S) where S: Subscriber, S.Input == Output, S.Failure == Failure {
      let subscription = SignalSubscription<Output, Failure>(subscriber)
      subscriber.receive(subscription: subscription)
      subscription.start(signal)
    }
  }

  /// Something of Combine's, which marks nothing `Sendable`, on its way into a closure or a lock of ours.
  private struct Carried<Content>: Sendable {
    // Combine's contract stands in for the type check: publishers and subscriptions may be used from any thread, and a
    // subscriber is called by one thread at a time, which `SignalSubscription` sees to.
    nonisolated(unsafe) let content: Content

    init(_ content: Content) {
      self.content = content
    }
  }

  /// What a Combine subscription knows: what has come, what is wanted, and who delivers.
  private struct Demanded<Value: Sendable, Failure: Error>: Sendable {
    /// What one turn of the delivery loop does after the lock.
    enum Step: Sendable {
      case value(Value, to: Carried<any Subscriber<Value, Failure>>)
      case ending(Event<Value, Failure>, to: Carried<any Subscriber<Value, Failure>>, freeing: Disposable?)
      case nothing
    }

    /// `nil` once the subscription has ended or was cancelled.
    var subscriber: Carried<any Subscriber<Value, Failure>>?
    var upstream: Disposable?
    var isDelivering = false
    /// Values not yet asked for; `nil` stands where one has been delivered, before `firstWaiting`.
    private var waiting: [Value?] = []
    private var firstWaiting = 0
    /// How many more values are wanted; `nil` for no end of them.
    private var demand: Int? = 0
    private var ending: Event<Value, Failure>?

    init(subscriber: Carried<any Subscriber<Value, Failure>>? = nil, isDelivering: Bool = false) {
      self.subscriber = subscriber
      self.isDelivering = isDelivering
    }

    mutating func add(_ event: Event<Value, Failure>) {
      guard subscriber != nil, ending == nil else { return }
      if case .value(let value) = event { waiting.append(value) } else { ending = event }
    }

    mutating func add(demand count: Int?) {
      guard let known = demand, let count else {
        demand = nil
        return
      }
      let (sum, isTooLarge) = known.addingReportingOverflow(count)
      demand = isTooLarge ? nil : sum
    }

    mutating func claimDelivery() -> Bool {
      guard subscriber != nil, !isDelivering else { return false }
      isDelivering = true
      return true
    }

    /// The next thing to do for who has claimed the delivery; `.nothing` gives the claim back.
    mutating func nextStep() -> Step {
      guard let subscriber else {
        isDelivering = false
        return .nothing
      }
      if demand != 0, let value = takeValue() {
        if let known = demand { demand = known - 1 }
        return .value(value, to: subscriber)
      }
      isDelivering = false
      guard firstWaiting == waiting.count, let ending else { return .nothing }
      let upstream = upstream
      self = Demanded()
      return .ending(ending, to: subscriber, freeing: upstream)
    }

    private mutating func takeValue() -> Value? {
      guard firstWaiting < waiting.count, let value = waiting[firstWaiting].take() else { return nil }
      firstWaiting += 1
      // Dropped when half of the places are empty: constant time per value, memory within twice what waits.
      if firstWaiting * 2 >= waiting.count {
        waiting.removeFirst(firstWaiting)
        firstWaiting = 0
      }
      return value
    }
  }

  /// The Combine side of a subscription to a signal: keeps values until they are asked for.
  ///
  /// State changes under the lock, every call-out comes after it. Who finds `isDelivering` unset delivers; all others
  /// leave their value or demand behind, so that the subscriber is never called by two threads at once nor from inside
  /// its own call.
  private final class SignalSubscription<Value: Sendable, Failure: Error>: Subscription, Sendable {
    private let state: Guarded<Demanded<Value, Failure>>

    init(_ subscriber: any Subscriber<Value, Failure>) {
      state = Guarded(Demanded(subscriber: Carried(subscriber)))
    }

    /// Starts the signal's work, unless the subscriber has cancelled already.
    func start(_ signal: Signal<Value, Failure>) {
      guard state.withLock({ $0.subscriber != nil }) else { return }
      let upstream = signal.subscribe { (event: Event<Value, Failure>) in
        self.state.withLock { $0.add(event) }
        self.deliver()
      }
      let isOver = state.withLock { state in
        if state.subscriber != nil { state.upstream = upstream }
        return state.subscriber == nil
      }
      if isOver { upstream.dispose() }
    }

    func request(_ demand: Subscribers.Demand) {
      let count = demand.max
      state.withLock { $0.add(demand: count) }
      deliver()
    }

    func cancel() {
      // Swapped out under the lock and freed after it: what a value's deinit does, it does outside.
      let old = state.withLock { state in
        let old = state
        state = Demanded(isDelivering: old.isDelivering)
        return old
      }
      old.upstream?.dispose()
    }

    /// Delivers what has come and is wanted, unless another call of this is under way.
    private func deliver() {
      guard state.withLock({ $0.claimDelivery() }) else { return }
      while true {
        switch state.withLock({ $0.nextStep() }) {
        case .value(let value, let subscriber):
          let count = subscriber.content.receive(value).max
          state.withLock { $0.add(demand: count) }
        case .ending(.failed(let failure), let subscriber, _):
          return subscriber.content.receive(completion: .failure(failure))
        case .ending(_, let subscriber, _):
          return subscriber.content.receive(completion: .finished)
        case .nothing:
          return
        }
      }
    }
  }

  /// The Combine subscriber that passes everything to a signal's observer.
  private final class ObservingSubscriber<Value: Sendable, Failure: Error>: Subscriber, Sendable {
    private enum State {
      case waiting
      case attached(Carried<any Subscription>)
      case over
    }

    private let observer: Observer<Value, Failure>
    private let state = Guarded(State.waiting)

    init(_ observer: Observer<Value, Failure>) {
      self.observer = observer
    }

    func receive(subscription: any Subscription) {
      let carried = Carried(subscription)
      let isWanted = state.withLock { state in
        guard case .waiting = state else { return false }
        state = .attached(carried)
        return true
      }
      if isWanted { carried.content.request(.unlimited) } else { carried.content.cancel() }
    }

    func receive(_ input: Value) -> Subscribers.Demand {
      observer.send(input)
      // A publisher that sends everything before it returns is stopped here: the handle has not been returned yet.
      if observer.isDisposed { cancel() }
      return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
      _ = end()
      switch completion {
      case .finished: observer.complete()
      case .failure(let failure): observer.fail(failure)
      }
    }

    func cancel() {
      if case .attached(let subscription) = end() { subscription.content.cancel() }
    }

    private func end() -> State {
      state.withLock { state in
        let old = state
        state = .over
        return old
      }
    }
  }
#endif
