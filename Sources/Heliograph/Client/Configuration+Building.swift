public import Foundation

/// The settings for building requests.
extension NetworkClient.Configuration {
  /// The base URL of relative paths in requests without a service.
  ///
  /// Default: `nil`; such requests then need an absolute URL.
  public var baseURL: URL? {
    get { builder.baseURL }
    set { builder.baseURL = newValue }
  }
  /// The default header fields of requests to the client's own origins; see ``owns(_:)``.
  ///
  /// To other origins, only those are sent that may cross origins in a redirect, such as `User-Agent` and `Accept`.
  /// Default: none.
  public var headers: HTTPHeaders {
    get { builder.headers }
    set { builder.headers = newValue }
  }
  /// The default idle timeout of requests: the maximum time without a byte sent or received.
  ///
  /// Default: 60 seconds.
  public var idleTimeout: Duration {
    get { builder.idleTimeout }
    set { builder.idleTimeout = newValue }
  }
  /// The default total timeout of requests; see ``RequestOptions/totalTimeout``.
  ///
  /// It is measured with ``scheduler``. Default: `nil`, no limit.
  public var totalTimeout: Duration? {
    get { builder.totalTimeout }
    set { builder.totalTimeout = newValue }
  }
  /// The default size limits for the head and the body of a response.
  ///
  /// Default: see ``ResponseLimits``.
  public var limits: ResponseLimits {
    get { builder.limits }
    set { builder.limits = newValue }
  }
  /// The default cache policy of requests.
  ///
  /// It applies to safe methods only, and not to requests with a signer of their own. Default: ``CachePolicy/none``.
  public var cachePolicy: CachePolicy {
    get { builder.cachePolicy }
    set { builder.cachePolicy = newValue }
  }
  /// The filters that change requests to the client's own origins, before the service's own filters and the signature.
  ///
  /// Default: none.
  public var filters: [any RequestFilter] {
    get { builder.filters }
    set { builder.filters = newValue }
  }
  /// Whether plain HTTP is allowed to URLs outside of services; always allowed to the local machine.
  ///
  /// Default: `false`.
  public var allowsInsecureHTTP: Bool {
    get { builder.allowsInsecureHTTP }
    set { builder.allowsInsecureHTTP = newValue }
  }
  /// The network costs that requests may incur; see ``RequestOptions/allowedCosts``.
  ///
  /// Default: ``NetworkCosts/all``.
  public var allowedCosts: NetworkCosts {
    get { builder.allowedCosts }
    set { builder.allowedCosts = newValue }
  }
  /// The services that requests can name.
  ///
  /// Default: ``ServiceRegistry/shared``.
  public var services: ServiceRegistry {
    get { builder.services }
    set { builder.services = newValue }
  }
  /// The store of the current environment.
  ///
  /// When its value changes, requests in flight to services fail with ``NetworkError/Code/contextChanged``. Default:
  /// `nil`; services then use their addresses for ``ServiceEnvironment/release``.
  public var environments: EnvironmentStore? {
    get { builder.environments }
    set { builder.environments = newValue }
  }
  /// The placement of parameters in requests without a service.
  ///
  /// Default: ``ParameterPlacement/form``.
  public var placement: ParameterPlacement {
    get { builder.placement }
    set { builder.placement = newValue }
  }
  /// The rules by which parameters of requests without a service are serialized.
  ///
  /// Default: see ``ParameterRules``.
  public var parameterRules: ParameterRules {
    get { builder.parameterRules }
    set { builder.parameterRules = newValue }
  }
  /// Returns the URL of a request; replaces the default rule, which appends the path to the base URL.
  ///
  /// ```swift
  /// configuration.trustedOrigins = [Origin(host: "ada.example.com")]
  /// configuration.makeURL = { path, _ throws(NetworkError) in
  ///   let address = path.hasPrefix("/") ? "https://ada.example.com\(path)" : path
  ///   guard let url = URL(string: address) else { throw NetworkError(.invalidURL) }
  ///   return url
  /// }
  /// ```
  /// `path` is the path with its query, or an absolute URL. `base` is the base URL of the service or the client; `nil`
  /// if there is none, or for an absolute URL. If the result is not an HTTP URL, the request fails with
  /// ``NetworkError/Code/invalidURL``.
  ///
  /// A request that would get additions fails with ``NetworkError/Code/untrustedOrigin`` if they must not be sent to
  /// the result; see ``owns(_:)``. This concerns every relative path: add the origin to ``trustedOrigins``. A client
  /// without own origins has no additions for any URL, and such a request is sent without them.
  ///
  /// Called for each attempt on any thread, for the first one usually the subscriber's; it must not block. Default:
  /// `nil`.
  public var makeURL: (@Sendable (_ path: String, _ base: URL?) throws(NetworkError) -> URL)? {
    get { builder.makeURL }
    set { builder.makeURL = newValue }
  }
  /// The trusted origins in addition to those of the base URL and the services.
  ///
  /// Additions of the client, its services and its account may be sent to them; see ``owns(_:)``. Default: none.
  public var trustedOrigins: Set<Origin> {
    get { builder.trustedOrigins }
    set { builder.trustedOrigins = newValue }
  }

  /// Returns whether a URL has one of the client's own origins in the current environment.
  ///
  /// Own origins are those of ``baseURL`` and of every address of the ``services``, and the ``trustedOrigins``. Header
  /// fields, parameters, middleware and signatures of a client, a service or an account are sent only to them. Without
  /// any of these settings, there are no own origins.
  ///
  /// Complexity: O(services).
  /// - Parameter url: An absolute URL.
  /// - Returns: Whether its origin is own; `false` for a URL without an ``Origin``.
  public func owns(_ url: URL) -> Bool { builder.owns(url) }
}
