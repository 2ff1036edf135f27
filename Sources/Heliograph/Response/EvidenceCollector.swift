import Foundation
import Signals

/// A collector of evidence for the attribution of failures: network status and recent responses of hosts.
final class EvidenceCollector: Sendable {
  private struct Sighting {
    let origin: Origin
    /// The beginning of its first URL, up to the path: most URLs of an origin are written alike.
    let prefix: [UInt8]
    var answeredAt: Duration?
    var failedAt: Duration?

    /// The time of the last recorded response or failure; the sighting with the earliest one is removed first.
    var heardAt: Duration { max(answeredAt ?? .zero, failedAt ?? .zero) }

    init?(_ url: URL) {
      guard let origin = Origin(url) else { return nil }
      self.origin = origin
      let bytes = Array(url.absoluteString.utf8)
      // The slash after the host, which has a letter at least.
      let slash = bytes.dropFirst("https://".utf8.count).firstIndex(of: UInt8(ascii: "/"))
      prefix = slash.map { Array(bytes[...$0]) } ?? []
    }

    /// Returns whether an address begins with the prefix, so that it need not be parsed.
    func begins(_ address: UnsafeBufferPointer<UInt8>) -> Bool {
      !prefix.isEmpty && address.count >= prefix.count && prefix.elementsEqual(address.prefix(prefix.count))
    }
  }

  /// The maximum age of evidence: 30 seconds.
  private static let memory = Duration.seconds(30)
  /// The maximum number of remembered hosts: apps use few, and each lookup compares all of them.
  private static let hostCount = 8

  private let reachability: any Reachability
  private let scheduler: any SignalScheduler
  private let sightings = Guarded<[Sighting]>([])

  init(_ reachability: any Reachability, _ scheduler: any SignalScheduler) {
    self.reachability = reachability
    self.scheduler = scheduler
  }

  /// Records that a host has responded, whatever the response.
  func noteAnswer(from url: URL) { note(url) { $0.answeredAt = $1 } }

  /// Returns the error with the evidence for its attribution.
  ///
  /// - Parameters:
  ///   - error: The error, with its request and metrics.
  ///   - before: The network status when the exchange began.
  /// - Returns: The error, with an attribution if its domain is `network`.
  func attributing(_ error: NetworkError, since before: ReachabilityStatus) -> NetworkError {
    guard error.domain == .network, let request = error.request else { return error }
    // A request to this machine needs no network.
    let isLocal = request.url.isLocal
    let evidence = Evidence(
      reachabilityBefore: isLocal ? .unknown : before, reachabilityAfter: isLocal ? .unknown : reachability.status,
      phase: error.phase,
      sentByteCount: error.metrics?.sentByteCount ?? 0, receivedByteCount: error.metrics?.receivedByteCount ?? 0,
      otherHosts: others(than: request.url))
    // A partial response is also a response. A host to which nothing was sent has not failed.
    let hasAnswered = error.response != nil
    if evidence.phase != .waiting {
      note(request.url) { if hasAnswered { $0.answeredAt = $1 } else { $0.failedAt = $1 } }
    }
    var error = error
    // The transport may have set a party, for example when a proxy refused the connection.
    let party = error.statedParty
    error.attribution =
      party.map { Attribution($0, evidence: evidence) } ?? Attribution(error.code, evidence)
    return error
  }

  private func note(_ url: URL, _ change: (inout Sighting, Duration) -> Void) {
    let now = scheduler.now
    var address = url.absoluteString
    sightings.withLock { sightings in
      // Usually there is an entry, and no string is copied.
      let known = sightings.indices
      let alike = address.withUTF8 { address in known.first { sightings[$0].begins(address) } }
      if let index = alike ?? known.first(where: { sightings[$0].origin.matches(url) }) {
        return change(&sightings[index], now)
      }
      guard var new = Sighting(url) else { return }
      change(&new, now)
      sightings.append(new)
      if sightings.count <= EvidenceCollector.hostCount { return }
      let oldest = sightings.indices.min { sightings[$0].heardAt < sightings[$1].heardAt }
      if let oldest { sightings.remove(at: oldest) }
    }
  }

  private func others(than url: URL) -> Evidence.OtherHosts {
    let earliest = scheduler.now - EvidenceCollector.memory
    return sightings.withLock { sightings in
      let others = sightings.filter { $0.heardAt >= earliest && !$0.origin.matches(url) }
      if others.contains(where: { $0.answeredAt.map { $0 >= earliest } ?? false }) { return .answered }
      return others.isEmpty ? .unknown : .failed
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
    default: break
    }
    return metrics.flatMap { Evidence.Phase($0, of: request) }
  }
}
