/// What an exchange cost: when it came how far, and how much went over the wire.
///
/// Instants are counted from the subscription, on a clock that never goes back. What a transport cannot tell is `nil`:
/// `URLSession` on Linux reports neither connections nor phases. Requirement S1-12.
public struct Metrics: Sendable, Hashable {
  /// When it left the transport's queue and its work began.
  public var startedAt: Duration? {
    get { box.contents.startedAt }
    set { change { $0.startedAt = newValue } }
  }
  /// When the host's address was known; with a kept connection, about ``startedAt``.
  public var resolvedAt: Duration? {
    get { box.contents.resolvedAt }
    set { change { $0.resolvedAt = newValue } }
  }
  /// When the connection was made.
  public var connectedAt: Duration? {
    get { box.contents.connectedAt }
    set { change { $0.connectedAt = newValue } }
  }
  /// When the TLS handshake was done; `nil` without TLS and with a kept connection.
  public var securedAt: Duration? {
    get { box.contents.securedAt }
    set { change { $0.securedAt = newValue } }
  }
  /// When the request was about to be sent.
  public var sentAt: Duration? {
    get { box.contents.sentAt }
    set { change { $0.sentAt = newValue } }
  }
  /// When the first byte of the response had come.
  public var firstByteAt: Duration? {
    get { box.contents.firstByteAt }
    set { change { $0.firstByteAt = newValue } }
  }
  /// When the exchange ended, in whatever way.
  public var endedAt: Duration {
    get { box.contents.endedAt }
    set { change { $0.endedAt = newValue } }
  }
  /// How many bytes were sent: head and body.
  public var sentByteCount: Int {
    get { box.contents.sentByteCount }
    set { change { $0.sentByteCount = newValue } }
  }
  /// How many bytes came: head and body, as they were on the wire, before a content coding was undone.
  public var receivedByteCount: Int {
    get { box.contents.receivedByteCount }
    set { change { $0.receivedByteCount = newValue } }
  }
  /// Whether a connection was used that an earlier exchange had left.
  public var isConnectionReused: Bool? {
    get { box.contents.isConnectionReused }
    set { change { $0.isConnectionReused = newValue } }
  }
  /// The protocol: `HTTP/1.0`, `HTTP/1.1`, `HTTP/2` or `HTTP/3`.
  public var protocolVersion: String? {
    get { box.contents.protocolVersion }
    set { change { $0.protocolVersion = newValue } }
  }
  /// How many times the request was sent again because a kept connection turned out to be closed.
  public var resendCount: Int {
    get { box.contents.resendCount }
    set { change { $0.resendCount = newValue } }
  }
  /// The tries before this one, which failed and after which the request was built and sent anew; the first is the first.
  ///
  /// Instants and bytes are those of the last try alone.
  public var earlierAttempts: [Attempt] {
    get { box.contents.earlierAttempts }
    set { change { $0.earlierAttempts = newValue } }
  }
  /// How many redirects were followed before; their bytes are counted, and instants go on from theirs.
  public var redirectCount: Int {
    get { box.contents.redirectCount }
    set { change { $0.redirectCount = newValue } }
  }

  /// A try that failed.
  public struct Attempt: Sendable, Hashable {
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

  /// What it holds, apart: as one word it is cheap to hand on, from stage to stage.
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

  private final class Box: Sendable {
    let contents: Contents

    init(_ contents: Contents) { self.contents = contents }
  }

  private var box: Box

  /// Makes metrics.
  ///
  /// - Parameter endedAt: when the exchange ended. Default: at once.
  public init(endedAt: Duration = .zero) { self.init(Contents(endedAt: endedAt)) }

  init(_ contents: Contents) { box = Box(contents) }

  /// Changes several at once.
  mutating func change(_ change: (inout Contents) -> Void) {
    var contents = box.contents
    change(&contents)
    box = Box(contents)
  }

  /// The same with all instants later: counted from an earlier subscription.
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

  /// The metrics of an exchange and of the one before it, whose redirect it follows.
  func following(_ earlier: Metrics) -> Metrics {
    var result = adding(earlier)
    result.redirectCount = earlier.redirectCount + 1
    return result
  }

  /// The metrics of an exchange and of the one before it, both of which are one for its caller.
  func adding(_ earlier: Metrics) -> Metrics {
    var result = delayed(by: earlier.endedAt)
    result.change {
      $0.sentByteCount += earlier.sentByteCount
      $0.receivedByteCount += earlier.receivedByteCount
      $0.resendCount += earlier.resendCount
    }
    return result
  }

  /// Whether both say the same.
  public static func == (left: Metrics, right: Metrics) -> Bool { left.box.contents == right.box.contents }

  /// Hashes all that it says.
  public func hash(into hasher: inout Hasher) { hasher.combine(box.contents) }
}
