#if HELIOGRAPH_CURL
/// The two directions of a transfer: receiving pauses for the consumer, sending for the source of the body.
struct CurlFlow {
  enum State: Equatable {
    case running, paused
    /// Paused after libcurl finished; the transfer ends with the result once the consumer has taken the remaining data.
    case held(result: Int)
  }

  /// The interval between checks of a paused upload's connection: 250 ms, because each check costs a system call.
  private static let checkInterval = Duration.milliseconds(250)
  /// The number of bytes that are accepted during a pause: 256 KiB, twice libcurl's buffer, which it empties anyway.
  private static let pauseByteLimit = 262_144

  private(set) var receiving = State.running
  private(set) var sending = State.running
  /// Whether sending has been paused, in this attempt or an earlier one.
  private(set) var hasPausedSending = false
  /// The number of bytes that have arrived during pauses since libcurl was resumed.
  private var pausedByteCount = 0
  private var nextCheck: SuspendingClock.Instant
  /// The number of bytes received when the connection was first seen to be closed.
  private var byteCountWhenClosed: Int?
  private var hasReadFirst = false

  init(_ now: SuspendingClock.Instant) { nextCheck = now + CurlFlow.checkInterval }

  /// Whether neither the consumer nor the body's source is awaited.
  var isRunning: Bool { receiving == .running && sending == .running }

  /// Pauses receiving; returns whether it was running.
  mutating func pauseReceiving() -> Bool {
    guard receiving == .running else { return false }
    receiving = .paused
    return true
  }

  /// Counts bytes that arrive during a pause; returns whether they are accepted, instead of being left to libcurl.
  mutating func claimPauseAllowance(_ byteCount: Int) -> Bool {
    pausedByteCount += byteCount
    return pausedByteCount <= CurlFlow.pauseByteLimit
  }

  /// Allows the same number of bytes again, when libcurl resumes.
  ///
  /// Not at each pause: between two pauses the rest of an encoded body is decoded, and libcurl stays paused.
  mutating func renewPauseAllowance() { pausedByteCount = 0 }

  /// Resumes receiving; returns its previous state.
  mutating func resumeReceiving() -> State {
    defer { receiving = .running }
    return receiving
  }

  /// Holds libcurl's result back until receiving is resumed; returns `false` if it is running.
  mutating func hold(_ result: Int) -> Bool {
    if receiving == .running { return false }
    receiving = .held(result: result)
    return true
  }

  /// Pauses sending; returns the instant of the next check of the connection.
  @discardableResult
  mutating func pauseSending() -> SuspendingClock.Instant {
    sending = .paused
    hasPausedSending = true
    return nextCheck
  }

  /// Resumes sending; returns whether it was paused.
  @discardableResult
  mutating func resumeSending() -> Bool {
    defer { sending = .running }
    return sending == .paused
  }

  /// Returns whether input must be read before the next piece is sent; `true` at most once per piece.
  mutating func claimReading(_ hasInput: @autoclosure () -> Bool) -> Bool {
    hasReadFirst = !hasReadFirst && hasInput()
    return hasReadFirst
  }

  /// Returns whether the peer has closed the connection of a paused upload, unseen by libcurl, and all of it is read;
  /// two checks are needed, because a response may arrive together with the end.
  mutating func checkConnection(at now: SuspendingClock.Instant, isClosed: Bool, _ byteCount: Int) -> Bool {
    nextCheck = now + CurlFlow.checkInterval
    defer { byteCountWhenClosed = isClosed ? byteCount : nil }
    return isClosed && byteCountWhenClosed == byteCount
  }

  /// The instant of the next check of the transfer: that of its idle timeout, or of its connection while the body's
  /// source is awaited; `nil` while the consumer is awaited.
  func expiry(idleTimeoutAt instant: SuspendingClock.Instant) -> SuspendingClock.Instant? {
    guard receiving == .running else { return nil }
    return sending == .running ? instant : nextCheck
  }
}
#endif
