/// What can be measured; the raw values are the names in the JSON line that each process prints.
enum Figure: String, CaseIterable {
  case requestsPerSecond
  /// User and system time of the whole process, in microseconds.
  case cpuPerRequest
  case p50
  case p99
  case megabytesPerSecond
  /// What the `curl` program says of its transfer.
  case seconds
  case cpuMilliseconds
  /// The time until all of the work was done, in milliseconds.
  case duration
  /// The time until the last call of `dispose` or `cancel` had returned, in milliseconds.
  case disposing
  /// The time from the first such call until the server had seen the last socket close, in milliseconds.
  case closing
  /// How many events came for a request after its disposal had returned.
  case lateEventCount
  /// How much more memory the last five rounds hold than the first five, in megabytes.
  case roundGrowth
  /// The most descriptors that were open at once.
  case descriptorCount
  /// How far the resident memory grew at most during the work, in megabytes of a million bytes.
  case growth
  /// The most resident memory of the process in all its life, in megabytes.
  case peak

  var title: String {
    switch self {
    case .requestsPerSecond: "req/s"
    case .cpuPerRequest: "CPU us/req"
    case .p50: "p50 us"
    case .p99: "p99 us"
    case .megabytesPerSecond: "MB/s"
    case .seconds: "s"
    case .cpuMilliseconds: "CPU ms"
    case .duration: "ms"
    case .disposing: "disposed ms"
    case .closing: "closed ms"
    case .lateEventCount: "late events"
    case .roundGrowth: "growth MB"
    case .descriptorCount: "descriptors"
    case .growth: "growth MB"
    case .peak: "peak MB"
    }
  }

  var digitCount: Int {
    switch self {
    case .requestsPerSecond, .p50, .p99, .megabytesPerSecond, .lateEventCount, .descriptorCount, .cpuMilliseconds: 0
    case .cpuPerRequest, .duration, .closing, .growth, .peak: 1
    case .disposing, .roundGrowth, .seconds: 2
    }
  }
}

/// What one process has measured.
typealias Sample = [Figure: Double]

extension [Double] {
  /// The middle value, or NaN of an empty array.
  var median: Double {
    let sorted = sorted()
    guard let upper = sorted.dropFirst(count / 2).first else { return .nan }
    return count.isMultiple(of: 2) ? (upper + sorted[count / 2 - 1]) / 2 : upper
  }
}
