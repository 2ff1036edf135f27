/// The party at fault for a failure, if known, and the evidence for it.
public struct Attribution: Sendable, Hashable {
  /// A party that can be at fault.
  public enum Party: String, Sendable, Hashable, CaseIterable {
    /// The device or the app: no network, or an invalid request.
    case client
    /// The network path between the device and the server.
    case path
    /// The server: it failed, or its response is invalid.
    case server
    /// No party, or an unknown one.
    ///
    /// An operation that a service rejects is not necessarily a fault, and a lost connection may have several causes.
    case undetermined
  }

  /// The party at fault.
  public let party: Party
  /// The evidence; `nil` if none was needed.
  public let evidence: Evidence?

  /// Creates an attribution.
  ///
  /// - Parameters:
  ///   - party: The party at fault.
  ///   - evidence: The evidence. Default: none.
  public init(_ party: Party, evidence: Evidence? = nil) {
    self.party = party
    self.evidence = evidence
  }
}

extension Attribution: CustomStringConvertible {
  /// The party and the evidence, if any, on one line.
  public var description: String { evidence.map { "\(party) (\($0))" } ?? "\(party)" }
}

/// The observations around a failed exchange.
public struct Evidence: Sendable, Hashable {
  /// The progress of an exchange.
  public enum Phase: Int, Sendable, Hashable, Comparable {
    /// The exchange was queued and had not started.
    case waiting
    /// The host name was being resolved.
    case resolving
    /// The connection was being established.
    case connecting
    /// The TLS handshake was in progress.
    ///
    /// libcurl 7.88 reports a connection only after the handshake, so a timeout during it is ``connecting``.
    case tlsHandshake
    /// The request was being sent.
    case sending
    /// The request had been sent completely, and no response had been received.
    case awaitingResponse
    /// The response was being received.
    case receiving

    /// Returns whether one phase precedes another.
    public static func < (left: Phase, right: Phase) -> Bool { left.rawValue < right.rawValue }
  }

  /// The results of exchanges with other hosts in the last 30 seconds.
  ///
  /// Those with this machine, such as with a server in the app, count only for requests to this machine, for which
  /// the failures of others do not count.
  public enum OtherHosts: Sendable, Hashable {
    /// Neither of the others: for example, no exchange is known.
    case unknown
    /// At least one other host, or another port of this one, responded and has not failed since.
    case answered
    /// Another host failed, and no host has responded since.
    case failed
  }

  /// The network status when the exchange started.
  public var reachabilityBefore: ReachabilityStatus
  /// The network status when the exchange failed.
  public var reachabilityAfter: ReachabilityStatus
  /// The phase reached; `nil` if the transport does not report it.
  public var phase: Phase?
  /// The number of bytes sent, head and body.
  public var sentByteCount: Int
  /// The number of bytes received, head and body.
  public var receivedByteCount: Int
  /// The results of recent exchanges with other hosts.
  public var otherHosts: OtherHosts

  /// Creates evidence.
  ///
  /// - Parameters:
  ///   - reachabilityBefore: The network status at the start. Default: unknown.
  ///   - reachabilityAfter: The network status at the failure. Default: unknown.
  ///   - phase: The phase reached. Default: unknown.
  ///   - sentByteCount: The number of bytes sent. Default: none.
  ///   - receivedByteCount: The number of bytes received. Default: none.
  ///   - otherHosts: The results of recent exchanges with other hosts. Default: unknown.
  public init(
    reachabilityBefore: ReachabilityStatus = .unknown, reachabilityAfter: ReachabilityStatus = .unknown,
    phase: Phase? = nil, sentByteCount: Int = 0, receivedByteCount: Int = 0, otherHosts: OtherHosts = .unknown
  ) {
    self.reachabilityBefore = reachabilityBefore
    self.reachabilityAfter = reachabilityAfter
    self.phase = phase
    self.sentByteCount = sentByteCount
    self.receivedByteCount = receivedByteCount
    self.otherHosts = otherHosts
  }
}

extension Evidence: CustomStringConvertible {
  /// The observations on one line.
  public var description: String {
    "network before: \(reachabilityBefore), after: \(reachabilityAfter), phase: \(phase.map { "\($0)" } ?? "unknown"), "
      + "sent \(sentByteCount) bytes, received \(receivedByteCount) bytes, other hosts: \(otherHosts)"
  }
}

extension Evidence.Phase {
  /// Creates the phase reached according to the metrics; `nil` if the transport does not report it.
  init?(_ metrics: Metrics, of request: HTTPRequest?) {
    if metrics.startedAt == nil {
      self = .waiting
    } else if metrics.firstByteAt != nil {
      self = .receiving
    } else if Self.hasSentAll(metrics, of: request) {
      self = .awaitingResponse
    } else if metrics.sentAt != nil {
      self = .sending
    } else if metrics.connectedAt != nil {
      self = .tlsHandshake
    } else if metrics.resolvedAt != nil {
      self = .connecting
    } else {
      return nil
    }
  }

