/// What a `LoopbackServer` has seen so far: a value that no longer changes once taken.
///
/// Counting is O(n) in the number of entries.
public struct LoopbackLog: Sendable {
  /// Every request in the order of arrival, written before its route is called; a request cut short is not among them.
  public internal(set) var requests: [LoopbackRequest] = []

  /// Every connection ever accepted, open ones and closed ones; a connection's `id` is its position.
  public internal(set) var connections: [Connection] = []

  /// Creates an empty log.
  public init() {}

  /// How many connections were accepted since the server started.
  public var acceptedCount: Int { connections.count }

  /// How many connections neither side has closed.
  public var openConnectionCount: Int { connections.count { $0.closedAt == nil } }

  /// The requests whose percent-decoded path is exactly this one, in the order of arrival.
  ///
  /// - Parameter path: the path without its query, such as `/users/1`.
  /// - Returns: the requests; none when the path was never asked for.
  public func requests(to path: String) -> [LoopbackRequest] {
    requests.filter { $0.path == path }
  }
}

extension LoopbackLog {
  /// One side of a connection.
  public enum Side: Hashable, Sendable {
    /// The code under test.
    case client
    /// The `LoopbackServer`.
    case server
  }

  /// The story of one accepted connection.
  public struct Connection: Hashable, Sendable, Identifiable {
    /// The connection's number, counted from 0 in the order of acceptance.
    public let id: Int

    /// When the server accepted it; the kernel may have completed the handshake a little earlier.
    public let openedAt: ContinuousClock.Instant

    /// When the first side's close was seen or done; `nil` while it is open.
    ///
    /// A client's half-close counts as a close: TCP shows the server the same FIN for both.
    public internal(set) var closedAt: ContinuousClock.Instant?

    /// The side that closed first, by FIN or RST; `nil` while it is open.
    public internal(set) var closedBy: Side?

    /// How many complete requests arrived on it.
    public internal(set) var requestCount = 0

    /// How many bytes were read from it, heads and framing included; grows while a body is still arriving.
    public internal(set) var receivedByteCount = 0

    /// How many bytes were handed to the kernel for it, heads and framing included.
    public internal(set) var sentByteCount = 0
  }
}
