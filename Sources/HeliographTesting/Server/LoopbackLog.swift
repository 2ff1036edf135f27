/// An immutable snapshot of a `LoopbackServer`'s connections and requests.
///
/// Counting is O(n) in the number of entries.
public struct LoopbackLog: Sendable {
  /// The requests in the order of arrival, each recorded before its route is called; incomplete requests are not
  /// included.
  public internal(set) var requests: [LoopbackRequest] = []

  /// All accepted connections, open and closed; the `id` of a connection is its index.
  public internal(set) var connections: [Connection] = []

  /// Creates an empty log.
  public init() {}

  /// The number of connections accepted since the server started.
  public var acceptedCount: Int { connections.count }

  /// The number of connections that neither side has closed.
  public var openConnectionCount: Int { connections.count { $0.closedAt == nil } }

  /// Returns the requests to a path, in the order of arrival; the path is as for a route: percent-decoded or as sent,
  /// with wildcards or a query.
  public func requests(to path: String) -> [LoopbackRequest] {
    let path = RoutePath(path)
    return requests.filter { path.matches(RouteTarget($0.target, authority: $0.header("Host") ?? "")) }
  }

  /// The record of an accepted connection.
  public struct Connection: Hashable, Sendable, Identifiable {
    /// The connection's number, counted from 0 in the order of acceptance.
    public let id: Int

    /// The time at which the server accepted the connection; the kernel may have completed the handshake slightly
    /// earlier.
    public let openedAt: ContinuousClock.Instant

    /// The time of the first close by either side, or `nil` while the connection is open.
    ///
    /// A client's half-close counts as a close, because TCP sends the server the same FIN for both.
    public internal(set) var closedAt: ContinuousClock.Instant?

    /// Whether the client closed first, by FIN or RST; `nil` while the connection is open.
    public internal(set) var isClosedByClient: Bool?

    /// The number of complete requests that arrived on the connection.
    public internal(set) var requestCount = 0

    /// The number of bytes read from the connection, including heads and framing; it increases while a body is still
    /// arriving.
    public internal(set) var receivedByteCount = 0

    /// The number of bytes passed to the kernel for the connection, including heads and framing.
    public internal(set) var sentByteCount = 0
  }
}
