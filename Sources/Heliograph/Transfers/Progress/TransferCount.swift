import Foundation

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

/// The smoothed rate of a transfer: an exponential moving average over time, without bias at its start.
struct TransferRate {
  /// The time constant in seconds, after which the average has followed 63 % of a change of the rate.
  private static let timeConstant = 3.0
  /// The minimum duration of a reported measurement, in seconds; a shorter one measures only the system's buffers.
  private static let minimumSeconds = 0.1

  private var last: (byteCount: Int, instant: Duration)?
  private var weightedByteCount = 0.0
  private var weightedSeconds = 0.0
  private var measuredSeconds = 0.0

  /// The average rate; `nil` before the minimum duration.
  var bytesPerSecond: Double? {
    measuredSeconds >= TransferRate.minimumSeconds ? weightedByteCount / weightedSeconds : nil
  }

  /// Starts a measurement at a byte count; the average continues.
  mutating func start(at byteCount: Int, _ now: Duration) { last = (byteCount, now) }

  /// Adds the bytes since the last count; bytes of the same instant are added with the next ones.
  mutating func add(upTo byteCount: Int, _ now: Duration) {
    guard let last, now > last.instant else { return }
    let elapsed = (now - last.instant) / .seconds(1)
    let decay = exp(-elapsed / TransferRate.timeConstant)
    let weight = TransferRate.timeConstant * (1 - decay) / elapsed
    weightedByteCount = weightedByteCount * decay + Double(max(0, byteCount - last.byteCount)) * weight
    weightedSeconds = weightedSeconds * decay + elapsed * weight
    measuredSeconds += elapsed
    self.last = (byteCount, now)
  }
}
