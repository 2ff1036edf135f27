import Signals

/// The state of an `ActivityMonitor`, without its clock and its subscribers.
///
///     hidden ──work──▶ waiting ──start delay──▶ visible ──no work, and the minimum time has passed──▶ hidden
///        ◀──no work──────┘
struct ActivityState {
  struct Published: Equatable {
    var count = 0
    var isVisible = false
    var isActive: Bool { count > 0 }
  }

  /// A timer to start; the number distinguishes it from earlier ones.
  struct Timer {
    let number: Int
    let delay: Duration
  }

  private enum Phase {
    case hidden
    case waiting
    case visible(since: Duration)
  }

  var count = 0
  private var phase = Phase.hidden
  private var isDue = false
  private var hasTimer = false
  private var timerNumber = 0
  private var timerHandle: Disposable?
  private var published = Published()

  /// Updates the phase; returns a timer to start and the handle of one to cancel.
  mutating func update(
    _ now: Duration, _ startDelay: Duration, _ minimumVisibleTime: Duration
  ) -> (timer: Timer?, cancelled: Disposable?) {
    defer { isDue = false }
    switch (phase, count > 0) {
    case (.hidden, false): return (nil, nil)
    case (.hidden, true):
      if startDelay > .zero {
        phase = .waiting
        return (startTimer(startDelay), nil)
      }
      phase = .visible(since: now)
      return (nil, nil)
    case (.waiting, true):
      guard isDue else { return (nil, nil) }
      phase = .visible(since: now)
      return (nil, cancelTimer())
    case (.waiting, false):
      phase = .hidden
      return (nil, cancelTimer())
    case (.visible, true): return (nil, cancelTimer())
    case (.visible(let start), false):
      let rest = start + minimumVisibleTime - now
      if !isDue && rest > .zero { return (hasTimer ? nil : startTimer(rest), nil) }
      phase = .hidden
      return (nil, cancelTimer())
    }
  }

  private mutating func startTimer(_ delay: Duration) -> Timer {
    hasTimer = true
    timerNumber += 1
    return Timer(number: timerNumber, delay: delay)
  }

  /// Invalidates the timer and returns its handle, to be disposed outside the lock.
  mutating func cancelTimer() -> Disposable? {
    hasTimer = false
    timerNumber += 1
    return timerHandle.take()
  }

  /// Records that a timer has fired, for the next update, unless it was cancelled.
  mutating func fire(_ number: Int) {
    if number == timerNumber { isDue = true }
  }

  /// Stores the handle of a started timer, or returns `false` if the timer has fired or was cancelled.
  mutating func store(_ handle: Disposable, for number: Int) -> Bool {
    guard number == timerNumber else { return false }
    timerHandle = handle
    return true
  }

  /// The published state before and after the next change, or `nil` if everything is published.
  mutating func nextPublished() -> (before: Published, after: Published)? {
    var current = Published(count: count)
    if case .visible = phase { current.isVisible = true }
    if current == published { return nil }
    defer { published = current }
    return (published, current)
  }
}
