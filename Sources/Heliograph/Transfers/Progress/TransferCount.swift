/// The byte count of one direction of a transfer, and the rule for when it is reported.
struct TransferCount {
  private let direction: TransferProgress.Direction
  private let interval: Duration
  /// The bytes of the current attempt; they are reported once they exceed those of earlier attempts.
  private(set) var byteCount = 0
  private(set) var total: Int?
  /// Whether the body of the current attempt is counted.
  private(set) var isStarted = false
  private var lastReport: TransferProgress?
  private var lastReportAt = Duration.zero
  private var rate = TransferRate()

  init(_ direction: TransferProgress.Direction, every interval: Duration) {
    self.direction = direction
    self.interval = interval
  }

  /// Starts the count of an attempt; the bytes before the start do not contribute to the rate.
  mutating func start(at byteCount: Int, of total: Int?, _ now: Duration) {
    isStarted = true
    self.byteCount = byteCount
    self.total = total
    rate.start(at: byteCount, now)
  }

  /// Stops the count until the next attempt.
  mutating func stop() { isStarted = false }

  /// Counts more bytes of a body that is counted, and returns the progress if it is due.
  mutating func add(_ count: Int, _ now: Duration) -> TransferProgress? {
    guard isStarted else { return nil }
    return advance(to: byteCount.adding(count), now)
  }

  /// Sets the count and returns the progress if it is due.
  mutating func advance(to byteCount: Int, _ now: Duration) -> TransferProgress? {
    self.byteCount = byteCount
    if byteCount == total { return finish(now) }
    guard let lastReport else { return report(byteCount, now) }
    guard byteCount > lastReport.byteCount, now - lastReportAt >= interval else { return nil }
    return report(byteCount, now)
  }

  /// Returns the current count if it has not been reported, whatever the interval.
  mutating func flush(_ now: Duration) -> TransferProgress? {
    byteCount > lastReport?.byteCount ?? 0 ? report(byteCount, now) : nil
  }

  /// Returns the final progress, unless it has been reported; its total is the count.
  ///
  /// If the body of an earlier attempt was longer, the count is that of the earlier body, because a count never
  /// decreases.
  mutating func finish(_ now: Duration) -> TransferProgress? {
    let count = max(byteCount, lastReport?.byteCount ?? 0)
    guard count > 0, lastReport?.byteCount != count || lastReport?.totalByteCount != count else { return nil }
    total = byteCount
    return report(count, of: count, now)
  }

  private mutating func report(_ count: Int, of finalTotal: Int? = nil, _ now: Duration) -> TransferProgress {
    rate.add(upTo: byteCount, now)
    let progress = TransferProgress(
      direction, byteCount: count, totalByteCount: finalTotal ?? total, bytesPerSecond: rate.bytesPerSecond)
    lastReport = progress
    lastReportAt = now
    return progress
  }
}
