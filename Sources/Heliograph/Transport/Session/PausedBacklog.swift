/// The bytes that arrive while a task is paused and that its consumer has not taken yet; on Apple's systems the pause
/// of a task is a request: the system may go on delivering to it, and nothing else bounds the consumer's buffer.
struct PausedBacklog: Sendable {
  /// The maximum number of bytes: 64 MiB.
  ///
  /// It is far above what a pause that works still delivers, the bytes that the system and the connection have
  /// buffered, and far below the memory for which iOS terminates the app in the foreground.
  static let byteLimit = 64 << 20

  private(set) var byteCount = 0
  private var pieceCount = 0

  /// Adds a piece; returns whether the bytes are within the limit.
  ///
  /// Each value that waits downstream, including those of the piece, stands for one piece at most, so that if fewer
  /// values wait, the consumer has taken the other pieces; they are subtracted with the mean size. Of pieces that an
  /// operator gathers into one value, one is counted.
  mutating func add(byteCount count: Int, waitingCount: Int) -> Bool {
    byteCount += count
    pieceCount += 1
    if waitingCount < pieceCount {
      byteCount -= byteCount / pieceCount * (pieceCount - waitingCount)
      pieceCount = waitingCount
    }
    return byteCount <= PausedBacklog.byteLimit
  }
}
