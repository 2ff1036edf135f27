import Heliograph

/// The progress of an exchange with a stub, which fails when the total timeout of its request passes; the failure has
/// the phase that a real transport reports, so that circuit breakers and the attribution treat both in the same way.
final class StubProgress: Sendable {
  private struct State {
    var bodyEndedAt: Duration?
    var firstByteAt: Duration?
  }

  private let request: HTTPRequest
  private let deadline: Deadline?
  private let startedAt: Duration
  private let state: Guarded<State>

  init(of request: HTTPRequest) {
    self.request = request
    deadline = request.deadline
    startedAt = deadline?.elapsed ?? .zero
    // A stream is read before the answer begins.
    state = if case .stream = request.body { Guarded(State()) } else { Guarded(State(bodyEndedAt: .zero)) }
  }

  private var elapsed: Duration { (deadline?.elapsed ?? .zero) - startedAt }

  func recordEndOfBody() {
    let elapsed = elapsed
    state.withLock { $0.bodyEndedAt = elapsed }
  }

  /// Returns the events of the exchange, which fails at the deadline of its request.
  func limiting(_ events: Signal<TransportEvent, NetworkError>) -> Signal<TransportEvent, NetworkError> {
    guard let deadline else { return events }
    return events.on(value: { [self] in record($0) })
      .interrupted(
        enter: { [self] key, fail in deadline.enter(key) { [self] in fail(failure(at: deadline)) } },
        leave: { deadline.leave($0) })
  }

  private func record(_ event: TransportEvent) {
    guard case .head = event else { return }
    let elapsed = elapsed
    state.withLock { $0.firstByteAt = $0.firstByteAt ?? elapsed }
  }

  private func failure(at deadline: Deadline) -> NetworkError {
    let state = state.withLock { $0 }
    return deadline.failure(
      of: request, bodyEndedAt: state.bodyEndedAt, firstByteAt: state.firstByteAt, endedAt: elapsed)
  }
}
