// On Linux suspending a task in the middle of a response drops its connection, so nothing can be paused there.
#if !canImport(FoundationNetworking)
import Foundation
import Signals

extension SessionExchanges {
  /// Suspends a task while its consumer is above the high-water mark; called after each piece of the body.
  ///
  /// If the session stops reading, the connection's window fills and the server waits. Data that was already read still
  /// arrives, and the system may go on reading.
  /// - Returns: `false` if more bytes have arrived since the task was suspended than may be buffered.
  func pauseAboveHighWaterMark(_ task: URLSessionTask, _ pressure: Pressure?, byteCount: Int) -> Bool {
    guard let pressure, pressure.isHigh else { return true }
    let waitingCount = pressure.waitingCount ?? 0
    var (isFirst, isWithinLimit) = (false, true)
    _ = update(task) { exchange in
      isFirst = !exchange.isPaused
      var backlog = exchange.backlog ?? PausedBacklog()
      if !isFirst { isWithinLimit = backlog.add(byteCount: byteCount, waitingCount: waitingCount) }
      exchange.backlog = backlog
    }
    if isFirst {
      task.suspend()
      pressure.whenLow { [weak self] in self?.resume(task) }
    }
    return isWithinLimit
  }

  /// Pauses the idle timeout of a task while the source of its body is awaited, or starts it again.
  func awaitSource(_ isAwaiting: Bool, of task: URLSessionTask) {
    if let exchange = update(task, { $0.awaitSource(isAwaiting) }) { scheduleCheck(of: exchange) }
  }

  /// Resumes a task after a pause; the idle timeout starts again.
  private func resume(_ task: URLSessionTask) {
    let exchange = update(task) { exchange in
      exchange.backlog = nil
      exchange.record()
    }
    // Also if the exchange has ended: it may have done so just before the task was suspended.
    task.resume()
    if let exchange { scheduleCheck(of: exchange) }
  }
}
#endif
