/// What an exchange cost: when it came how far, and how much went over the wire.
///
/// Instants are counted from the subscription, on a clock that never goes back. What a transport cannot tell is `nil`:
/// `URLSession` on Linux reports neither connections nor phases. Requirement S1-12.
public struct Metrics: Sendable, Hashable {
  /// When it left the transport's queue and its work began.
  public var startedAt: Duration?
  /// When the host's address was known; with a kept connection, about ``startedAt``.
  public var resolvedAt: Duration?
  /// When the connection was made.
  public var connectedAt: Duration?
  /// When the TLS handshake was done; `nil` without TLS and with a kept connection.
  public var securedAt: Duration?
  /// When the request was about to be sent.
  public var sentAt: Duration?
  /// When the first byte of the response had come.
  public var firstByteAt: Duration?
  /// When the exchange ended, in whatever way.
  public var endedAt: Duration
  /// How many bytes were sent: head and body.
  public var sentByteCount: Int
  /// How many bytes came: head and body, as they were on the wire, before a content coding was undone.
  public var receivedByteCount: Int
  /// Whether a connection was used that an earlier exchange had left.
  public var isConnectionReused: Bool?
  /// The protocol: `HTTP/1.0`, `HTTP/1.1`, `HTTP/2` or `HTTP/3`.
  public var protocolVersion: String?
  /// How many times the request was sent again because a kept connection turned out to be closed.
  public var resendCount: Int
  /// The tries before this one, which failed and after which the request was built and sent anew; the first is the first.
  ///
  /// Instants and bytes are those of the last try alone.
  public var earlierTries: [Try] = []
  /// How many redirects were followed before; their bytes are counted, and instants go on from theirs.
  public var redirectCount: Int

  /// A try that failed.
  public struct Try: Sendable, Hashable {
    /// Where it failed.
    public let domain: String
    /// With which code.
    public let code: Int
    /// How long it took; `nil` if it was never begun, or the transport does not say.
    public let duration: Duration?

    /// Makes a try.
    ///
    /// - Parameters:
    ///   - domain: where it failed: the name of a ``NetworkError/Domain``.
    ///   - code: with which code.
    ///   - duration: how long it took. Default: not known.
    public init(domain: String, code: Int, duration: Duration? = nil) {
      self.domain = domain
      self.code = code
      self.duration = duration
    }
  }

  /// Makes metrics.
  ///
  /// - Parameter endedAt: when the exchange ended. Default: at once.
  public init(endedAt: Duration = .zero) {
    self.endedAt = endedAt
    sentByteCount = 0
    receivedByteCount = 0
    resendCount = 0
    redirectCount = 0
  }

  /// The same with all instants later: counted from an earlier subscription.
  func delayed(by delay: Duration) -> Metrics {
    var result = self
    for instant in [\Metrics.startedAt, \.resolvedAt, \.connectedAt, \.securedAt, \.sentAt, \.firstByteAt] {
      result[keyPath: instant] = self[keyPath: instant].map { $0 + delay }
    }
    result.endedAt += delay
    return result
  }

  /// The metrics of an exchange and of the one before it, whose redirect it follows.
  func following(_ earlier: Metrics) -> Metrics {
    var result = delayed(by: earlier.endedAt)
    result.sentByteCount += earlier.sentByteCount
    result.receivedByteCount += earlier.receivedByteCount
    result.resendCount += earlier.resendCount
    result.redirectCount = earlier.redirectCount + 1
    return result
  }
}
