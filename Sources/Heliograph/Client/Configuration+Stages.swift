import Foundation
import Signals

extension NetworkClient.Configuration {
  /// What carries the requests of one client: the transport with all that is around it, but for middleware and the gate.
  func makeCarrier() -> RedirectingTransport {
    var carrier = transport
    if let cookies {
      let jars = CookieJars(cookies, builder.environments, account)
      carrier = CookieTransport(carrier, jars: jars)
    }
    if let activeLimit { carrier = LimitingTransport(carrier, activeLimit: activeLimit) }
    return RedirectingTransport(carrier, limit: redirectLimit)
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

  /// The middleware that a request passes.
  func middleware(for wish: ServiceRequest) -> [any Middleware] {
    middleware + (wish.adding?.middleware ?? []) + wish.request.options.middleware
  }

  /// How often a request is sent again.
  func retry(for wish: ServiceRequest) -> Retry { wish.request.options.retry ?? wish.service?.retry ?? retry }

  /// What puts right why a request fails.
  func recoveries(for wish: ServiceRequest) -> [Recovery] { wish.request.options.isRecovered ? recoveries : [] }

  /// What judges and reads the response to a request.
  func reader(for wish: ServiceRequest, _ request: HTTPRequest) -> ResponseReader {
    var stages = stages
    if let service = wish.service { stages = stages.replaced(by: service.stages) }
    if let own = wish.request.options.stages { stages = stages.replaced(by: own) }
    return ResponseReader(stages: stages, request: request)
  }

  /// Tells the monitors, once for a client, of what its user should know about it.
  func introduce() {
    if let notice, transport.usesNetwork { tell(.notice(notice)) }
  }

  /// Tells the monitors of what happens.
  func tell(_ event: MonitorEvent) {
    for monitor in monitors { monitor.observe(event) }
  }

  /// Whether somebody wants to know, or has a word to say, when a request fails.
  func cares(about presentation: PresentationStyle?) -> Bool {
    !monitors.isEmpty || !messages.isEmpty || presentation != nil
  }

  /// Puts an error in the app's own words, tells the monitors of it and returns it.
  func report(_ error: NetworkError, _ presentation: PresentationStyle? = nil) -> NetworkError {
    var error = messages.applied(to: error)
    if let presentation { error.presentation = presentation }
    tell(.failed(error))
    return error
  }
}
