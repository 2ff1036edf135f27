/// The metrics of an exchange: the instants of its phases, and its byte counts.
///
/// Instants are measured from the subscription, on a monotonic clock. Values that a transport does not report are
/// `nil`: `URLSession` on Linux reports neither connections nor phases.
public struct Metrics: Sendable, Hashable {
  /// The instant at which the exchange left the transport's queue and started.
  public var startedAt: Duration?
  /// The instant at which the host was resolved; on a reused connection, about ``startedAt``.
  public var resolvedAt: Duration?
  /// The instant at which the connection was established.
  public var connectedAt: Duration?
  /// The instant at which the TLS handshake was complete; `nil` without TLS or on a reused connection.
  public var securedAt: Duration?
  /// The instant just before the request was sent.
  public var sentAt: Duration?
  /// The instant at which the first byte of the response arrived.
  public var firstByteAt: Duration?
  /// The instant at which the exchange ended, successfully or not.
  public var endedAt = Duration.zero
  /// The number of bytes sent, of head and body; over `URLSession` on Linux, of the body.
  public var sentByteCount = 0
  /// The number of bytes received, of head and body, as transferred, before content decoding.
  public var receivedByteCount = 0
  /// Whether the exchange reused a connection of an earlier one.
  public var isConnectionReused: Bool?
  /// The version of the protocol: `HTTP/1.0`, `HTTP/1.1`, `HTTP/2` or `HTTP/3`.
  public var protocolVersion: String?
  /// The number of times that the transport itself resent the request.
  ///
  /// A transport does so when a keep-alive connection turns out to be closed, when an HTTP/2 server refuses a request
  /// unprocessed, or to answer a Digest challenge. The byte counts include the exchange with the challenge; those of a
  /// `network` failure are the last exchange's.
  public var resendCount = 0
  /// The number of resends that answered a challenge, with which a server rejects a request.
  @Uncompared var challengeCount = 0
  /// Whether the whole request was sent; `nil` if the transport does not report it.
  @Uncompared var hasSentAll: Bool?
  /// The instant at which the transport read the end of a body that it reads in pieces.
  @Uncompared var bodyEndedAt: Duration?
  /// The failed attempts before this one, oldest first; after each, the request was rebuilt and resent, or a stored
  /// response was delivered.
  ///
  /// At most 64: of a longer series, the first 32 and the last 32. Instants and bytes are those of the last attempt
  /// only.
  public var earlierAttempts: [Attempt] = []
  /// The number of redirects that were followed before the last response.
  ///
  /// The byte counts include them, and the instants are measured from the first exchange.
  public var redirectCount = 0

  /// A failed attempt.
  public struct Attempt: Sendable, Hashable {
    /// The name of the error's ``NetworkError/Domain``.
    public let domain: String
    /// The number of the error's code; -1011 for a service's code that is not a number.
    public let code: Int
    /// The service's code if it is not a number.
    @Uncompared var name: String? = nil
    /// The duration of the attempt; `nil` if it never began, or the transport does not report it.
    public let duration: Duration?

    /// Creates the record of a failed attempt.
    ///
    /// - Parameters:
    ///   - domain: The domain of its error: the name of a ``NetworkError/Domain``.
    ///   - code: The code of its error.
    ///   - duration: The duration of the attempt. Default: unknown.
    public init(domain: String, code: Int, duration: Duration? = nil) {
      self.domain = domain
      self.code = code
      self.duration = duration
    }
  }
}

extension Metrics {
  /// Creates metrics that contain only the end of the exchange.
  ///
  /// - Parameter endedAt: The instant at which the exchange ended. Default: zero.
  public init(endedAt: Duration = .zero) { self.init(startedAt: nil, endedAt: endedAt) }

  /// Returns the metrics with all instants shifted, as counted from an earlier subscription.
  func shifted(by delay: Duration) -> Metrics {
    var result = self
    result.startedAt? += delay
    result.resolvedAt? += delay
    result.connectedAt? += delay
    result.securedAt? += delay
    result.sentAt? += delay
    result.bodyEndedAt? += delay
    result.firstByteAt? += delay
    result.endedAt += delay
    return result
  }

  /// Returns these metrics combined with those of the previous exchange, as one exchange for the caller.
  func adding(_ earlier: Metrics) -> Metrics {
    var result = shifted(by: earlier.endedAt)
    result.sentByteCount += earlier.sentByteCount
    result.receivedByteCount += earlier.receivedByteCount
    result.resendCount += earlier.resendCount
    result.challengeCount += earlier.challengeCount
    result.redirectCount += earlier.redirectCount
    return result
  }
}

extension Metrics: _Summarized {
  /// Duration, byte counts and protocol on one line.
  public var description: String {
    var text = "\(endedAt.inMilliseconds), sent \(sentByteCount) bytes, received \(receivedByteCount) bytes"
    if let protocolVersion { text += ", \(protocolVersion)" }
    if isConnectionReused == true { text += ", connection reused" }
    if redirectCount > 0 { text += ", redirects: \(redirectCount)" }
    if !earlierAttempts.isEmpty {
      text += ", attempts: \(earlierAttempts.count == [Attempt].limit ? "at least " : "")\(earlierAttempts.count + 1)"
    }
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

/// A property that does not count for the equality of its type: one that callers can neither read nor set; without it,
/// a value that a caller makes would never equal one of the library with the same public properties.
@propertyWrapper
struct Uncompared<Value: Sendable>: Sendable, Hashable {
  var wrappedValue: Value

  static func == (left: Uncompared, right: Uncompared) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}

extension Uncompared: CustomDebugStringConvertible {
  /// The value, as the property would be printed without its wrapper.
  var debugDescription: String { String(reflecting: wrappedValue) }
}
