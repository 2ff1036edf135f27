/// By whose fault something failed, as far as that can be said, and what speaks for it.
///
/// Requirements S1-10, P6.
public struct Attribution: Sendable, Hashable {
  /// Who can be at fault.
  public enum Party: String, Sendable, Hashable, CaseIterable {
    /// The device or the app: it has no network, or asks for what cannot be.
    case client
    /// What lies between the device and the server.
    case path
    /// The server.
    case server
    /// It cannot be told, or nobody is.
    case undetermined
  }

  /// Who is at fault.
  public let party: Party
  /// What was observed; `nil` where no observation was needed to tell.
  public let evidence: Evidence?

  /// Makes an attribution.
  ///
  /// - Parameters:
  ///   - party: who is at fault.
  ///   - evidence: what was observed. Default: nothing.
  public init(_ party: Party, evidence: Evidence? = nil) {
    self.party = party
    self.evidence = evidence
  }
}

extension Attribution: CustomStringConvertible {
  /// The party, and the evidence if there is any, on one line.
  public var description: String { evidence.map { "\(party) (\($0))" } ?? "\(party)" }
}

/// What was observed around an exchange that failed.
public struct Evidence: Sendable, Hashable {
  /// How far an exchange had come.
  public enum Phase: Int, Sendable, Hashable, Comparable {
    /// It had not begun.
    case waiting
    /// The host's address was looked up.
    case resolving
    /// The connection was made.
    case connecting
    /// Its encryption was agreed on.
    case securing
    /// The request was sent.
    case sending
    /// All of the request had been sent, and nothing had come.
    case answering
    /// The response was coming.
    case receiving

    /// Whether one comes before the other.
    public static func < (left: Phase, right: Phase) -> Bool { left.rawValue < right.rawValue }
  }

  /// What is known of other hosts than the one that failed, from the last 30 seconds.
  public enum OtherHosts: Sendable, Hashable {
    /// None was asked.
    case unknown
    /// At least one has answered.
    case answered
    /// Some were asked, and none has answered.
    case failed
  }

  /// Whether there was a network when the exchange began.
  public var reachabilityBefore: ReachabilityStatus
  /// Whether there was one when it failed.
  public var reachabilityAfter: ReachabilityStatus
  /// How far it had come; `nil` if the transport does not say.
  public var phase: Phase?
  /// How many bytes had been sent: head and body.
  public var sentByteCount: Int
  /// How many bytes had come: head and body.
  public var receivedByteCount: Int
  /// Whether other hosts have answered lately.
  public var otherHosts: OtherHosts

  /// Makes evidence.
  ///
  /// - Parameters:
  ///   - reachabilityBefore: whether there was a network at the beginning. Default: not known.
  ///   - reachabilityAfter: whether there was one at the end. Default: not known.
  ///   - phase: how far the exchange had come. Default: not known.
  ///   - sentByteCount: how many bytes had been sent. Default: none.
  ///   - receivedByteCount: how many bytes had come. Default: none.
  ///   - otherHosts: whether others have answered. Default: not known.
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
