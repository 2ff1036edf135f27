extension Attribution {
  /// Creates the attribution of an error from its code alone.
  ///
  /// | error | party |
  /// |---|---|
  /// | client | client; with an open circuit the server, and for `cancelled` undetermined |
  /// | network | see ``init(_:_:_:)`` |
  /// | server: 407, 511 (RFC 6585 §6) | path |
  /// | server: 408, 429 and other 4xx | client |
  /// | server: all others | server |
  /// | api | undetermined: a rejected operation is not necessarily a fault |
  /// | processing | server; client if the app's own code threw |
  init(_ code: NetworkError.Code) {
    switch code.domain {
    case .client where code == .cancelled: self.init(.undetermined)
    case .client: self.init(code == .circuitOpen ? .server : .client)
    case .network: self.init(code, Evidence())
    case .server where code.number == 407 || code.number == 511: self.init(.path)
    case .server: self.init((400..<500).contains(code.number) ? .client : .server)
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
  /// | the server rejected the client's certificate, or the response exceeds the request's limit | client |
  /// | timed out in the client's own queue | client |
  /// | the response is invalid: not HTTP, or of a coding that is damaged or was not offered | server |
  /// | the exchange was cancelled, or the transport reports no cause | undetermined |
  /// | other hosts were contacted, and none responded | path |
  /// | idle timeout after the whole request was sent, or while receiving | server |
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
    if isOffline || NetworkError.Code.localCauses.contains(code) { return .client }
    if code == .timedOut, evidence.phase == .waiting { return .client }
    if [.invalidResponse, .undecodableBody].contains(code) { return .server }
    if code == .unknown || code == .network(-999) { return .undetermined }
    if evidence.otherHosts == .failed { return .path }
    // A change of networks breaks connections as well; only a response from another host is evidence.
    guard code == .timedOut else { return evidence.otherHosts == .answered ? .server : .undetermined }
    switch evidence.phase {
    case .awaitingResponse, .receiving: return .server
    case .sending: return evidence.otherHosts == .answered ? .server : .undetermined
    // Without a connection, a response from another host cannot distinguish the path to this host from the server
    // itself.
    default: return .undetermined
    }
  }
}

extension NetworkError.Code {
  /// The codes of local causes: the request's own limits, the client's certificate, and URL loading's codes for a
  /// device without a network or an app with an incomplete setup.
  ///
  /// -1009, -1018, -1019, -1020: not connected, roaming or data not allowed, a call in progress. -1022: App Transport Security;
  /// -995: a background session without a shared container; -1206: no client certificate.
  fileprivate static let localCauses: [NetworkError.Code] = [
    .responseTooLarge, .rejectedClientCertificate, .network(-1009), .network(-1018), .network(-1019), .network(-1020),
    .network(-1022), .network(-995), .network(-1206),
  ]
}
