extension Signal {
  /// Sends `()` once, after some time, and completes.
  ///
  /// The time starts at subscription; disposal cancels the timer.
  /// - Parameters:
  ///   - delay: how long to wait.
  ///   - scheduler: whose clock counts and where the value is delivered. Default: `.global`.
  /// - Returns: a cold signal; each subscription counts its own time.
  public static func timer(after delay: Duration, on scheduler: some SignalScheduler = .global) -> Signal
  where Value == Void {
    Signal { observer in
      scheduler.schedule(after: delay) { observer.complete(with: ()) }
    }
  }

  /// Sends 0, 1, 2 and so on, one after each interval, and does not end.
  ///
  /// The instants are counted from the subscription, so delays of single ticks do not add up; ticks that were missed are
  /// sent late, one after another.
  /// - Parameters:
  ///   - interval: the time between two values, and before the first; less than 1 millisecond counts as 1.
  ///   - scheduler: whose clock counts and where values are delivered. Default: `.global`.
  /// - Returns: a cold signal; each subscription counts its own time.
  public static func timer(every interval: Duration, on scheduler: some SignalScheduler = .global) -> Signal
  where Value == Int {
    Signal { observer in
      let ticks = Ticks(every: interval, on: scheduler, observer)
      ticks.start()
      return Disposable { ticks.timer.dispose() }
    }
  }

  /// Sends each value, and the completion, after some time; a failure passes at once and drops what waits.
  ///
  /// - Parameters:
  ///   - interval: how much later.
  ///   - scheduler: whose clock counts and where values are delivered. Default: `.global`.
  /// - Returns: a signal that is later by that much.
  public func delay(_ interval: Duration, on scheduler: some SignalScheduler = .global) -> Signal {
    timed(.delay, interval, scheduler)
  }

  /// Sends a value once no newer one has come for some time: what a person has stopped typing.
  ///
  /// At completion a value that waits is sent; at a failure it is dropped.
  /// - Parameters:
  ///   - interval: how long it must be quiet.
  ///   - scheduler: whose clock counts and where values are delivered. Default: `.global`.
  /// - Returns: a signal of what was followed by silence.
  public func debounce(_ interval: Duration, on scheduler: some SignalScheduler = .global) -> Signal {
    timed(.debounce, interval, scheduler)
  }

  /// Sends the first value and then the latest of each interval.
  ///
  /// At completion a value that waits is sent; at a failure it is dropped.
  /// - Parameters:
  ///   - interval: the least time between two values.
  ///   - scheduler: whose clock counts and where late values are delivered. Default: `.global`.
  /// - Returns: a signal with at least that time between two values.
  public func throttle(_ interval: Duration, on scheduler: some SignalScheduler = .global) -> Signal {
    timed(.throttle, interval, scheduler)
  }

  /// Fails when no event has come for some time, from the subscription or the last value on, and disposes the source.
  ///
  /// - Parameters:
  ///   - interval: how long to wait for each event.
  ///   - failure: what it fails with.
  ///   - scheduler: whose clock counts and where the failure is delivered. Default: `.global`.
  /// - Returns: a signal that fails when it is silent for too long.
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
      feed(downstream, scope: timing.source, next: { timing.next($0) }, end: { timing.end($0) })
      return nil
    }
  }
}
