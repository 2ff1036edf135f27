import Foundation
import Signals

extension NetworkClient.Configuration {
  /// The source of the network status.
  package var chosenReachability: any Reachability {
    if let reachability { return reachability }
    #if os(Linux)
    // Mostly servers: a routing table does not describe all of their routes.
    return UnwatchedReachability()
    #else
    return transport.usesNetwork ? SystemReachability.shared : UnwatchedReachability()
    #endif
  }

  /// Returns the middleware of a request; cross-origin requests skip that of the client or the service.
  func middleware(for resolved: ResolvedRequest) -> [any Middleware] {
    let ofService = resolved.service?.middleware ?? []
    let ofRequest = resolved.request.options.middleware
    if resolved.reach == .own { return middleware + ofService + ofRequest }
    let ofClient = resolved.isOwn ? middleware : middleware.filter(\.runsForAllOrigins)
    return ofClient + ofService.filter(\.runsForAllOrigins) + ofRequest
  }

  /// Returns the deadline of everything done for a request; `nil` without a total timeout.
  func deadline(for resolved: ResolvedRequest) -> Deadline? {
    let duration = resolved.request.options.totalTimeout ?? resolved.service?.totalTimeout ?? totalTimeout
    return duration.map { Deadline(after: $0, on: scheduler) }
  }

  /// Returns whether a request waits for a network.
  func waitsForConnectivity(_ resolved: ResolvedRequest) -> Bool {
    resolved.request.options.waitsForConnectivity ?? resolved.service?.waitsForConnectivity ?? waitsForConnectivity
  }

  /// Returns the retry rules of a request.
  func retry(for resolved: ResolvedRequest) -> Retry {
    resolved.request.options.retry ?? resolved.service?.retry ?? retry
  }

  /// Returns the recoveries of a request.
  func recoveries(for resolved: ResolvedRequest) -> [Recovery] {
    resolved.request.options.allowsRecovery ? recoveries : []
  }

  /// Returns the reader that validates and decodes the response to a request.
  func reader(for resolved: ResolvedRequest, _ request: HTTPRequest) -> ResponseReader {
    var stages = stages
    if let service = resolved.service { stages = stages.replaced(by: service.stages) }
    if let own = resolved.request.options.statedStages { stages = stages.replaced(by: own) }
    let json = resolved.request.options.json ?? resolved.service?.json ?? json
    return ResponseReader(stages: stages, request: request, json: json)
  }

  /// Reports the configuration's notice to the monitors, once per client.
  func introduce() {
    guard let notice, transport.usesNetwork else { return }
    for monitor in monitors { monitor.observe(.notice(notice)) }
  }

  /// Returns the record that reports one request to the monitors; `nil` without monitors.
  func makeRecord(_ id: RequestID?, isStreamed: Bool) -> RequestRecord? {
    monitors.isEmpty ? nil : RequestRecord(id ?? .next(), monitors, scheduler, isStreamed: isStreamed)
  }
}
