import Signals

/// The state of an `ActivityMonitor`, without its clock and its subscribers.
///
/// The indicator becomes visible when work has lasted for the start delay, and is hidden when there is none and the
/// minimum time has passed. Work that follows within a tenth of a second continues that before it, as the requests of a
/// sequence do.
struct ActivityState {
  struct Published: Equatable {
    var count = 0
    var isVisible = false
    var isActive: Bool { count > 0 }
  }

  /// The time after the end of all work within which the next work continues it, unless the minimum time is shorter.
  private static let gap = Duration.milliseconds(100)

  var count = 0
  /// When the work began; `nil` before the first.
  private var activeSince: Duration?
  /// When all work had ended; `nil` while there is some.
  private var idleSince: Duration?
  private var isVisible = false
  private var visibleSince = Duration.zero
  /// The instant at which the visibility changes; `nil` unless a change is pending.
  private var due: Duration?
  private var timer: Disposable?
  private var published = Published()

  /// Updates the visibility, perhaps for a timer that has fired; returns the instant of a timer to start, and the
  /// handle of an obsolete one.
  mutating func update(
    _ now: Duration, _ startDelay: Duration, _ minimumVisibleTime: Duration, firedAt: Duration?
  ) -> (due: Duration?, obsolete: Disposable?) {
    let gap = min(Self.gap, minimumVisibleTime)
    if count > 0 {
      if activeSince == nil || idleSince.map({ now - $0 >= gap }) == true { activeSince = now }
      idleSince = nil
    } else if idleSince == nil {
      idleSince = now
    }
    if (count > 0) != isVisible {
      let hideAt = max(visibleSince + minimumVisibleTime, (idleSince ?? now) + gap)
      let next = isVisible ? hideAt : (activeSince ?? now) + startDelay
      if next > now, next != firedAt {
        defer { due = next }
        return (due == nil ? next : nil, nil)
      }
      (isVisible, visibleSince) = (!isVisible, now)
    }
    return (nil, cancelTimer())
  }

  /// Cancels the pending change, and returns the handle of its timer, to be disposed outside the lock.
  mutating func cancelTimer() -> Disposable? {
    due = nil
    return timer.take()
  }

  /// Stores the handle of a started timer; returns a handle to dispose: that of an earlier timer for the same instant,
  /// or the new one if the timer has fired or was cancelled.
  mutating func store(_ handle: Disposable, for instant: Duration) -> Disposable? {
    guard instant == due else { return handle }
    defer { timer = handle }
    return timer
  }

  /// The published state before and after the next change, or `nil` if everything is published.
  mutating func nextPublished() -> (before: Published, after: Published)? {
    let current = Published(count: count, isVisible: isVisible)
    if current == published { return nil }
    defer { published = current }
    return (published, current)
  }
}
