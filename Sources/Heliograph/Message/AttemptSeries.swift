/// The failed attempts of a request, oldest first: of a series of more than 64, the first 32 and the last 32.
struct AttemptSeries: Sendable {
  private(set) var attempts: [Metrics.Attempt] = []
  /// The number of attempts, including those in the middle of a long series.
  private(set) var count = 0

  mutating func append(_ attempt: Metrics.Attempt) {
    count += 1
    attempts.append(attempt)
    if attempts.count > [Metrics.Attempt].limit { attempts.remove(at: [Metrics.Attempt].limit / 2) }
  }

  mutating func replaceLast(by attempt: Metrics.Attempt) {
    if attempts.popLast() != nil { attempts.append(attempt) }
  }

  func before(_ number: Int) -> [Metrics.Attempt] { attempts.dropLast(max(0, count - max(0, number - 1))) }
}

extension [Metrics.Attempt] {
  /// The maximum number of attempts in ``Metrics/earlierAttempts``.
  static let limit = 64

  /// The attempts, or the first and the last of a series over the limit.
  var bounded: [Metrics.Attempt] {
    count <= Self.limit ? self : Array(prefix(Self.limit / 2)) + suffix(Self.limit / 2)
  }
}

extension Metrics? {
  func adding(earlierAttempts earlier: [Metrics.Attempt]) -> Metrics {
    var metrics = self ?? Metrics()
    metrics.earlierAttempts = (earlier + metrics.earlierAttempts).bounded
    return metrics
  }
}
