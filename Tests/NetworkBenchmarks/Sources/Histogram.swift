/// Counts latencies in 64 buckets for each power of two of nanoseconds, so to 1.6 %, in little memory.
struct Histogram {
  private static let bucketCount = 64 * 40

  private var buckets = [UInt32](repeating: 0, count: bucketCount)
  private(set) var count = 0

  mutating func add(_ nanoseconds: Int) {
    let shift = max(0, Int.bitWidth - nanoseconds.leadingZeroBitCount - 7)
    let index = shift == 0 ? nanoseconds : 64 * shift + nanoseconds >> shift
    buckets[min(index, Histogram.bucketCount - 1)] += 1
    count += 1
  }

  mutating func add(_ other: Histogram) {
    for index in buckets.indices { buckets[index] += other.buckets[index] }
    count += other.count
  }

  /// The latency that a share of all stays below, in microseconds.
  func percentile(_ share: Double) -> Double {
    var left = Int(Double(count) * share)
    for (index, bucket) in buckets.enumerated() {
      if left < Int(bucket) {
        let lowest = index < 128 ? index : (64 + index % 64) << (index / 64 - 1)
        return Double(lowest) / 1e3
      }
      left -= Int(bucket)
    }
    return .nan
  }
}
