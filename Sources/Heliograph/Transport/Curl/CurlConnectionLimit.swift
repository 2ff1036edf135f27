#if HELIOGRAPH_CURL
/// The number of connections, in use and idle, beyond which libcurl closes the oldest idle one.
///
/// Idle connections take about a quarter of the process's file descriptors at most, so that others can be made. libcurl
/// counts all connections: a limit below the number of those in use would close each one after its exchange.
struct CurlConnectionLimit {
  private let total: Int
  private let idle: Int
  private var current = 0

  init(_ concurrencyLimit: Int, descriptorLimit: Int) {
    total = max(concurrencyLimit, 1)
    idle = max(descriptorLimit / 4, 1)
  }

  /// Returns the limit while a number of connections is in use; `nil` if it has not changed.
  mutating func next(_ activeCount: Int) -> Int? {
    // Requests of a refresh are not counted by the concurrency limit.
    let limit = min(max(total, activeCount), activeCount + idle)
    if limit == current { return nil }
    current = limit
    return limit
  }
}
#endif
