extension Signal {
  /// Creates a signal that sends `()` once after a delay and completes.
  ///
  /// The value is `Void`; ``timer(every:on:)`` sends numbers from 0. Where the type cannot be inferred, write
  /// `Signal<Void, Never>.timer(after:)`. The delay starts at subscription. Disposal cancels the timer.
  /// - Parameters:
  ///   - delay: The time to wait.
  ///   - scheduler: The clock of the delay and the scheduler that delivers the value. Default: `.global`.
  /// - Returns: A cold signal; each subscription has its own timer.
  public static func timer(after delay: Duration, on scheduler: some SignalScheduler = .global) -> Signal
  where Value == Void {
    Signal { observer in
      scheduler.schedule(after: delay) { observer.complete(with: ()) }
    }
  }

  /// Creates a signal that sends 0, 1, 2 and so on, one value after each interval, and never completes.
  ///
  /// The instants are counted from the subscription, so that delays of single ticks do not accumulate. Missed ticks are
  /// skipped; the values stay consecutive.
  /// - Parameters:
  ///   - interval: The time between two values and before the first value. Values below 1 millisecond count as 1
  ///     millisecond.
  ///   - scheduler: The clock of the interval and the scheduler that delivers the values. Default: `.global`.
  /// - Returns: A cold signal; each subscription has its own timer.
  public static func timer(every interval: Duration, on scheduler: some SignalScheduler = .global) -> Signal
  where Value == Int {
    Signal { observer in
      let (timer, interval) = (TimerSlot(), max(interval, .milliseconds(1)))
      @Sendable func schedule(_ count: Int, at instant: Duration) {
        timer.set(after: instant - scheduler.now, on: scheduler) {
          observer.send(count)
          if observer.isDisposed { return }
          let next = instant + interval
          let delay = scheduler.now - next
          let missed = delay <= .zero ? 0 : Int64((delay / interval).rounded(.up))
          schedule(count + 1, at: next + interval * missed)
        }
      }
      schedule(0, at: scheduler.now + interval)
      return Disposable { timer.dispose() }
    }
  }

  /// Delays each value and the completion; a failure passes immediately and drops delayed values.
  ///
  /// - Parameters:
  ///   - interval: The delay.
  ///   - scheduler: The clock of the delay and the scheduler that delivers the values. Default: `.global`.
  /// - Returns: A signal of the delayed events.
  public func delay(_ interval: Duration, on scheduler: some SignalScheduler = .global) -> Signal {
    timed(.delay, interval, scheduler)
  }

  /// Sends a value when no newer value has arrived for an interval.
  ///
  /// A typical use is text input: the value is sent when the user has stopped typing. At completion, a pending value
  /// is sent at once, on the scheduler, and the completion follows it there; a failure drops it.
  /// - Parameters:
  ///   - interval: The time without a newer value.
  ///   - scheduler: The clock of the interval and the scheduler that delivers the values. Default: `.global`.
  /// - Returns: A signal of the debounced values.
  public func debounce(_ interval: Duration, on scheduler: some SignalScheduler = .global) -> Signal {
    timed(.debounce, interval, scheduler)
  }

  /// Sends the first value and then the latest value of each interval.
  ///
  /// A value that arrives while no interval runs is passed on at once, on the sending thread. At completion, a pending
  /// value is sent at once, on the scheduler, and the completion follows it there; a failure drops it.
  /// - Parameters:
  ///   - interval: The minimum time between two values.
  ///   - scheduler: The clock of the interval and the scheduler that delivers late values. Default: `.global`.
  /// - Returns: A signal of the throttled values.
  public func throttle(_ interval: Duration, on scheduler: some SignalScheduler = .global) -> Signal {
    timed(.throttle, interval, scheduler)
  }

  /// Fails when no event has arrived for an interval, and disposes the source.
  ///
  /// The interval starts at the subscription and restarts when a value has been delivered, so the time that a handler
  /// takes does not count. Neither does the time in which a buffer downstream, as of `observe(on:)`, pauses the source;
  /// the failure then comes up to an interval later.
  /// - Parameters:
  ///   - interval: The maximum time to wait for each event.
  ///   - failure: The failure to send.
  ///   - scheduler: The clock of the interval and the scheduler that delivers the failure. Default: `.global`.
  /// - Returns: A signal that fails on a timeout.
  public func timeout(_ interval: Duration, failing failure: Failure, on scheduler: some SignalScheduler = .global)
    -> Signal
  {
    timed(.timeout(failure), interval, scheduler)
  }

  private func timed(_ rule: TimingStage<Value, Failure>.Rule, _ interval: Duration, _ scheduler: any SignalScheduler)
    -> Signal
  {
    .stage { downstream in
      let timing = TimingStage(rule, interval, scheduler, downstream)
      // The other rules deliver on the scheduler, so the source must not start inner signals that are further downstream.
      let starts = if case .timeout = rule { downstream.starts } else { DeferredStarts?.none }
      run(
        in: Downstream(
          next: { timing.next($0) }, end: { timing.end($0) }, scope: timing.source,
          subscription: downstream.subscription, depth: downstream.depth, pressure: downstream.pressure,
          starts: starts))
      return nil
    }
  }
}
