public import Foundation

/// The settings by which requests are built.
extension NetworkClient.Configuration {
  /// The URL that relative paths of requests without a service are below.
  ///
  /// Default: `nil`; such requests then need an absolute URL.
  public var baseURL: URL? {
    get { builder.baseURL }
    set { builder.baseURL = newValue }
  }
  /// The header fields of every request that does not set them itself.
  ///
  /// Default: none.
  public var headers: HTTPHeaders {
    get { builder.headers }
    set { builder.headers = newValue }
  }
  /// The idle time-out: the maximum time in which no byte is sent or received, unless a service or a request has its own.
  ///
  /// Default: 60 seconds.
  public var idleTimeout: Duration {
    get { builder.idleTimeout }
    set { builder.idleTimeout = newValue }
  }
  /// The maximum length of responses, head and body, unless a request has its own.
  ///
  /// Default: see ``ResponseLimits``.
  public var limits: ResponseLimits {
    get { builder.limits }
    set { builder.limits = newValue }
  }
  /// The filters that change each request before it is signed, before its service's own filters do.
  ///
  /// Default: none.
  public var filters: [any RequestFilter] {
    get { builder.filters }
    set { builder.filters = newValue }
  }
  /// Whether requests may go over plain http to URLs that are not a service's; to this very machine they always may.
  ///
  /// Default: `false`.
  public var allowsInsecureHTTP: Bool {
    get { builder.allowsInsecureHTTP }
    set { builder.allowsInsecureHTTP = newValue }
  }
  /// The services that requests may name.
  ///
  /// Default: ``ServiceRegistry/shared``.
  public var services: ServiceRegistry {
    get { builder.services }
    set { builder.services = newValue }
  }
  /// The store of the current environment; when that changes, requests in flight to services fail with
  /// ``NetworkError/Code/contextChanged``.
  ///
  /// Default: `nil`; services are then asked for their addresses in ``ServiceEnvironment/release``.
  public var environments: EnvironmentStore? {
    get { builder.environments }
    set { builder.environments = newValue }
  }
  /// Where parameters of requests without a service go.
  ///
  /// Default: ``ParameterPlacement/form``.
  public var placement: ParameterPlacement {
    get { builder.placement }
    set { builder.placement = newValue }
  }
  /// The form of parameters of requests without a service.
  ///
  /// Default: see ``ParameterRules``.
  public var rules: ParameterRules {
    get { builder.rules }
    set { builder.rules = newValue }
  }
  /// The rule that makes URLs of base URLs and paths.
  ///
  /// Default: ``PathAddressAssembler``.
  public var addresses: any AddressAssembler {
    get { builder.addresses }
    set { builder.addresses = newValue }
  }
  /// The origins, besides those of the base URL and the services, to which additions of the client, its services and its account
  /// may go; see ``owns(_:)``.
  ///
  /// Default: none.
  public var trustedOrigins: Set<Origin> {
    get { builder.trustedOrigins }
    set { builder.trustedOrigins = newValue }
  }

  /// Returns whether a URL is of one of the client's own origins, in the current environment.
  ///
  /// Own are the origins of ``baseURL``, of all addresses of all ``services``, and the ``trustedOrigins``. Header fields,
  /// parameters, middleware and signatures of a client, a service or an account go to these only. Without any of them no
  /// origin is own.
  ///
  /// Complexity: O(services).
  /// - Parameter url: An absolute URL.
  /// - Returns: Whether it is own; `false` for a URL that has no ``Origin``.
  public func owns(_ url: URL) -> Bool { builder.owns(url) }
}
