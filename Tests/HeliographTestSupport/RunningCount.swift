import Heliograph
import Signals

/// Counts the subscriptions of a signal that are running.
package final class RunningCount: Sendable {
  private let state = Guarded((value: 0, peak: 0, started: 0))

  package init() {}

  package var value: Int { state.withLock { $0.value } }
  package var peak: Int { state.withLock { $0.peak } }
  package var started: Int { state.withLock { $0.started } }

  /// Returns a signal whose subscriptions are counted: up before the start, down before the end is delivered.
  package func counting<Value, Failure>(_ signal: Signal<Value, Failure>) -> Signal<Value, Failure> {
    signal.on(
      start: { self.change(by: 1) }, failure: { _ in self.change(by: -1) }, completion: { self.change(by: -1) },
      dispose: { self.change(by: -1) })
  }

  private func change(by change: Int) {
    state.withLock { state in
      state.value += change
      state.peak = max(state.peak, state.value)
      if change > 0 { state.started += 1 }
    }
  }
}

/// Counts the exchanges of another transport that are in flight.
package struct CountingTransport: Transport {
  private let next: any Transport
  private let count: RunningCount

  package init(next: any Transport, count: RunningCount) {
    self.next = next
    self.count = count
  }

  package func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    count.counting(next.send(request))
  }
}
