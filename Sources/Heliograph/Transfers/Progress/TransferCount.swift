/// The byte count of one direction of a transfer, and the rule for when it is reported.
struct TransferCount {
  private let direction: TransferProgress.Direction
  private let interval: Duration
  /// The bytes of the current attempt; a later attempt restarts the count and is reported once it exceeds the earlier
  /// one.
  private(set) var byteCount = 0
  private(set) var total: Int?
  /// Whether the body of the current attempt is counted.
  private(set) var isStarted = false
  private var reported: TransferProgress?
  private var reportedAt = Duration.zero
  private var rate = TransferRate()

  init(_ direction: TransferProgress.Direction, every interval: Duration) {
    self.direction = direction
    self.interval = interval
  }

  /// Starts the count of an attempt; the bytes before the start do not count for the rate.
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
    // A server may declare any offset.
    let (sum, isOverflow) = byteCount.addingReportingOverflow(count)
    return advance(to: isOverflow ? .max : sum, now)
  }

  /// Sets the count and returns the progress if it is due.
  mutating func advance(to byteCount: Int, _ now: Duration) -> TransferProgress? {
    self.byteCount = byteCount
    if byteCount == total { return finish(now) }
    guard let reported else { return report(byteCount, now) }
    guard byteCount > reported.byteCount, now - reportedAt >= interval else { return nil }
    return report(byteCount, now)
  }

  /// Returns the current count if it has not been reported, whatever the interval.
  mutating func flush(_ now: Duration) -> TransferProgress? {
    byteCount > reported?.byteCount ?? 0 ? report(byteCount, now) : nil
  }

  /// Returns the last progress, unless it has been reported: the count is the total, even if the total was unknown.
  ///
  /// After a longer body of an earlier attempt it is that body's count, because a count never decreases.
  mutating func finish(_ now: Duration) -> TransferProgress? {
    let count = max(byteCount, reported?.byteCount ?? 0)
    guard count > 0, reported?.byteCount != count || reported?.totalByteCount != count else { return nil }
    total = byteCount
    return report(count, of: count, now)
  }

  private mutating func report(_ count: Int, of known: Int? = nil, _ now: Duration) -> TransferProgress {
    rate.add(upTo: byteCount, now)
    let progress = TransferProgress(
      direction, byteCount: count, totalByteCount: known ?? total, bytesPerSecond: rate.bytesPerSecond)
    reported = progress
    reportedAt = now
    return progress
  }
}
