#if HELIOGRAPH_CURL
/// The connections that are known to speak HTTP/2, by libcurl's numbers for them.
struct CurlConnections {
  /// More are forgotten all at once: an unknown connection costs a retry at most.
  private static let limit = 1024

  private var multiplexing: Set<Int64> = []

  mutating func note(_ connection: Int64) {
    if multiplexing.count >= CurlConnections.limit { multiplexing.removeAll() }
    multiplexing.insert(connection)
  }

  func isMultiplexing(_ connection: Int64) -> Bool { multiplexing.contains(connection) }
}
#endif
