/// The elements that wait for one timer, and when the timer fires.
///
/// Arming a timer costs a system call and wakes a thread. A timer that fires early enough for a new element is
/// therefore not armed again, and neither is one whose element was removed: it fires, finds nothing due, and is armed
/// for the next element.
struct TimerSchedule<Element: Sendable>: Sendable {
  struct Arming: Equatable, Sendable {
    let delay: Duration
    let leeway: Duration
  }

  private var queue = TimerQueue<Duration, Element>()
  /// The latest instant at which the timer fires; `nil` if it is not armed.
  private var latestFiring: Duration?

  /// Adds an element that is due after a delay, and returns how the timer must be armed; `nil` if it need not be.
  ///
  /// Delays of more than 292 years are shortened.
  mutating func add(
    _ element: Element, after delay: Duration, at now: Duration
  ) -> (key: TimerQueue<Duration, Element>.Key, arming: Arming?) {
    let delay = min(delay, .nanoseconds(Int64.max))
    let key = queue.add(element, at: now + delay)
    // The first comparison usually saves the division that the second one needs.
    if fires(until: now + delay) || fires(until: now + delay + leeway(of: delay)) { return (key, nil) }
    return (key, arm(at: now))
  }

  private func fires(until instant: Duration) -> Bool { latestFiring.map { $0 <= instant } ?? false }

  private func leeway(of delay: Duration) -> Duration { delay / 100 }

  mutating func remove(_ key: TimerQueue<Duration, Element>.Key) -> Element? { queue.remove(key) }

  /// Takes what is due after the timer has fired, and returns how the timer must be armed next.
  mutating func fire(at now: Duration) -> (due: [Element], arming: Arming?) {
    var due: [Element] = []
    while let element = queue.takeDue(at: now) { due.append(element) }
    return (due, arm(at: now))
  }

  /// Returns how the timer must be armed for the earliest element; `nil` without elements.
  ///
  /// The leeway is 1 % of the time that is left. Each waiting element has a delay of at least that time, and the
  /// elements added later are compared with the end of the leeway. No element is thus late by more than 1 % of its
  /// delay.
  private mutating func arm(at now: Duration) -> Arming? {
    latestFiring = nil
    guard let earliest = queue.earliest else { return nil }
    let delay = max(.zero, earliest - now)
    let arming = Arming(delay: delay, leeway: leeway(of: delay))
    latestFiring = now + delay + arming.leeway
    return arming
  }
}
