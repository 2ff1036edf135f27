/// The metrics of an exchange: the instants of its phases, and its byte counts.
///
/// Instants are counted from the subscription, on a monotonic clock. Values that a transport does not report are `nil`:
/// `URLSession` on Linux reports neither connections nor phases.
public struct Metrics: Sendable, Hashable {
  /// The instant at which the exchange left the transport's queue and started.
  public var startedAt: Duration? {
    get { contents.value.startedAt }
    set { contents.value.startedAt = newValue }
  }
  /// The instant at which the host was resolved; with a kept connection, about ``startedAt``.
  public var resolvedAt: Duration? {
    get { contents.value.resolvedAt }
    set { contents.value.resolvedAt = newValue }
  }
  /// The instant at which the connection was established.
  public var connectedAt: Duration? {
    get { contents.value.connectedAt }
    set { contents.value.connectedAt = newValue }
  }
  /// The instant at which the TLS handshake was complete; `nil` without TLS and with a kept connection.
  public var securedAt: Duration? {
    get { contents.value.securedAt }
    set { contents.value.securedAt = newValue }
  }
  /// The instant just before the request was sent.
  public var sentAt: Duration? {
    get { contents.value.sentAt }
    set { contents.value.sentAt = newValue }
  }
  /// The instant at which the first byte of the response arrived.
  public var firstByteAt: Duration? {
    get { contents.value.firstByteAt }
    set { contents.value.firstByteAt = newValue }
  }
  /// The instant at which the exchange ended, however it ended.
  public var endedAt: Duration {
    get { contents.value.endedAt }
    set { contents.value.endedAt = newValue }
  }
  /// The number of bytes sent, of head and body.
  public var sentByteCount: Int {
    get { contents.value.sentByteCount }
    set { contents.value.sentByteCount = newValue }
  }
  /// The number of bytes received, of head and body, as transferred, before content decoding.
  public var receivedByteCount: Int {
    get { contents.value.receivedByteCount }
    set { contents.value.receivedByteCount = newValue }
  }
  /// Whether the exchange reused a connection of an earlier one.
  public var isConnectionReused: Bool? {
    get { contents.value.isConnectionReused }
    set { contents.value.isConnectionReused = newValue }
  }
  /// The version of the protocol: `HTTP/1.0`, `HTTP/1.1`, `HTTP/2` or `HTTP/3`.
  public var protocolVersion: String? {
    get { contents.value.protocolVersion }
    set { contents.value.protocolVersion = newValue }
  }
  /// The number of times that the transport itself resent the request.
  ///
  /// It does so when a kept connection turns out to be closed, or when an HTTP/2 server refuses a request unprocessed.
  public var resendCount: Int {
    get { contents.value.resendCount }
    set { contents.value.resendCount = newValue }
  }
  /// The failed attempts before this one, the first one first; after each the request was built and sent again.
  ///
  /// Instants and bytes are those of the last attempt only.
  public var earlierAttempts: [Attempt] {
    get { contents.value.earlierAttempts }
    set { contents.value.earlierAttempts = newValue }
  }
  /// The number of redirects that were followed before the last response.
  ///
  /// Their bytes are counted, and the instants continue from theirs.
  public var redirectCount: Int {
    get { contents.value.redirectCount }
    set { contents.value.redirectCount = newValue }
  }

  /// A failed attempt.
  public struct Attempt: Sendable, Hashable {
    /// The domain of its error.
    public let domain: String
    /// The code of its error.
    public let code: Int
    /// The duration of the attempt; `nil` if it never began, or the transport does not report it.
    public let duration: Duration?

    /// Creates an attempt.
    ///
    /// - Parameters:
    ///   - domain: the domain of its error: the name of a ``NetworkError/Domain``.
    ///   - code: the code of its error.
    ///   - duration: the duration of the attempt. Default: unknown.
    public init(domain: String, code: Int, duration: Duration? = nil) {
      self.domain = domain
      self.code = code
      self.duration = duration
    }
  }

  /// The stored values.
  struct Contents: Sendable, Hashable {
    var startedAt: Duration?
    var resolvedAt: Duration?
    var connectedAt: Duration?
    var securedAt: Duration?
    var sentAt: Duration?
    var firstByteAt: Duration?
    var endedAt = Duration.zero
    var sentByteCount = 0
    var receivedByteCount = 0
    var isConnectionReused: Bool?
    var protocolVersion: String?
    var resendCount = 0
    var earlierAttempts: [Attempt] = []
    var redirectCount = 0
  }

  private var contents: CopyOnWrite<Contents>

  /// Creates metrics.
  ///
  /// - Parameter endedAt: the instant at which the exchange ended. Default: zero.
  public init(endedAt: Duration = .zero) { self.init(Contents(endedAt: endedAt)) }

  init(_ contents: Contents) { self.contents = CopyOnWrite(contents) }

  /// Changes several values at once.
  mutating func change(_ change: (inout Contents) -> Void) {
    change(&contents.value)
  }

  /// Returns the metrics with all instants later, as counted from an earlier subscription.
  func delayed(by delay: Duration) -> Metrics {
    func later(_ instant: Duration?) -> Duration? { instant.map { $0 + delay } }
    var result = self
    result.change {
      $0.startedAt = later($0.startedAt)
      $0.resolvedAt = later($0.resolvedAt)
      $0.connectedAt = later($0.connectedAt)
      $0.securedAt = later($0.securedAt)
      $0.sentAt = later($0.sentAt)
      $0.firstByteAt = later($0.firstByteAt)
      $0.endedAt += delay
    }
    return result
  }

  /// Returns the sum of the metrics of an exchange and of the one before it, which are a single one for the caller.
  func adding(_ earlier: Metrics) -> Metrics {
    var result = delayed(by: earlier.endedAt)
    result.change {
      $0.sentByteCount += earlier.sentByteCount
      $0.receivedByteCount += earlier.receivedByteCount
      $0.resendCount += earlier.resendCount
      $0.redirectCount += earlier.redirectCount
    }
    return result
  }

  /// Returns whether both have the same values.
  public static func == (left: Metrics, right: Metrics) -> Bool { left.contents.value == right.contents.value }

  /// Hashes all values.
  public func hash(into hasher: inout Hasher) { hasher.combine(contents.value) }
}

extension Metrics: _Summarized {
  /// Duration, byte counts and protocol on one line.
  public var description: String {
    var text = "\(endedAt.milliseconds) ms, sent \(sentByteCount) bytes, received \(receivedByteCount) bytes"
    if let protocolVersion { text += ", \(protocolVersion)" }
    if isConnectionReused == true { text += ", connection reused" }
    if redirectCount > 0 { text += ", redirects: \(redirectCount)" }
    if !earlierAttempts.isEmpty { text += ", attempts: \(earlierAttempts.count + 1)" }
    return text
  }
  /// The values that the transport reported.
  public var customMirror: Mirror {
    let children: KeyValuePairs<String, Any> = [
      "startedAt": startedAt as Any, "resolvedAt": resolvedAt as Any, "connectedAt": connectedAt as Any,
      "securedAt": securedAt as Any, "sentAt": sentAt as Any, "firstByteAt": firstByteAt as Any, "endedAt": endedAt,
      "sentByteCount": sentByteCount, "receivedByteCount": receivedByteCount,
    ]
    return Mirror(self, children: children, displayStyle: .struct)
  }
}
