#if HELIOGRAPH_CURL
/// The instant of the latest failure of one kind for each origin, as long as it counts.
struct CurlFailures {
  /// The number of origins after which all are forgotten, because an app may try many addresses.
  private static let limit = 1000

  /// How long a failure counts.
  let lifetime: Duration
  private var instants: [Origin: SuspendingClock.Instant] = [:]

  init(lifetime: Duration) { self.lifetime = lifetime }

  mutating func record(_ origin: Origin?, at instant: SuspendingClock.Instant) {
    guard let origin else { return }
    if instants.count >= CurlFailures.limit { instants.removeAll() }
    instants[origin] = max(instant, instants[origin] ?? instant)
  }

  /// Returns the time since the latest failure; `nil` if there was none that counts.
  func age(_ origin: @autoclosure () -> Origin?, at now: SuspendingClock.Instant) -> Duration? {
    guard !instants.isEmpty, let origin = origin(), let instant = instants[origin] else { return nil }
    let age = now - instant
    return age > lifetime ? nil : age
  }
}
#endif
