/// The ticks of one subscription to `timer(every:)`.
struct Ticks<Failure: Error>: Sendable {
  let timer = TimerSlot()
  private let interval: Duration
  private let scheduler: any SignalScheduler
  private let origin: Duration
  private let observer: Observer<Int, Failure>

  init(every interval: Duration, on scheduler: any SignalScheduler, _ observer: Observer<Int, Failure>) {
    self.interval = max(interval, .milliseconds(1))
    self.scheduler = scheduler
    self.observer = observer
    origin = scheduler.now
  }

  func start() { schedule(0, at: origin + interval) }

  private func schedule(_ count: Int, at instant: Duration) {
    timer.set(after: instant - scheduler.now, on: scheduler) {
      observer.send(count)
      if !observer.isDisposed { schedule(count + 1, at: next(after: instant)) }
    }
  }

  /// Returns the next instant that has not passed; missed ticks before it are skipped.
  private func next(after instant: Duration) -> Duration {
    let next = instant + interval
    let delay = scheduler.now - next
    return delay <= .zero ? next : next + interval * Int64((delay / interval).rounded(.up))
  }
}
