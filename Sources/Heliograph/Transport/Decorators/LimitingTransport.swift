import Signals

/// A decorator that limits how many exchanges run at once over any transport; the rest wait in a queue.
///
/// An exchange holds a slot from its start to its end, also a silent one. An exchange starts on its subscriber's
/// thread, on the thread on which another one ended, or, after a silent end, on the global concurrent queue.
/// ``NetworkClient/Configuration/concurrencyLimit`` documents the order and the timeouts.
package final class LimitingTransport: DecoratingTransport {
  let next: any ChainedTransport
  package let concurrencyLimit: Int
  private let slots: SlotQueue<QueuedExchange>

  /// Creates the decorator; a limit below 1 counts as 1.
  package init(_ next: any Transport, concurrencyLimit: Int) {
    self.next = next.chained
    self.concurrencyLimit = max(concurrencyLimit, 1)
    slots = SlotQueue(slotCount: self.concurrencyLimit)
  }

  func start(_ request: HTTPRequest, in context: ExchangeContext) {
    // Its time limit runs, and running exchanges may be as long.
    if request.context.isOfRefresh { return next.start(request, in: context) }
    let queued = Signal<TransportEvent, NetworkError> { [next, slots] observer in
      let exchange = QueuedExchange(request, next, context, observer, slots)
      context.log?.isQueued = true
      slots.join(exchange, request.priority)
      return Disposable { exchange.leave() }
    }
    queued.subscribe(in: context.scope, under: context.pressure, context.receive)
  }
}

private final class QueuedExchange: SlotHolder {
  private struct Work {
    let request: HTTPRequest
    let next: any ChainedTransport
    let context: ExchangeContext
    let observer: Observer<TransportEvent, NetworkError>
  }

  private let phase: Guarded<SlotPhase<Work>>
  private let slots: SlotQueue<QueuedExchange>
  private let scope = Disposable()
  private let deadline: Deadline?
  private let joinedAt = SuspendingClock.now

  init(
    _ request: HTTPRequest, _ next: any ChainedTransport, _ context: ExchangeContext,
    _ observer: Observer<TransportEvent, NetworkError>, _ slots: SlotQueue<QueuedExchange>
  ) {
    self.slots = slots
    phase = Guarded(.waiting(Work(request: request, next: next, context: context, observer: observer)))
    deadline = request.deadline
    deadline?.enter(self) { [self] in expire() }
  }

  var isTerminated: Bool { phase.withLock { $0.isTerminated } }

  /// Starts the exchange; returns whether it still needs its slot.
  func begin(hasWaited: Bool) -> Bool {
    guard let work = takeWork(.starting) else { return false }
    if work.request.isStale { return false }
    work.context.log?.isQueued = false
    let delay = hasWaited ? .now - joinedAt : Duration.zero
    let observer = work.observer
    // A transport that ends silently frees the receiver, and sends no event.
    let ending = EndAction { [self] in abandon(observer) }
    let (attempt, log) = (work.context.attempt, work.context.log)
    let context = ExchangeContext(attempt: attempt, log: log, scope: scope, pressure: observer.pressure) { event in
      if event.isTerminal { ending.cancel() }
      observer.send(event, delayedBy: delay)
    }
    work.next.start(work.request.withRemainingTime, in: context)
    return phase.withLock { $0.finishStart() }
  }

  /// Releases the slot or the entry in the queue; called once, when the exchange terminates or is disposed.
  func leave() {
    let former = phase.withLock { $0.terminate() }
    deadline?.leave(self)
    scope.dispose()
    if case .running = former { slots.releaseSlot() }
  }

  /// Releases the slot of an exchange of which no event can follow, unless it has terminated or was disposed.
  private func abandon(_ observer: Observer<TransportEvent, NetworkError>) {
    let former = phase.withLock { $0.terminate() }
    if former.isTerminated { return }
    // Whoever frees the source may hold a lock.
    DispatchScheduler.global.schedule { [slots] in
      if case .running = former { slots.releaseSlot() }
      observer.drop()
    }
  }

  /// Fails a queued exchange whose total timeout has passed.
  private func expire() {
    guard let deadline, let work = takeWork(.terminated) else { return }
    work.observer.fail(deadline.failure(of: work.request, Metrics(endedAt: .now - joinedAt)))
  }

  private func takeWork(_ nextPhase: SlotPhase<Work>) -> Work? {
    let work = phase.withLock { $0.takeWork(nextPhase) }
    if work != nil { deadline?.leave(self) }
    return work
  }
}

extension Observer<TransportEvent, NetworkError> {
  /// Sends an event of an exchange that was queued for some time.
  fileprivate func send(_ event: Event<TransportEvent, NetworkError>, delayedBy delay: Duration) {
    if delay == .zero { return send(event) }
    switch event {
    case .value(.metrics(let metrics)): send(.metrics(metrics.shifted(by: delay)))
    case .failed(var error):
      error.metrics = error.metrics?.shifted(by: delay)
      fail(error)
    default: send(event)
    }
  }
}
