#if HELIOGRAPH_CURL
/// The shared connections that may be dead, because an exchange on them timed out while nothing arrived on them.
///
/// After a timeout libcurl closes an HTTP/2 connection only if no other exchange uses it. New requests join it, so that
/// it stays in use, and time out as well: until TCP gives up after a quarter of an hour, or without end if the peer's
/// system still acknowledges data that its process never reads. While a connection is suspect, new requests for its
/// origin therefore have connections of their own. The exchanges on it go on, because the server may only be slow.
///
/// | event | consequence |
/// |---|---|
/// | timeout, others use the connection, and nothing has arrived on it since the last activity | suspect |
/// | timeout in any other case, or less than half a second after the last activity | none |
/// | anything arrives on a suspect connection | no longer suspect |
/// | no exchange uses a suspect connection any more | no longer suspect; libcurl has closed it |
struct CurlSuspects {
  private struct Suspect {
    let origin: Origin?
    let silentSince: SuspendingClock.Instant
  }

  /// The suspect connections by libcurl's connection numbers.
  private var suspects: [Int64: Suspect] = [:]

  /// The time without activity below which a timeout proves nothing, because the request was sent too late: half a second.
  private static let minimumSilence = Duration.milliseconds(500)

  var isEmpty: Bool { suspects.isEmpty }

  /// Returns whether a connection of requests for an origin is suspect.
  func contains(_ origin: Origin?) -> Bool { suspects.values.contains { $0.origin == origin } }

  /// Returns whether a silence proves something: an exchange that was active until shortly before may have timed out.
  static func isLong(_ silence: Duration, _ idleTimeout: Duration) -> Bool {
    silence >= min(idleTimeout, minimumSilence)
  }

  /// Makes the connection of an exchange that timed out suspect; `isSilent` returns whether exchanges use a connection
  /// on which nothing has arrived since an instant.
  mutating func add(
    _ connection: Int64, _ origin: Origin?, silentSince instant: SuspendingClock.Instant,
    if isSilent: (Int64, SuspendingClock.Instant) -> Bool
  ) {
    // An earlier instant remains, since which nothing has arrived either.
    if suspects[connection] != nil || !isSilent(connection, instant) { return }
    suspects[connection] = Suspect(origin: origin, silentSince: instant)
  }

  /// Removes the connections that are no longer in use, or on which something has arrived.
  mutating func update(_ isSilent: (Int64, SuspendingClock.Instant) -> Bool) {
    if suspects.isEmpty { return }
    suspects = suspects.filter { isSilent($0.key, $0.value.silentSince) }
  }
}
#endif
