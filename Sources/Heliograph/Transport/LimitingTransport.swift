import Foundation
public import Signals

/// Limits how many exchanges are in flight at once over any transport; the rest wait in a queue.
///
/// An exchange has its place from its start to its end, and whoever is first in line gets it then: those of a higher
/// ``HTTPRequest/priority`` first, those of the same one in the order of their subscriptions. Disposing one that waits
/// takes it out of the line, silently. Waiting counts towards ``HTTPRequest/totalTimeout``, and not towards
/// ``HTTPRequest/timeout``; ``Metrics/startedAt`` tells how long it was.
///
/// Inside ``RedirectingTransport`` each hop waits for a place of its own.
public struct LimitingTransport: Transport {
  /// What carries each request.
  public let next: any Transport
  /// How many exchanges may be in flight at once.
  public let activeLimit: Int
  private let line: Line

  /// Makes the decorator; its copies share the places.
  ///
  /// - Parameters:
  ///   - next: what carries each request.
  ///   - activeLimit: how many exchanges may be in flight at once; less than 1 counts as 1.
  public init(_ next: any Transport, activeLimit: Int) {
    self.next = next
    self.activeLimit = max(activeLimit, 1)
    line = Line(placeCount: self.activeLimit)
  }

  /// Whether what it holds needs a network.
  public var usesNetwork: Bool { next.usesNetwork }

  /// The exchange, when it is its turn.
  ///
  /// - Parameter request: what to send.
  /// - Returns: the signal; it starts on the subscriber's thread, or on that which has ended another exchange. It fails with
  ///   a `network` error with the code ``NetworkError/Code/timedOut`` if its total time-out passes before its turn.
  public func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    if request.needsDeadline { return request.limited(send) }
    return Signal { [next, line] observer in
      let exchange = QueuedExchange(request, next, observer, line)
      line.join(exchange, request.priority)
      return Disposable { exchange.leave() }
    }
  }
}

/// The places of a transport, and who waits for one.
private final class Line: Sendable {
  private struct State {
    /// Above zero only while nobody waits.
    var freeCount: Int
    var waiting = PriorityLine<QueuedExchange>()
  }

  private let state: Guarded<State>

  init(placeCount: Int) {
    state = Guarded(State(freeCount: placeCount))
  }

  func join(_ exchange: QueuedExchange, _ priority: RequestPriority) {
    let hasPlace = state.withLock { state in
      if state.freeCount == 0 {
        state.waiting.add(exchange, priority)
        return false
      }
      state.freeCount -= 1
      return true
    }
    if hasPlace, !exchange.begin(hasWaited: false) { pass() }
  }

  /// Gives a place to the first in line; a loop, so that of ten thousand that end at once none runs inside another.
  func pass() {
    while let exchange = takeNext() {
      if exchange.begin(hasWaited: true) { return }
    }
  }

  private func takeNext() -> QueuedExchange? {
    state.withLock { state in
      let exchange = state.waiting.popFirst()
      if exchange == nil { state.freeCount += 1 }
      return exchange
    }
  }
}

/// One exchange: in line, in its place, or over.
private final class QueuedExchange: Sendable, Queued {
  private struct Work {
    let request: HTTPRequest
    let next: any Transport
  }

  private enum Phase {
    case waiting(Work)
    /// In its place; what disposes it is not known yet.
    case starting
    case running(Disposable)
    case over
  }

  private let phase: Guarded<Phase>
  private let observer: Observer<TransportEvent, NetworkError>
  private let line: Line
  private let deadline: Deadline?
  private let joinedAt = SuspendingClock.now

  init(
    _ request: HTTPRequest, _ next: any Transport, _ observer: Observer<TransportEvent, NetworkError>, _ line: Line
  ) {
    self.observer = observer
    self.line = line
    phase = Guarded(.waiting(Work(request: request, next: next)))
    deadline = request.deadline
    deadline?.enter(self) { [self] in expire() }
  }

  var isOver: Bool { phase.withLock { if case .over = $0 { true } else { false } } }

  /// Starts the exchange; returns whether it still needs its place.
  func begin(hasWaited: Bool) -> Bool {
    guard let work = takeWork(.starting) else { return false }
    if work.request.isLeft {
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
    // It has left meanwhile.
    if !goesOn { handle.dispose() }
    return goesOn
  }

  /// Gives up its place, or its place in line: called once, at the end and on disposal.
  func leave() {
    let before = phase.withLock { phase in
      let before = phase
      phase = .over
      return before
    }
    deadline?.leave(self)
    // Whoever starts it sees to the place.
    guard case .running(let handle) = before else { return }
    handle.dispose()
    line.pass()
  }

  /// Fails it in line, because its total time-out has passed before its exchange.
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
