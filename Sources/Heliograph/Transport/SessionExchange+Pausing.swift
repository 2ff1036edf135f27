// On Linux a task that is suspended in the middle of a response gives up its connection: nothing can be paused there.
#if !canImport(FoundationNetworking)
import Foundation
import Signals

extension SessionExchanges {
  /// Suspends a task while its consumer has more in hand than it gets done; called after a piece of the body was delivered.
  ///
  /// The session stops reading, so the connection's window fills and the server waits. What it has read by then still
  /// arrives.
  func pauseIfAhead(_ task: URLSessionTask, _ pressure: Pressure?) {
    guard let pressure, pressure.isHigh else { return }
    var isFirst = false
    let exchange = update(task) { exchange in
      isFirst = !exchange.isPaused
      exchange.isPaused = true
    }
    guard exchange != nil, isFirst else { return }
    task.suspend()
    pressure.whenLow { [weak self] in self?.resume(task) }
  }

  /// Reads on after a pause; the idle time-out begins anew.
  private func resume(_ task: URLSessionTask) {
    let exchange = update(task) { exchange in
      exchange.isPaused = false
      exchange.note()
    }
    guard let exchange else { return }
    task.resume()
    expect(exchange)
  }
}
#endif
