#if canImport(Combine)
import Combine

/// The Combine subscription to a signal: buffers values until they are demanded.
///
/// One thread at a time delivers, outside the lock. All others leave their value or demand in the state, so that calls
/// of the subscriber neither overlap nor nest. The source retains the subscription, which retains the subscriber; both
/// references are released on termination, on cancellation and when the source is deallocated.
final class CombineSubscription<Value: Sendable, Failure: Error>: Subscription, Sendable {
  private let state: Guarded<CombineDemand<Value, Failure>>
  private let upstream = SerialHandle()
  // A separate object, because a source that retains it must not retain the subscription.
  private let pressure = Pressure(before: nil)

  init(_ subscriber: any Subscriber<Value, Failure>) {
    state = Guarded(CombineDemand(subscriber: CombineBox(subscriber)))
  }

  /// Starts the signal's work, unless the subscriber has already cancelled.
  func start(_ signal: Signal<Value, Failure>) {
    // Weak, because the subscription owns the handle. A silent end disposes the handle; any other end is recorded
    // first.
    let handle = Disposable { [weak self] in self?.terminate(.abandoned) }
    upstream.set(handle)
    let root = Root<Value, Failure>(handle) { self.receive($0) }
    signal.run(
      in: root.downstream(under: pressure).input(
        next: { root.next($0) },
        // Terminates, because nothing else would release the subscriber of a deallocated source.
        end: { end in if end.isUnreachable { self.terminate(end) } else { root.end(end) } }))
  }

  func request(_ demand: Combine.Subscribers.Demand) {
    let count = demand.max
    state.withLock { $0.add(count) }
    deliver()
  }

  func cancel() {
    // Swapped out under the lock and freed outside it, because the deinit of a value is user code.
    let previous = state.withLock { state in
      let previous = state
      state = previous.cancelled
      return previous
    }
    pressure.close()
    upstream.dispose()
    pressure.notify()
    withExtendedLifetime(previous) {}
  }

  private func receive(_ event: Event<Value, Failure>) {
    switch event {
    case .value(let value):
      state.withLock { state in
        state.append(value)
        pressure.setQueued(state.waiting.count)
      }
      deliver()
    case .failed(let failure): terminate(.failed(failure))
    case .completed: terminate(.completed)
    }
  }

  private func terminate(_ end: End<Value, Failure>) {
    state.withLock { $0.terminate(end) }
    deliver()
  }

  /// Delivers buffered values up to the demand, unless another call of this method is in flight.
  private func deliver() {
    guard state.withLock({ $0.claimDelivery() }) else { return }
    while true {
      switch takeStep() {
      case .value(let value, let subscriber):
        let count = subscriber.content.receive(value).max
        state.withLock { $0.add(count) }
        // A source that resumes here buffers its values, which this loop delivers.
        pressure.notify()
      case .end(let end, let subscriber):
        pressure.close()
        switch end {
        case .failed(let failure): subscriber.content.receive(completion: .failure(failure))
        case .completed, .last: subscriber.content.receive(completion: .finished)
        case .abandoned, .unreachable: break
        }
        return pressure.notify()
      case .nothing:
        return
      }
    }
  }

  private func takeStep() -> CombineDemand<Value, Failure>.Step {
    state.withLock { state in
      let step = state.nextStep()
      if case .value = step { pressure.setQueuedInOrder(state.waiting.count) }
      return step
    }
  }
}

/// The state of a Combine subscription to a signal: its buffer, its demand and whether a delivery is in flight.
struct CombineDemand<Value: Sendable, Failure: Error>: Sendable {
  typealias Recipient = CombineBox<any Subscriber<Value, Failure>>

  /// The action of one iteration of the delivery loop, performed outside the lock.
  enum Step: Sendable {
    case value(Value, to: Recipient)
    case end(End<Value, Failure>, to: Recipient)
    case nothing
  }

  /// The subscriber, or `nil` after termination and after cancellation.
  private(set) var subscriber: Recipient?
  private(set) var waiting = FIFOQueue<Value>()
  private var isDelivering = false
  /// The unfulfilled demand, or `nil` if unlimited.
  private var demand: Int? = 0
  /// The end that follows the buffered values: a failure, completion or a silent end.
  private var ending: End<Value, Failure>?

  init(subscriber: Recipient) {
    self.subscriber = subscriber
  }

  private init(isDelivering: Bool) {
    self.isDelivering = isDelivering
  }

  /// The state after a cancellation; a delivery in flight stops by itself.
  var cancelled: CombineDemand { CombineDemand(isDelivering: isDelivering) }

  mutating func append(_ value: Value) {
    if subscriber != nil { waiting.append(value) }
  }

  mutating func terminate(_ end: End<Value, Failure>) {
    if subscriber != nil, ending == nil { ending = end }
  }

  mutating func add(_ count: Int?) {
    guard let current = demand, let count else {
      demand = nil
      return
    }
    let (sum, isOverflow) = current.addingReportingOverflow(count)
    demand = isOverflow ? nil : sum
  }

  mutating func claimDelivery() -> Bool {
    guard subscriber != nil, !isDelivering else { return false }
    isDelivering = true
    return true
  }

  /// Returns the next step for the thread that has claimed the delivery; every step but a value releases the claim.
  mutating func nextStep() -> Step {
    if let subscriber, demand != 0, let value = waiting.popFirst() {
      if let current = demand { demand = current - 1 }
      return .value(value, to: subscriber)
    }
    isDelivering = false
    guard let subscriber, waiting.isEmpty, let ending else { return .nothing }
    self = cancelled
    return .end(ending, to: subscriber)
  }
}
#endif
