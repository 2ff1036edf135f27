/// A buffer between a signal and the task that consumes its values.
final class Mailbox<Value: Sendable, Failure: Error>: Sendable {
  private typealias Waiter = CheckedContinuation<Event<Value, Failure>, Never>

  private struct State {
    var waiting = FIFOQueue<Value>()
    /// The terminal event that follows the buffered values.
    var ending: Event<Value, Failure>?
    /// The calls that wait for an event, in order: more than one if several tasks share an iterator.
    var waiter: Waiter?
    var laterWaiters: [Waiter] = []
    /// The number of consecutive events that were already buffered when they were requested.
    var consecutiveCount = 0
    var source: Signal<Value, Failure>?
    /// The handle of the subscription, once it has started.
    var handle: Disposable?
    /// Whether the signal has ended and an owner's deinit still drops the buffered events.
    var isBound = false
    var isEndTaken = false
    var isCancelled = false
  }

  /// The number of buffered values after which a loop yields, as after one block on the main queue.
  private static var yieldInterval: Int { 256 }

  private let state: Guarded<State>
  private let subscription = SerialHandle()
  private let buffering: BufferingPolicy
  // A separate object, because a source that retains it must not retain the mailbox.
  private let pressure = Pressure(before: nil)

  init(_ source: Signal<Value, Failure>, _ buffering: BufferingPolicy) {
    self.buffering = buffering
    state = Guarded(State(source: source))
  }

  deinit { stop() }

  private func stop() {
    pressure.close()
    subscription.dispose()
    pressure.notify()
  }

  /// Starts the work off every actor; `next()` then waits for its events.
  func beginOffActor(isolation actor: isolated (any Actor)? = nil) async {
    await withTaskCancellationHandler {
      start()
    } onCancel: {
      cancel()
    }
  }

  /// Returns the next value on the caller's actor, which it leaves only to wait.
  func next(isolation actor: isolated (any Actor)? = #isolation) async throws(Failure) -> Value? {
    let event = await withTaskCancellationHandler {
      // Only a closure that captures the actor runs on it.
      _ = actor
      start()
      if claimYield() { await Task.yield() }
      if !Task.isCancelled, let event = take() { return delivered(event) }
      return await withCheckedContinuation { wait($0) }
    } onCancel: {
      cancel()
    }
    switch event {
    case .value(let value): return value
    case .failed(let failure): throw failure
    case .completed:
      // A source that was paused when an owner's deinit ended the mailbox is freed.
      pressure.notify()
      return nil
    }
  }

  private func cancel() {
    // Set before the disposal, whose silent end would otherwise complete the mailbox.
    state.withLock { $0.isCancelled = true }
    stop()
    receive(.cancellation, dropsBuffer: true)
  }

  /// Starts the work, unless the task is cancelled.
  private func start() {
    guard !Task.isCancelled, let source = state.withLock({ $0.source.take() }) else { return }
    // Weak, because the iterator owns the mailbox: releasing the iterator ends the subscription. An owner's deinit
    // disposes the handle; any other end is recorded first.
    let handle = Disposable { [weak self] in self?.endAfterDeallocation() }
    state.withLock { $0.handle = handle }
    subscription.set(handle)
    let root = Root<Value, Failure>(handle) { [weak self] in self?.receive($0) }
    // A buffer that drops values is never full, so the source does not need to pause.
    let downstream = root.downstream(under: buffering.isUnbounded ? pressure : nil)
    source.run(
      in: downstream.input(
        next: { root.next($0) },
        end: { [weak self] end in
          if let self, handle.isBound, !end.isUnreachable { return self.receive(end, root) }
          // Values that a deallocated source has sent are still delivered.
          if case .abandoned = end { self?.receive(.completed) }
          root.end(end)
        }))
  }

  /// Receives the end of a signal that is bound to an owner; the bond lasts until the end has been taken.
  private func receive(_ end: End<Value, Failure>, _ root: Root<Value, Failure>) {
    if case .last(let value) = end { root.next(value) }
    let finish = { [self] in
      state.withLock { $0.isBound = true }
      if case .failed(let failure) = end { receive(.failed(failure)) } else { receive(.completed) }
      root.handle.clear()
    }
    if root.handle.isActive { finish() } else { root.handle.deliver(finish) }
  }

