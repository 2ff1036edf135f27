import Foundation
import Signals

extension NetworkClient.Configuration {
  /// The source of the network status: the configured one, or the default.
  package var effectiveReachability: any Reachability {
    if let reachability { return reachability }
    #if os(Linux)
    // On a server, the routing table often does not list all routes.
    return UnwatchedReachability()
    #else
    return transport.usesNetwork ? SystemReachability.shared : UnwatchedReachability()
    #endif
  }

  /// Reports the configuration's notice to the monitors, once per client.
  func reportNotice() {
    guard let notice, transport.usesNetwork else { return }
    for monitor in monitors { monitor.observe(.notice(notice)) }
  }
}

// The settings of a request: its own, those of its service, or those of the client. They are read in place, because
// passing the configuration would copy it.
extension ClientParts {
  /// Returns a request with its service and the current environment.
  func resolve(_ request: Request) throws(NetworkError) -> ResolvedRequest {
    try configuration.builder.resolve(request)
  }

  /// Returns the request of an attempt.
  func build(
    _ resolved: ResolvedRequest, for context: RequestContext, at status: ReachabilityStatus
  ) throws(NetworkError) -> HTTPRequest {
    try configuration.builder.build(resolved, for: context, json: configuration.json, at: status)
  }

  /// Returns the middleware of a request; cross-origin requests skip that of the client or the service.
  func middleware(for resolved: ResolvedRequest) -> [any Middleware] {
    let ofService = resolved.service?.middleware ?? []
    let ofRequest = resolved.request.options.middleware
    let ofClient = configuration.middleware
    if ofClient.isEmpty, ofService.isEmpty { return ofRequest }
    if resolved.originTrust == .own { return ofClient + ofService + ofRequest }
    return (resolved.isOwn ? ofClient : ofClient.filter(\.runsForAllOrigins))
      + ofService.filter(\.runsForAllOrigins) + ofRequest
  }

  /// Returns the deadline of a request and all of its attempts; `nil` without a total timeout.
  func deadline(for resolved: ResolvedRequest) -> Deadline? {
    let duration =
      resolved.request.options.totalTimeout ?? resolved.service?.totalTimeout ?? configuration.totalTimeout
    return duration.map { Deadline(after: $0, on: configuration.scheduler) }
  }

  /// Returns whether a request waits for a network.
  func waitsForConnectivity(_ resolved: ResolvedRequest) -> Bool {
    resolved.request.options.waitsForConnectivity ?? resolved.service?.waitsForConnectivity
      ?? configuration.waitsForConnectivity
  }

  func retry(for resolved: ResolvedRequest) -> Retry {
    resolved.request.options.retry ?? resolved.service?.retry ?? configuration.retry
  }

  /// Returns the cache policy of a request; streamed bodies bypass the cache.
  func cachePolicy(for resolved: ResolvedRequest, isStreamed: Bool) throws(NetworkError) -> CachePolicy {
    let policy = configuration.builder.cachePolicy(for: resolved)
    if !isStreamed { return policy }
    if policy.mode != .onlyIfCached { return .none }
    throw NetworkError(.notCached, reason: "streamed responses are not cached")
  }

  /// Returns the reader that validates and decodes the response to a request.
  func reader(for resolved: ResolvedRequest, _ request: HTTPRequest) -> ResponseReader {
    var stages = configuration.stages
    if let service = resolved.service { stages = stages.replaced(by: service.stages) }
    if let own = resolved.request.options.explicitStages { stages = stages.replaced(by: own) }
    let json = resolved.request.options.json ?? resolved.service?.json ?? configuration.json
    return ResponseReader(stages: stages, request: request, json: json)
  }

  /// Returns the record that reports one request to the monitors; `nil` without monitors.
  func makeRecord(_ traits: RequestTraits) -> RequestRecord? {
    if configuration.monitors.isEmpty { return nil }
    return RequestRecord(
      traits.id ?? .next(), configuration.monitors, configuration.scheduler, isStreamed: traits.isStreamed)
  }
}
