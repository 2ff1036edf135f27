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

// The settings of a request, of its service, or of the client. They are read in place, because passing the
// configuration would copy it.
extension ClientParts {
  /// Returns the middleware of a request; a cross-origin request skips the middleware of the client or the service.
  func middleware(for resolved: ResolvedRequest) -> [any Middleware] {
    let ofService = resolved.ofService { $0.middleware } ?? []
    let ofRequest = resolved.request.options.middleware
    let ofClient = configuration.middleware
    if ofClient.isEmpty, ofService.isEmpty { return ofRequest }
    if resolved.originTrust == .own { return ofClient + ofService + ofRequest }
    return (resolved.isOwn ? ofClient : ofClient.filter(\.runsForAllOrigins))
      + ofService.filter(\.runsForAllOrigins) + ofRequest
  }

  /// Returns the retry rules of a request.
  func retry(for resolved: ResolvedRequest) -> Retry {
    resolved.request.options.retry ?? resolved.ofService { $0.retry } ?? configuration.retry
  }

  /// Returns the maximum number of retries of a request, without copying the rules.
  func retryLimit(for resolved: ResolvedRequest) -> Int {
    resolved.request.options.retry?.limit ?? resolved.ofService { $0.retry?.limit } ?? configuration.retry.limit
  }
}
