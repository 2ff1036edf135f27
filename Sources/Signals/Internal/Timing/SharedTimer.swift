import Dispatch

/// The dispatch timer of all delayed work: when a delay has passed, it moves the work to its queue.
///
/// One timer for the process instead of a source for each delay, whose creation, arming and cancellation each wake a
/// thread. Most delays are timeouts, which are cancelled long before they pass.
final class SharedTimer: Sendable {
  static let shared = SharedTimer()

  private let schedule = Guarded(TimerSchedule<DelayedWork>())
  // In a cell, because not every platform declares Dispatch's thread-safe objects `Sendable`.
  private let timer: Cell<any DispatchSourceTimer>

  /// Creates the timer on a queue of its own, because a busy app delays its work on the system's concurrent queue; the
  /// queue has no quality of service, which `async` would pass on to the queues of the work.
  private init() {
    timer = Cell(DispatchSource.makeTimerSource(queue: DispatchQueue(label: "Signals.SharedTimer")))
    timer.value.setEventHandler { [self] in fire() }
    timer.value.schedule(deadline: .distantFuture)
    timer.value.activate()
  }

  /// Moves the work to its queue after a delay, and returns the key by which it can be removed before.
  func add(_ work: DelayedWork, after delay: Duration) -> TimerQueue<Duration, DelayedWork>.Key {
    schedule.withLock { schedule in
      let (key, arming) = schedule.add(work, after: delay, at: DispatchScheduler.uptime)
      arm(arming)  // inside the lock: no other delay may wait for a thread that has yet to arm the timer
      return key
    }
  }

  /// Frees work that the timer still retains.
  func remove(_ key: TimerQueue<Duration, DelayedWork>.Key) { schedule.discardWithLock { $0.remove(key) } }

  private func fire() {
    let due = schedule.withLock { schedule in
      let (due, arming) = schedule.fire(at: DispatchScheduler.uptime)
      arm(arming)  // inside the lock: as above
      return due
    }
    for work in due { work.enqueue() }
  }

  /// Arms the timer, which runs no code of the app.
  private func arm(_ arming: TimerSchedule<DelayedWork>.Arming?) {
    guard let arming else { return }
    timer.value.schedule(deadline: .now() + arming.delay.dispatchInterval, leeway: arming.leeway.dispatchInterval)
  }
}

/// Work that waits for its delay, and then for its turn on a queue; it runs at most once.
final class DelayedWork: Disposing {
  private struct Contents {
    let work: @Sendable () -> Void
    let queue: DispatchQueue
    /// Identifies the work while the timer retains it.
    var key: TimerQueue<Duration, DelayedWork>.Key?
  }

  /// `nil` once the work has begun or was disposed.
  private let contents: Guarded<Contents?>

  init(on queue: DispatchQueue, _ work: @escaping @Sendable () -> Void) {
    contents = Guarded(Contents(work: work, queue: queue))
  }

  var isDisposed: Bool { contents.withLock { $0 == nil } }

  /// Starts the delay; without one, the work is put on its queue immediately.
  func start(after delay: Duration) {
    guard delay > .zero else { return enqueue() }
    let key = SharedTimer.shared.add(self, after: delay)
    contents.withLock { $0?.key = key }
  }

  func enqueue() {
    let queue = contents.withLock { $0?.queue }
    queue?.async { self.run() }
  }

  private func run() {
    let taken = contents.withLock { $0.take() }
    taken?.work()
  }

  func dispose() {
    let dropped = contents.withLock { $0.take() }
    if let key = dropped?.key { SharedTimer.shared.remove(key) }
  }
}
