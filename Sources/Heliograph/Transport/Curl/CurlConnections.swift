#if HELIOGRAPH_CURL
/// The connections that are known to use HTTP/2, by libcurl's connection numbers.
struct CurlConnections {
  /// The number of recent connections after which earlier ones are forgotten.
  ///
  /// Each response records its connection again, so no connection in use is forgotten. If one were, a request that the
  /// server refuses on it would not be resent.
  private static let limit = 1024

  private var recent: Set<Int64> = []
  private var former: Set<Int64> = []
  /// The first transfer that waits for a response, for each connection that is not known to use HTTP/2.
  private var firstWaiting: [Int64: ObjectIdentifier] = [:]

  /// Records that a connection uses HTTP/2.
  mutating func record(_ connection: Int64) {
    if recent.count >= CurlConnections.limit { (former, recent) = (recent, []) }
    recent.insert(connection)
  }

  func isMultiplexing(_ connection: Int64) -> Bool { recent.contains(connection) || former.contains(connection) }

  /// Records that a transfer sends its request.
  ///
  /// Two transfers that wait on one connection share it, which only HTTP/2 allows.
  mutating func beginWait(of transfer: CurlTransfer) {
    let connection = transfer.connection
    if isMultiplexing(connection) { return }
    if firstWaiting[connection] == nil {
      firstWaiting[connection] = ObjectIdentifier(transfer)
    } else {
      firstWaiting[connection] = nil
      record(connection)
    }
  }

  /// Records that a transfer no longer waits for a response.
  mutating func endWait(of transfer: CurlTransfer) {
    if firstWaiting[transfer.connection] == ObjectIdentifier(transfer) { firstWaiting[transfer.connection] = nil }
  }
}
#endif
