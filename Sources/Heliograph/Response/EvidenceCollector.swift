import Foundation
import Signals

/// A collector of evidence for the attribution of failures: network status and recent responses of hosts.
final class EvidenceCollector: Sendable {
  private struct HostRecord {
    let origin: Origin
    /// The beginning of the host's first URL, up to the path: most URLs of an origin are written alike.
    let prefix: [UInt8]
    let isLocal: Bool
    private(set) var respondedAt: Duration?
    /// The time of the first failure since the last response; `nil` if the last exchange had a response.
    private(set) var failingSince: Duration?
    /// The time of the last response or failure; the record with the earliest one is removed first.
    private(set) var updatedAt = Duration.zero

    mutating func update(hasResponded: Bool, at now: Duration) {
      updatedAt = now
      if hasResponded { (respondedAt, failingSince) = (now, nil) } else { failingSince = failingSince ?? now }
    }

    init?(_ url: URL) {
      guard let origin = Origin(url) else { return nil }
      self.origin = origin
      isLocal = url.isLocal
      let bytes = Array(url.absoluteString.utf8)
      // The slash after the host, which has at least one character.
      let slash = bytes.dropFirst("https://".utf8.count).firstIndex(of: UInt8(ascii: "/"))
      prefix = slash.map { Array(bytes[...$0]) } ?? []
    }

    /// Returns whether an address begins with the prefix, so that it need not be parsed.
    func begins(_ address: UnsafeBufferPointer<UInt8>) -> Bool {
      !prefix.isEmpty && address.count >= prefix.count && prefix.elementsEqual(address.prefix(prefix.count))
    }
  }

  /// The maximum age of evidence: 30 seconds.
  private static let maximumAge = Duration.seconds(30)
  /// The maximum number of records: apps use few hosts, and each lookup compares all of them.
  private static let hostLimit = 8

  private let reachability: any Reachability
  private let scheduler: any SignalScheduler
  private let records = Guarded<[HostRecord]>([])

  init(_ reachability: any Reachability, _ scheduler: any SignalScheduler) {
    self.reachability = reachability
    self.scheduler = scheduler
  }

  /// The instant on a clock that includes sleep, in which the network may change.
  var now: Duration { scheduler.continuousNow }

  /// Returns a `network` error with its attribution; `before` is the network status when the exchange began.
  ///
  /// It is recorded only if `isOfHost`: an error of middleware is no evidence about the host.
  func attributing(
    _ error: NetworkError, since before: ReachabilityStatus, isOfHost: Bool = true
  ) -> NetworkError {
    guard error.domain == .network, let request = error.request else { return error }
    // A request to this machine needs no network.
    let isLocal = request.url.isLocal
    // A partial response is also a response. A host to which nothing was sent has not failed.
    let (phase, hasResponded) = (isOfHost ? error.phase : error.measuredPhase, error.response != nil)
    if isOfHost, hasResponded, phase != .waiting, error.assignedParty != .client { record(request.url) }
    let evidence = Evidence(
      reachabilityBefore: isLocal ? .unknown : before, reachabilityAfter: isLocal ? .unknown : reachability.status,
      phase: phase, sentByteCount: error.metrics?.sentByteCount ?? 0,
      receivedByteCount: error.metrics?.receivedByteCount ?? 0, otherHosts: others(than: request.url))
    var error = error
    // The transport may have set a party, for example when a proxy refused the connection.
    let party = error.assignedParty
    error.attribution = party.map { Attribution($0, evidence: evidence) } ?? Attribution(error.code, evidence)
    // Neither has one whose exchange the client itself has ended.
    // A connection to a host with an untrusted certificate was established.
    if isOfHost, !hasResponded, phase != .waiting, error.attribution.party != .client,
      error.code != .untrustedCertificate
    {
      record(request.url, hasResponded: false)
    }
    return error
  }

  /// Records that a host has sent a response, of any status, or has failed.
  func record(_ url: URL, hasResponded: Bool = true) {
    let now = now
    var address = url.absoluteString
    records.withLock { records in
      // Usually there is an entry, and no string is copied.
      let indices = records.indices
      let alike = address.withUTF8 { address in indices.first { records[$0].begins(address) } }
      if let index = alike ?? indices.first(where: { records[$0].origin.matches(url) }) {
        return records[index].update(hasResponded: hasResponded, at: now)
      }
      guard var new = HostRecord(url) else { return }
      new.update(hasResponded: hasResponded, at: now)
      records.append(new)
      if records.count <= EvidenceCollector.hostLimit { return }
      let oldest = records.indices.min { records[$0].updatedAt < records[$1].updatedAt }
      if let oldest { records.remove(at: oldest) }
    }
  }

  /// Returns the results of the exchanges with other hosts within the maximum age.
  ///
  /// | observation | result |
  /// |---|---|
  /// | another host, or another port of this one with the same scheme, has responded and not failed since | answered |
  /// | another host has begun to fail since this one last responded | failed |
  /// | anything else, such as a host that is blocked while this one responds | unknown |
  ///
  /// The network itself may respond to plain http in place of any host, so that is no evidence for https. This machine
  /// is evidence only for requests to itself, and the failure of another is none for them.
  private func others(than url: URL) -> Evidence.OtherHosts {
    let earliest = now - EvidenceCollector.maximumAge
    let (own, isLocal) = (Origin(url), url.isLocal)
    return records.withLock { records in
      let recent = records.filter { $0.updatedAt >= earliest && (isLocal || !$0.isLocal) }
      let trusted = recent.filter { $0.origin.scheme == "https" || own?.scheme != "https" }
      let hasAnswer = trusted.contains {
        $0.failingSince == nil && $0.origin != own && ($0.origin.host != own?.host || $0.origin.scheme == own?.scheme)
      }
      if hasAnswer { return .answered }
      let ownResponse = trusted.filter { $0.origin.host == own?.host }.compactMap(\.respondedAt).max()
      let hasFailure = recent.contains { other in
        guard other.isLocal == isLocal, other.origin.host != own?.host, let since = other.failingSince else {
          return false
        }
        return ownResponse.map { since > $0 || $0 < earliest } ?? true
      }
      return hasFailure ? .failed : .unknown
    }
  }
}

extension NetworkError {
  /// The phase in which the exchange failed; `nil` if the transport does not report it.
  fileprivate var phase: Evidence.Phase? {
    switch code {
    case .cannotFindHost: return .resolving
    case .cannotConnect: return .connecting
    case .secureConnectionFailed, .untrustedCertificate, .rejectedClientCertificate: return .tlsHandshake
    default: return measuredPhase
    }
  }

  /// The phase by the metrics alone: the code of an error of middleware says nothing about the exchange.
  fileprivate var measuredPhase: Evidence.Phase? { metrics.flatMap { Evidence.Phase($0, of: request) } }
}
