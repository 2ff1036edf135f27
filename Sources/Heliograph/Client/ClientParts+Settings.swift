import Foundation
import Signals

extension NetworkClient.Configuration {
  /// The source of the network status: the configured one, or the default.
  package var chosenReachability: any Reachability {
    if let reachability { return reachability }
    #if os(Linux)
    // Mostly servers, whose routing table does not list all routes.
    return UnwatchedReachability()
    #else
    return transport.usesNetwork ? SystemReachability.shared : UnwatchedReachability()
    #endif
  }

  /// Reports the configuration's notice to the monitors, once per client.
  func introduce() {
    guard let notice, transport.usesNetwork else { return }
    for monitor in monitors { monitor.observe(.notice(notice)) }
  }
}

// The settings of a request: its own, those of its service, or those of the client. They are read in place, because
// passing the configuration would copy it.
extension ClientParts {
  /// Returns a request with its service and the current environment.
  func find(_ request: Request) throws(NetworkError) -> ResolvedRequest {
    try configuration.builder.find(request)
  }

  /// Returns the request of an attempt.
  func build(
    _ resolved: ResolvedRequest, for context: consuming RequestContext, at status: ReachabilityStatus
  ) throws(NetworkError) -> HTTPRequest {
    try configuration.builder.build(resolved, for: context, json: configuration.json, at: status)
  }

  /// Returns the middleware of a request; cross-origin requests skip that of the client or the service.
  func middleware(for resolved: ResolvedRequest) -> [any Middleware] {
    let ofService = resolved.ofService { $0.middleware } ?? []
    let ofRequest = resolved.request.options.middleware
    let ofClient = configuration.middleware
    if ofClient.isEmpty, ofService.isEmpty { return ofRequest }
    if resolved.reach == .own { return ofClient + ofService + ofRequest }
    return (resolved.isOwn ? ofClient : ofClient.filter(\.runsForAllOrigins))
      + ofService.filter(\.runsForAllOrigins) + ofRequest
  }

  /// Returns the deadline of everything done for a request; `nil` without a total timeout.
  func deadline(for resolved: ResolvedRequest) -> Deadline? {
    let duration =
      resolved.request.options.totalTimeout ?? resolved.ofService { $0.totalTimeout } ?? configuration.totalTimeout
    return duration.map { Deadline(after: $0, on: configuration.scheduler) }
  }

  /// Returns whether a request waits for a network.
  func waitsForConnectivity(_ resolved: ResolvedRequest) -> Bool {
    resolved.request.options.waitsForConnectivity ?? resolved.ofService { $0.waitsForConnectivity }
      ?? configuration.waitsForConnectivity
  }

  /// Returns the retry rules of a request.
  func retry(for resolved: ResolvedRequest) -> Retry {
    resolved.request.options.retry ?? resolved.ofService { $0.retry } ?? configuration.retry
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
    let own = resolved.request.options.statedStages
    if !resolved.hasService, own == nil, resolved.request.options.json == nil {
      return ResponseReader(stages, request: request)
    }
    var merged = configuration.stages
    if resolved.hasService, let service = resolved.service { merged = merged.replaced(by: service.stages) }
    if let own { merged = merged.replaced(by: own.value) }
    let json = resolved.request.options.json ?? resolved.ofService { $0.json } ?? configuration.json
    return ResponseReader(stages: merged, request: request, json: json)
  }

  /// Returns the record that reports one request to the monitors; `nil` without monitors.
  func makeRecord(_ traits: RequestTraits) -> RequestRecord? {
    if configuration.monitors.isEmpty { return nil }
    return RequestRecord(
      traits.id ?? .next(), configuration.monitors, configuration.scheduler, isStreamed: traits.isStreamed)
  }
}
