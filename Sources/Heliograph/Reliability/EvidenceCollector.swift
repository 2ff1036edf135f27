import Foundation
import Signals

/// Remembers what bears on whose fault a failure is: whether there is a network, and which hosts have answered lately.
final class EvidenceCollector: Sendable {
  private struct Sighting {
    let origin: Origin
    var answeredAt: Duration?
    var failedAt: Duration?

    /// When it was last heard of; the one that was so the longest ago is forgotten first.
    var heardAt: Duration { max(answeredAt ?? .zero, failedAt ?? .zero) }
  }

  /// How long an answer counts: 30 seconds.
  private static let memory = Duration.seconds(30)
  /// Of how many hosts something is remembered: apps talk to few, and each is compared with.
  private static let hostCount = 8

  private let reachability: any Reachability
  private let scheduler: any SignalScheduler
  private let sightings = Guarded<[Sighting]>([])

  init(_ reachability: any Reachability, _ scheduler: any SignalScheduler) {
    self.reachability = reachability
    self.scheduler = scheduler
  }

  /// Notes that a host has answered, whatever it was.
  func noteAnswer(from url: URL) { note(url) { $0.answeredAt = $1 } }

  /// The error with what speaks for its being somebody's fault.
  ///
  /// - Parameters:
  ///   - error: what went wrong, with its request and metrics.
  ///   - before: whether there was a network when the exchange began.
  /// - Returns: the error, with an attribution if it is a `network` one.
  func testify(to error: NetworkError, since before: ReachabilityStatus) -> NetworkError {
    guard error.domain == .network, let request = error.request else { return error }
    // To get to this very machine, no network is needed.
    let isLocal = request.url.isLocal
    let evidence = Evidence(
      reachabilityBefore: isLocal ? .unknown : before, reachabilityAfter: isLocal ? .unknown : reachability.status,
      phase: error.phase,
      sentByteCount: error.metrics?.sentByteCount ?? 0, receivedByteCount: error.metrics?.receivedByteCount ?? 0,
      otherHosts: others(than: request.url))
    // Half an answer is an answer, too; and a host that nothing was sent to has not failed.
    let hasAnswered = error.response != nil
    if evidence.phase != .waiting {
      note(request.url) { if hasAnswered { $0.answeredAt = $1 } else { $0.failedAt = $1 } }
    }
    var error = error
    // A transport may know better, such as that it was a proxy that refused.
    let party = error.statedParty
    error.attribution =
      party.map { Attribution($0, evidence: evidence) } ?? Attribution(error.domain, error.code, evidence)
    return error
  }

  private func note(_ url: URL, _ change: (inout Sighting, Duration) -> Void) {
    let now = scheduler.now
    sightings.withLock { sightings in
      // Nearly always one that is there: no text is copied for it.
      if let index = sightings.firstIndex(where: { $0.origin.matches(url) }) { return change(&sightings[index], now) }
      guard let origin = Origin(url) else { return }
      var new = Sighting(origin: origin)
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
  /// How far its exchange had come; `nil` if the transport does not say.
  fileprivate var phase: Evidence.Phase? {
    switch code {
    case .cannotFindHost: return .resolving
    case .cannotConnect: return .connecting
    case .secureConnectionFailed, .untrustedCertificate, .rejectedClientCertificate: return .securing
    default: break
    }
    return metrics.flatMap { Evidence.Phase($0, of: request) }
  }
}