  private static func hasSentAll(_ metrics: Metrics, of request: HTTPRequest?) -> Bool {
    if let hasSentAll = metrics.hasSentAll { return hasSentAll }
    guard metrics.sentAt != nil, let byteCount = request?.body.byteCount else { return false }
    // The count includes the head, which has at least one line.
    return metrics.sentByteCount > byteCount
  }

  /// The activity in this phase, for the reason of an error.
  var activity: String {
    switch self {
    case .waiting: "waiting in the queue"
    case .resolving: "resolving the host's name"
    case .connecting: "connecting"
    case .tlsHandshake: "performing the TLS handshake"
    case .sending: "sending the request"
    case .awaitingResponse: "waiting for the head of the response"
    case .receiving: "receiving the response"
    }
  }
}

extension Attribution {
  /// Creates the attribution of an error from its code alone.
  init(_ code: NetworkError.Code) {
    switch code.domain {
    case .client where code == .cancelled: self.init(.undetermined)
    case .client: self.init(code.isOfServer ? .server : .client)
    case .network: self.init(code, Evidence())
    // RFC 6585 §6.
    case .server where code.number == 407 || code.number == 511: self.init(.path)
    case .server: self.init((400..<500).contains(code.number) ? .client : .server)
    // A rejected operation is not necessarily a fault.
    case .api: self.init(.undetermined)
    case .processing: self.init(code == .transformFailed ? .client : .server)
    }
  }

  /// Creates the attribution of an error from its code and the evidence.
  ///
  /// For a `network` error the first matching row applies:
  ///
  /// | observation | party |
  /// |---|---|
  /// | no network before or after | client |
  /// | the server rejected the client's certificate, the response exceeds the request's limit, or the URL's scheme, the app's setup or a file is at fault | client |
  /// | timed out in the client's own queue | client |
  /// | the response is invalid: not HTTP, or of a coding that is damaged or was not offered | server |
  /// | the exchange was cancelled, or the transport reports no cause | undetermined |
  /// | idle timeout after the whole request was sent, or while receiving | server |
  /// | another host failed, and no host has responded since | path |
  /// | refused, reset, unknown host, failed TLS handshake, or idle timeout while sending; other hosts responded | server |
  /// | anything else | undetermined |
  public init(_ code: NetworkError.Code, _ evidence: Evidence) {
    guard code.domain == .network else {
      self.init(code)
      return
    }
    self.init(Attribution.party(of: code, evidence), evidence: evidence)
  }

  private static func party(of code: NetworkError.Code, _ evidence: Evidence) -> Party {
    let isOffline = evidence.reachabilityBefore == .unreachable || evidence.reachabilityAfter == .unreachable
    if isOffline || code.isOffline || code.isLocalCause { return .client }
    if code == .timedOut, evidence.phase == .waiting { return .client }
    if [.invalidResponse, .undecodableBody].contains(code) { return .server }
    if code == .unknown || code == .network(-999) { return .undetermined }
    // Also on a network that has failed meanwhile, which looks the same: a slow server must not be reported as a bad
    // network.
    if code == .timedOut, let phase = evidence.phase, phase >= .awaitingResponse { return .server }
    if evidence.otherHosts == .failed { return .path }
    // Without a connection, a response from another host cannot distinguish the path to this host from the server
    // itself.
    if code == .timedOut, evidence.phase != .sending { return .undetermined }
    // A change of networks breaks connections as well; only a response from another host is evidence.
    return evidence.otherHosts == .answered ? .server : .undetermined
  }
}

extension NetworkError.Code {
  /// Whether a `client` code reports that the server fails or misleads the client.
  fileprivate var isOfServer: Bool {
    [.circuitOpen, .invalidRedirect, .insecureRedirect, .pageLoop].contains(self)
  }

  /// Whether a code of URL loading says that the device has no network: not connected; roaming or data not allowed; a
  /// call in progress.
  var isOffline: Bool { [-1009, -1018, -1019, -1020].contains(number) }

  /// Whether a `network` code has a lasting local cause: the request's own limits, the client's certificate, or, in URL
  /// loading, an address, an app with an incomplete setup, the service of background sessions, or a file.
  var isLocalCause: Bool {
    switch number {
    // A scheme that is not supported.
    case -1002: true
    // App Transport Security; a background session without a shared container; its service is not reached, or was lost.
    case -1022, -995, -996, -997: true
    // A file cannot be read; a file of a download cannot be created, opened, closed, written, removed or moved.
    case -1102 ... -1100, -3005 ... -3000: true
    default: self == .responseTooLarge || self == .rejectedClientCertificate
    }
  }
}
