import Foundation

/// The smoothed rate of a transfer: an exponential moving average over time.
///
/// The average is weighted by time and divided by the weight so far, so that it has no bias at its start.
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
