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
#endif
