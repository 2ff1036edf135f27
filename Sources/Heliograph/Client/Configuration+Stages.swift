import Foundation
import Signals

extension NetworkClient.Configuration {
  /// What carries the requests of one client: the transport with all that is around it, but for middleware and the gate.
  func makeCarrier() -> RedirectingTransport {
    var carrier = transport
    if let cookies {
      let hasIdentities = builder.environments != nil || account != nil
      carrier = hasIdentities ? CookieTransport(bringingJars: carrier) : CookieTransport(carrier, storage: cookies)
    }
    if let activeLimit { carrier = LimitingTransport(carrier, activeLimit: activeLimit) }
    return RedirectingTransport(carrier, limit: redirectLimit, policy: redirects)
  }

  /// Tells whether there is a network.
  package var chosenReachability: any Reachability {
    if let reachability { return reachability }
    #if os(Linux)
    // Mostly a server: its routes out are more than a routing table knows.
    return UnwatchedReachability()
    #else
    return transport.usesNetwork ? SystemReachability.shared : UnwatchedReachability()
    #endif
  }

  /// The middleware that a request passes; what the client and a service add only where it may go.
  func middleware(for resolved: ResolvedRequest) -> [any Middleware] {
    let ofService = resolved.service?.middleware ?? []
    let ofRequest = resolved.request.options.middleware
    if resolved.reach == .own { return middleware + ofService + ofRequest }
    let ofClient = resolved.isOwn ? middleware : middleware.filter { $0.origins == .all }
    return ofClient + ofService.filter { $0.origins == .all } + ofRequest
  }

  /// When all that is done for a request must have ended; `nil` without a total time-out.
  func deadline(for resolved: ResolvedRequest) -> Deadline? {
    let duration = resolved.request.options.totalTimeout ?? resolved.service?.totalTimeout ?? totalTimeout
    return duration.map { Deadline(after: $0, on: clock) }
  }

  /// How often a request is sent again.
  func retry(for resolved: ResolvedRequest) -> Retry {
    resolved.request.options.retry ?? resolved.service?.retry ?? retry
  }

  /// Whether nothing sends a request again; without copying what else a ``Retry`` holds.
  func isTriedOnce(_ resolved: ResolvedRequest) -> Bool {
    let limit = resolved.request.options.retry?.limit ?? resolved.service?.retry?.limit ?? retry.limit
    return limit <= 0 && (recoveries.isEmpty || !resolved.request.options.allowsRecovery)
  }

  /// What puts right why a request fails.
  func recoveries(for resolved: ResolvedRequest) -> [Recovery] {
    resolved.request.options.allowsRecovery ? recoveries : []
  }

  /// What judges and reads the response to a request.
  func reader(for resolved: ResolvedRequest, _ request: HTTPRequest) -> ResponseReader {
    var stages = stages
    if let service = resolved.service { stages = stages.replaced(by: service.stages) }
    if let own = resolved.request.options.stages { stages = stages.replaced(by: own) }
    let json = resolved.request.options.json ?? resolved.service?.json ?? json
    return ResponseReader(stages: stages, request: request, json: json)
  }

  /// Tells the monitors, once for a client, of what its user should know about it.
  func introduce() {
    guard let notice, transport.usesNetwork else { return }
    for monitor in monitors { monitor.observe(.notice(notice)) }
  }

  /// What tells the monitors of one request; `nil` without monitors.
  func makeRecord() -> RequestRecord? { monitors.isEmpty ? nil : RequestRecord(monitors, clock) }
}
