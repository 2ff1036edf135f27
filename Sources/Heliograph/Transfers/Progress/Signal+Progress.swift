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
    .deferred {
      let reportedDirection = Guarded(direction)
      let updating = on(value: { event in
        switch event {
        case .progress(let value):
          let direction = reportedDirection.withLock { reportedDirection in
            reportedDirection = reportedDirection ?? value.direction
            return reportedDirection
          }
          if direction == value.direction { progress.update(from: value) }
        case .finished: progress.finish()
        }
      })
      return updating.take(until: progress.cancellation)
    }
  }
}

extension Progress {
  /// A signal that fails when the progress is cancelled, and prepares the progress for a transfer at its subscription.
  fileprivate var cancellation: Signal<Void, NetworkError> {
    Signal { observer in
      self.isCancellable = true
      // Foundation also calls it, on another thread, if the progress is already cancelled. It remains set, because a
      // subscription may be disposed on any thread; an observer retains nothing of an ended subscription.
      self.cancellationHandler = { observer.fail(.cancelledProgress) }
      if self.isCancelled {
        observer.fail(.cancelledProgress)
      } else if self.kind == nil {
        self.kind = .file
      }
      return nil
    }
  }

  /// Updates the unit counts, the throughput and the remaining time from a transfer's progress.
  fileprivate func update(from value: TransferProgress) {
    // The total is set first, because a child that is complete for a moment would count in its parent.
    // Foundation's products of counts overflow on Linux if a count exceeds its total.
    totalUnitCount = value.totalByteCount.map { Int64(max($0, value.byteCount)) } ?? -1
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