  /// Ends the mailbox after an owner's deallocation and drops its buffer, unless an end without an owner was received.
  private func endAfterDeallocation() {
    let isEnded = state.withLock { $0.isEndTaken || $0.isCancelled || ($0.ending != nil && !$0.isBound) }
    if isEnded { return }
    pressure.close()
    receive(.completed, dropsBuffer: true)
  }

  private func wait(_ waiter: Waiter) {
    if let event = take() { return waiter.resume(returning: delivered(event)) }
    let event = state.withLock { state -> Event<Value, Failure>? in
      if let event = take(from: &state) { return event }
      state.consecutiveCount = 0
      if state.waiter == nil { state.waiter = waiter } else { state.laterWaiters.append(waiter) }
      return nil
    }
    if let event { waiter.resume(returning: delivered(event)) }
  }

  /// Returns the next buffered event, if any; drops the buffer if an owner was deallocated.
  private func take() -> Event<Value, Failure>? {
    let (event, guarded) = state.withLock { state -> (Event<Value, Failure>?, Disposable?) in
      if let handle = state.handle, handle.isGuarded { return (nil, handle) }
      return (take(from: &state), nil)
    }
    guard let guarded else { return event }
    var result: Event<Value, Failure>?
    var isAlive = false
    guarded.deliver {
      isAlive = true
      result = state.withLock { take(from: &$0) }
    }
    return isAlive ? result : state.withLock { take(from: &$0) }
  }

  private func take(from state: inout State) -> Event<Value, Failure>? {
    if let value = state.waiting.popFirst() {
      pressure.setQueuedInOrder(state.waiting.count)
      return .value(value)
    }
    let ending = state.ending
    if ending != nil { (state.ending, state.isEndTaken) = (.completed, true) }
    return ending
  }

  private func delivered(_ event: Event<Value, Failure>) -> Event<Value, Failure> {
    if event.isTerminal { subscription.dispose() }
    pressure.notify()
    return event
  }

  /// Counts a value; returns whether the loop must yield, because it must not occupy its actor.
  private func claimYield() -> Bool {
    state.withLock { state in
      state.consecutiveCount += 1
      guard state.consecutiveCount > Self.yieldInterval else { return false }
      state.consecutiveCount = 0
      return true
    }
  }

  private func receive(_ event: Event<Value, Failure>, dropsBuffer: Bool = false) {
    // Freed outside the lock, because a deinit is user code.
    var dropped = FIFOQueue<Value>()
    var unstartedSource: Signal<Value, Failure>?
    var others: [Waiter] = []
    defer { withExtendedLifetime((dropped, unstartedSource)) {} }
    let waiter = state.withLock { state -> Waiter? in
      // A signal that has terminated with nothing left in the buffer can no longer be cancelled.
      if dropsBuffer, state.ending != nil, state.waiting.count == 0, state.isCancelled || !state.isBound { return nil }
      if dropsBuffer {
        swap(&dropped, &state.waiting)
        unstartedSource = state.source.take()
      }
      guard dropsBuffer || state.ending == nil else { return nil }
      if event.isTerminal && (state.waiter == nil || dropsBuffer) { state.ending = event }
      guard let waiter = state.waiter.take() else {
        if case .value(let value) = event {
          if let oldest = buffering.admit(value, to: &state.waiting) { dropped.append(oldest) }
          pressure.setQueued(state.waiting.count)
        }
        return nil
      }
      if event.isTerminal {
        (state.ending, state.isEndTaken) = (.completed, true)
        swap(&others, &state.laterWaiters)
      } else if !state.laterWaiters.isEmpty {
        state.waiter = state.laterWaiters.removeFirst()
      }
      return waiter
    }
    if waiter != nil, event.isTerminal { subscription.dispose() }
    waiter?.resume(returning: event)
    for waiter in others { waiter.resume(returning: event) }
  }
}
