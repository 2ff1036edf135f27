#if HELIOGRAPH_CURL
/// The connections that are known to use HTTP/2, by libcurl's connection numbers.
struct CurlConnections {
  /// The maximum; beyond it all are forgotten at once, because an unknown connection costs at most a retry.
  private static let limit = 1024

  private var multiplexing: Set<Int64> = []

  mutating func note(_ connection: Int64) {
    if multiplexing.count >= CurlConnections.limit { multiplexing.removeAll() }
    multiplexing.insert(connection)
  }

  func isMultiplexing(_ connection: Int64) -> Bool { multiplexing.contains(connection) }
}
#endif
