import Signals

/// How timeouts treat a suspension of the process, in which nothing that arrived was delivered.
enum Suspension {
  /// The time in which what has arrived is delivered.
  private static let grace = Duration.seconds(5)

  /// Returns the lateness beyond which a timer with a delay counts as late: longer than on a busy device, and than the
  /// hundredth of the delay by which the scheduler may defer it.
  ///
  /// A process that is resumed within this time after the delay ends what has timed out, although data may have arrived.
  static func tolerance(after delay: Duration) -> Duration { .seconds(2) + delay / 100 }

  /// Returns the time to wait once more at the end of a timeout; zero unless the process was suspended.
  static func extraTime(for timeout: Duration, lateBy lateness: Duration) -> Duration {
    lateness > tolerance(after: timeout) ? min(timeout, grace) : .zero
  }
}

extension Signal where Value == Void {
  /// Creates the timer of a timeout, which waits once more if the process was suspended meanwhile.
  static func timeout(after duration: Duration, on scheduler: any SignalScheduler) -> Signal {
    deferred {
      let end = scheduler.now + duration
      return timer(after: duration, on: scheduler).flatMap {
        let extraTime = Suspension.extraTime(for: duration, lateBy: scheduler.now - end)
        return extraTime == .zero ? .just(()) : timer(after: extraTime, on: scheduler)
      }
    }
  }
}
