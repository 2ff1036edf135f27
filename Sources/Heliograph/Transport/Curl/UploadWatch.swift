#if HELIOGRAPH_CURL
/// The looks at the connection of an upload whose source has nothing to send: libcurl then does not report its end.
struct UploadWatch {
  /// The time between two looks: 250 ms, as each costs a system call.
  private static let interval = Duration.milliseconds(250)

  private(set) var nextLook: SuspendingClock.Instant
  /// The number of bytes received when the connection was first seen to be closed.
  private var byteCountWhenClosed: Int?

  init(_ now: SuspendingClock.Instant) { nextLook = now + UploadWatch.interval }

  /// Looks at the connection again.
  ///
  /// Two looks are needed to see its end: a response may arrive together with it.
  ///
  /// - Parameters:
  ///   - now: the present instant.
  ///   - isClosed: whether the peer has closed the connection.
  ///   - byteCount: the number of bytes received so far.
  /// - Returns: whether the peer has closed the connection, and everything from it has been read.
  mutating func look(at now: SuspendingClock.Instant, isClosed: Bool, _ byteCount: Int) -> Bool {
    nextLook = now + UploadWatch.interval
    defer { byteCountWhenClosed = isClosed ? byteCount : nil }
    return isClosed && byteCountWhenClosed == byteCount
  }
}
#endif
