// On Linux suspending a task in the middle of a response drops its connection, so nothing can be paused there.
#if !canImport(FoundationNetworking)
import Foundation
import Signals

extension SessionExchanges {
  /// Suspends a task while its consumer is above the high-water mark; called after each piece of the body.
  ///
  /// The session stops reading, so the connection's window fills and the server waits. Data that was already read still
  /// arrives.
  func pauseAboveHighWaterMark(_ task: URLSessionTask, _ pressure: Pressure?) {
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

  /// Pauses the idle timeout of a task while the source of its body is awaited, or starts it again.
  func awaitSource(_ isAwaiting: Bool, of task: URLSessionTask) {
    if let exchange = update(task, { $0.awaitSource(isAwaiting) }) { scheduleCheck(of: exchange) }
  }

  /// Resumes a task after a pause; the idle timeout starts again.
  private func resume(_ task: URLSessionTask) {
    let exchange = update(task) { exchange in
      exchange.isPaused = false
      exchange.record()
    }
    guard let exchange else { return }
    task.resume()
    scheduleCheck(of: exchange)
  }
}
#endif
