import Foundation
package import Signals

/// A decorator that limits how many exchanges run at once over any transport; the rest wait in a queue.
///
/// An exchange holds a slot from its start to its end. A free slot goes to the queued exchange with the highest
/// ``HTTPRequest/priority``. Exchanges of the same priority start in the order of their subscriptions. Disposing a
/// queued exchange removes it from the queue silently.
///
/// The time in the queue counts towards ``HTTPRequest/totalTimeout``, but not towards ``HTTPRequest/idleTimeout``.
/// ``Metrics/startedAt`` reports it.
///
/// Inside `RedirectingTransport` each request of a redirect chain waits for a slot of its own.
package struct LimitingTransport: Transport {
  /// The transport that sends each request.
  package let next: any Transport
  /// The maximum number of exchanges in flight.
  package let concurrencyLimit: Int
  private let slots: SlotQueue<QueuedExchange>

  /// Creates the decorator; its copies share the limit.
  ///
  /// - Parameters:
  ///   - next: the transport that sends each request.
  ///   - concurrencyLimit: the maximum number of exchanges in flight; values below 1 count as 1.
  package init(_ next: any Transport, concurrencyLimit: Int) {
    self.next = next
    self.concurrencyLimit = max(concurrencyLimit, 1)
    slots = SlotQueue(slotCount: self.concurrencyLimit)
  }

  /// Whether the wrapped transport needs a network.
  package var usesNetwork: Bool { next.usesNetwork }

  /// Sends the request when a slot is free.
  ///
  /// - Parameter request: the request to send.
  /// - Returns: a signal of the exchange. It starts on the subscriber's thread, or on the thread on which another
  ///   exchange ended. If the total timeout passes in the queue, it fails with a `network` error with the code
  ///   ``NetworkError/Code/timedOut``.
  package func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    if request.needsDeadline { return request.limited(send) }
    return Signal { [next, slots] observer in
      let exchange = QueuedExchange(request, next, observer, slots)
      slots.join(exchange, request.priority)
      return Disposable { exchange.leave() }
    }
  }
}

/// One exchange: queued, running or terminated.
private final class QueuedExchange: SlotHolder {
  private struct Work {
    let request: HTTPRequest
    let next: any Transport
  }

  private enum Phase {
    case waiting(Work)
    /// The exchange has a slot; the handle that cancels it is not known yet.
    case starting
    case running(Disposable)
    case over
  }

  private let phase: Guarded<Phase>
  private let observer: Observer<TransportEvent, NetworkError>
  private let slots: SlotQueue<QueuedExchange>
  private let deadline: Deadline?
  private let joinedAt = SuspendingClock.now

  init(
    _ request: HTTPRequest, _ next: any Transport, _ observer: Observer<TransportEvent, NetworkError>,
    _ slots: SlotQueue<QueuedExchange>
  ) {
    self.observer = observer
    self.slots = slots
    phase = Guarded(.waiting(Work(request: request, next: next)))
    deadline = request.deadline
    deadline?.enter(self) { [self] in expire() }
  }

  var isTerminated: Bool { phase.withLock { if case .over = $0 { true } else { false } } }

  /// Starts the exchange; returns whether it still needs its slot.
  func begin(hasWaited: Bool) -> Bool {
    guard let work = takeWork(.starting) else { return false }
    if work.request.isStale {
      phase.withLock { $0 = .over }
      return false
    }
    let delay = hasWaited ? .now - joinedAt : Duration.zero
    let handle = work.next.send(work.request.withRemainingTime).subscribe(under: observer.pressure) { [self] event in
      receive(event, delay)
    }
    let goesOn = phase.withLock { phase in
      guard case .starting = phase else { return false }
      phase = .running(handle)
      return true
    }
    // The exchange ended while it was being started.
    if !goesOn { handle.dispose() }
    return goesOn
  }

  /// Gives up the slot or the entry in the queue.
  ///
  /// Called once, when the exchange terminates or is disposed.
  func leave() {
    let before = phase.withLock { phase in
      let before = phase
      phase = .over
      return before
    }
    deadline?.leave(self)
    // Only a running exchange passes its slot on here; while it is starting, the caller of `begin` does.
    guard case .running(let handle) = before else { return }
    handle.dispose()
    slots.pass()
  }

  /// Fails a queued exchange whose total timeout has passed.
  private func expire() {
    guard let deadline, let work = takeWork(.over) else { return }
    observer.fail(deadline.failure(of: work.request, Metrics(endedAt: .now - joinedAt)))
  }

  private func takeWork(_ following: Phase) -> Work? {
    let work = phase.withLock { phase -> Work? in
      guard case .waiting(let work) = phase else { return nil }
      phase = following
      return work
    }
    if work != nil { deadline?.leave(self) }
    return work
  }

  private func receive(_ event: Event<TransportEvent, NetworkError>, _ delay: Duration) {
    if delay == .zero { return observer.send(event) }
    switch event {
    case .value(.metrics(let metrics)): observer.send(.metrics(metrics.delayed(by: delay)))
    case .failed(var error):
      error.metrics = error.metrics?.delayed(by: delay)
      observer.fail(error)
    default: observer.send(event)
    }
  }
}
