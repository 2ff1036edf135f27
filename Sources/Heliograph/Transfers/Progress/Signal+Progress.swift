public import Foundation
public import Signals

extension Signal {
  /// Returns a signal with the same events that updates a Foundation `Progress` and is cancelled with it.
  ///
  /// ```swift
  /// let progress = Progress(totalUnitCount: -1)
  /// client.upload(request: request, resultType: Film.self).reporting(to: progress)
  /// ```
  /// The units are bytes: the kind is set to `.file`, unless it is already set. The total is -1 while it is unknown.
  /// The rate and the remaining time are in `userInfo`, as `throughputKey` and `estimatedTimeRemainingKey`. The result
  /// finishes the `Progress`; its total is 1 for an empty body.
  ///
  /// Cancelling the `Progress`, or a parent of it, disposes the transfer; the signal then fails with a `client` error
  /// with the code ``NetworkError/Code/cancelled``. If the `Progress` is cancelled before the subscription, nothing is
  /// sent. Its `cancellationHandler` is replaced at each subscription. Disposing the subscription does not change the
  /// `Progress`.
  ///
  /// The `Progress` is updated on the thread that delivers the transfer's events. On Linux `Progress` is not safe to
  /// use from several threads: place `observe(on: .main)` before this operator, and use it on the main thread only.
  /// - Parameters:
  ///   - progress: The object to update, for one subscription at a time.
  ///   - direction: The direction to report. Default: `nil`, the direction of the first progress: that of the request
  ///     body for an upload, that of the response body for a `GET`.
  /// - Returns: The signal with the same events.
  public func reporting<Result>(
    to progress: Progress, direction: TransferProgress.Direction? = nil
  ) -> Signal where Value == Transfer<Result>, Failure == NetworkError {
    Signal { observer in
      progress.isCancellable = true
      let transfer = SerialHandle()
      // Foundation also calls it, on another thread, if the progress is already cancelled.
      progress.cancellationHandler = {
        transfer.dispose()
        observer.fail(.cancelledProgress)
      }
      if progress.isCancelled {
        observer.fail(.cancelledProgress)
        return nil
      }
      if progress.kind == nil { progress.kind = .file }
      let reportedDirection = Guarded(direction)
      let handle = subscribe(under: observer.pressure) { event in
        switch event {
        case .value(.progress(let value)):
          let direction = reportedDirection.withLock { reportedDirection in
            reportedDirection = reportedDirection ?? value.direction
            return reportedDirection
          }
          if direction == value.direction { progress.update(from: value) }
        case .value(.finished): progress.finish()
        case .failed, .completed: break
        }
        observer.send(event)
      }
      transfer.set(handle)
      return handle
    }
  }
}

extension Progress {
  /// Updates the unit counts, the throughput and the remaining time from a transfer's progress.
  fileprivate func update(from value: TransferProgress) {
    // The total is set first, because a child that is complete for a moment would count in its parent.
    totalUnitCount = value.totalByteCount.map { Int64($0) } ?? -1
    completedUnitCount = Int64(value.byteCount)
    setUserInfoObject(value.bytesPerSecond.map { NSNumber(value: $0) }, forKey: .throughputKey)
    let seconds = value.timeRemaining.map { NSNumber(value: $0 / .seconds(1)) }
    setUserInfoObject(seconds, forKey: .estimatedTimeRemainingKey)
  }

  /// Completes the progress, even if its total was unknown or not reached.
  fileprivate func finish() {
    if totalUnitCount > 0, completedUnitCount >= totalUnitCount { return }
    let count = max(1, totalUnitCount, completedUnitCount)
    totalUnitCount = count
    completedUnitCount = count
  }
}

extension NetworkError {
  fileprivate static var cancelledProgress: NetworkError {
    NetworkError(.cancelled, reason: "the `Progress` object was cancelled")
  }
}
