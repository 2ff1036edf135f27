public import Foundation
public import Signals

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

extension NetworkClient {
  /// How a client works: every stage of the way, each with a default.
  public struct Configuration: Sendable {
    /// Makes a wish into a request: with services, environments, common header fields and the time-out.
    ///
    /// Default: see ``RequestBuilder``.
    public var builder: RequestBuilder
    /// Carries requests; redirects are followed around it.
    ///
    /// Default: on Linux a ``CurlTransport`` where there is a libcurl, else a ``URLSessionTransport``.
    public var transport: any Transport
    /// How many redirects are followed for one request; 0 refuses every one.
    ///
    /// Default: 10.
    public var redirectLimit = 10
    /// Changes every request on the way out, before its service's middleware does, and sees what comes back.
    ///
    /// Default: none.
    public var middleware: [any Middleware] = []
    /// Whose requests they are; when it changes, those under way fail with ``NetworkError/Code/worldChanged``.
    ///
    /// Set `nil` in it to sign out. Default: `nil`, no accounts.
    public var account: CurrentValue<String?>?
    /// Where cookies are kept: those of each response are stored there, and those for its address sent with each request.
    ///
    /// Pass `.shared` for the system's, which keeps them on disk. Default: `nil`, no cookies.
    public var cookies: HTTPCookieStorage?
    /// How many exchanges of the client may be under way at once; the others wait in the order of their subscriptions.
    ///
    /// Default: `nil`, as many as the transport lets; see ``TransportSettings/activeLimit``. Requirement S4-5.
    public var activeLimit: Int?
    /// How responses are judged and read, unless a service or a request says otherwise.
    ///
    /// Default: see ``Stages``.
    public var stages = Stages()
    /// The app's own words for errors.
    ///
    /// Default: none.
    public var messages = ErrorMessages()
    /// Where responses are validated and decoded, and where results are delivered.
    ///
    /// Default: `.global`, the system's concurrent queue; never the main thread or a transport's.
    public var processing: any Scheduler = .global
    /// Watch what happens.
    ///
    /// Default: nobody.
    public var monitors: [any Monitor] = []

    /// Makes a configuration; set its properties for all that has no parameter here.
    ///
    /// - Parameters:
    ///   - baseURL: what relative paths are below. Default: none, so without a service only absolute addresses work.
    ///   - headers: header fields of every request that does not set them itself. Default: none.
    ///   - timeout: how long an exchange may be silent. Default: 60 seconds.
    ///   - services: what requests may name. Default: what ``ServiceRegistry/shared`` knows.
    ///   - environments: says which environment is current; when that changes, requests to services that are under way
    ///     fail with ``NetworkError/Code/worldChanged``. Default: none; services are then asked for ``Environment/release``.
    ///   - transport: carries requests. Default: the platform's best, with connections of its own.
    public init(
      baseURL: URL? = nil, headers: HTTPHeaders = [:], timeout: Duration = .seconds(60),
      services: [any Service]? = nil, environments: EnvironmentStore? = nil, transport: (any Transport)? = nil
    ) {
      builder = RequestBuilder(baseURL: baseURL, headers: headers, timeout: timeout)
      if let services { builder.services = ServiceRegistry(services) }
      builder.environments = environments
      (self.transport, notice) = transport.map { ($0, nil) } ?? Self.bestTransport()
    }

    /// Why the default transport is not the one that it should be.
    let notice: String?

    private static func bestTransport() -> (any Transport, notice: String?) {
      #if os(Linux)
        do throws(NetworkError) {
          return (try CurlTransport(), nil)
        } catch {
          return (URLSessionTransport(), "requests go over URLSession, because \(error.reason)")
        }
      #else
        return (URLSessionTransport(), nil)
      #endif
    }
  }
}

extension NetworkClient.Configuration {
  /// What carries the requests of one client: the transport with all that is around it.
  func makeCarrier() -> any Transport {
    var carrier = transport
    if let cookies { carrier = CookieTransport(carrier, storage: cookies) }
    if let activeLimit { carrier = LimitingTransport(carrier, activeLimit: activeLimit) }
    return RedirectingTransport(carrier, limit: redirectLimit)
  }

  /// What carries one request: with the middleware that it passes.
  func carrier(_ carrier: any Transport, for wish: ServiceRequest) -> any Transport {
    let all = middleware + (wish.adding?.middleware ?? []) + wish.request.options.middleware
    return all.isEmpty ? carrier : MiddlewareTransport(carrier, all)
  }

  /// One exchange over the wire and back, as one response.
  func exchange(
    _ request: HTTPRequest, over carrier: any Transport, _ watch: Core.Watch?
  ) -> Signal<Response<Data>, NetworkError> {
    var events = carrier.send(request)
    if let watch { events = events.on(value: { watch($0, request) }) }
    let response = Exchange.gather(events, for: request)
    if monitors.isEmpty { return response }
    return response.on(
      start: { tell(.started(request)) },
      value: { tell(.responded(request, $0.head, bodyByteCount: $0.value.count)) })
  }

  /// Tells the monitors, once for a client, of what its user should know about it.
  func introduce() {
    if let notice, transport is URLSessionTransport { tell(.notice(notice)) }
  }

  private func tell(_ event: MonitorEvent) {
    for monitor in monitors { monitor.observe(event) }
  }

  /// The signal, delivered where responses are looked into.
  func processed<Value>(_ signal: Signal<Value, NetworkError>) -> Signal<Value, NetworkError> {
    signal.observe(on: processing)
  }

  /// What judges and reads the response to a request.
  func reader(for wish: ServiceRequest) -> ResponseReader {
    var stages = stages
    if let service = wish.service { stages = stages.replaced(by: service.stages) }
    if let own = wish.request.options.stages { stages = stages.replaced(by: own) }
    return ResponseReader(stages: stages)
  }

  /// The response, whose failure the monitors are told of; it names its request already.
  func reported(_ response: Signal<Response<Data>, NetworkError>) -> Signal<Response<Data>, NetworkError> {
    monitors.isEmpty && messages.isEmpty ? response : response.mapError(report)
  }

  /// Puts an error in the app's own words, tells the monitors of it and returns it.
  @Sendable
  func report(_ error: NetworkError) -> NetworkError {
    let error = messages.applied(to: error)
    tell(.failed(error))
    return error
  }
}
