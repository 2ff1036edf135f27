/// A server: its addresses in each environment and the common settings of requests to it.
///
/// Every member except the addresses has a default:
///
/// ```swift
/// struct Shop: Service {
///   let id: ServiceID = "shop"
///   func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
///     URL(string: environment == .release ? "https://shop.example.com" : "https://shop.test.example.com")
///       .map { ServiceAddresses($0) }
///   }
/// }
/// ```
/// Declare a setting with exactly the type that it has here: `let signer: (any Signer)? = …`, `let retry: Retry? = …`,
/// `let middleware: [any Middleware] = …`. With an inferred type, as in `let retry = Retry(limit: 2)`, the property is
/// another one: it compiles, and its value is never used. A client with monitors reports such properties of the
/// structures among its services in a ``MonitorEvent/notice(_:)``.
///
/// Its members are read each time a request is built: on any thread, for the first attempt usually the subscriber's.
/// They must not block. A computed property may return a different value each time, such as the current token.
public protocol Service: Sendable {
  /// The identifier by which requests name the service.
  ///
  /// Default: the name of the type.
  var id: ServiceID { get }
  /// Returns the addresses in an environment; `nil` if there are none: requests to the service then fail with
  /// ``NetworkError/Code/noAddress``.
  ///
  /// In ``ServiceEnvironment/custom`` the address of ``EnvironmentStore`` takes precedence. This member has no default.
  func addresses(in environment: ServiceEnvironment) -> ServiceAddresses?
  /// The default header fields of its requests.
  ///
  /// Default: none.
  var headers: HTTPHeaders { get }
  /// The sets of parameters and header fields that requests can select.
  ///
  /// Default: none.
  var common: [CommonParameters] { get }
  /// The sets added to a request that selects none.
  ///
  /// Default: all, in the order of ``common``.
  var defaultCommon: [CommonParameters.Name] { get }
  /// Where parameters are placed in a request.
  ///
  /// Default: ``ParameterPlacement/form``.
  var placement: ParameterPlacement { get }
  /// The rules by which parameters are serialized.
  ///
  /// Default: see ``ParameterRules``.
  var parameterRules: ParameterRules { get }
  /// The idle timeout of its requests: the maximum time without a byte sent or received.
  ///
  /// Default: `nil`, the client's setting applies.
  var idleTimeout: Duration? { get }
  /// Whether its requests wait for a network; see ``NetworkClient/Configuration/waitsForConnectivity``.
  ///
  /// Default: `nil`, the client's setting applies.
  var waitsForConnectivity: Bool? { get }
  /// The network costs that its requests may incur; see ``RequestOptions/allowedCosts``.
  ///
  /// Default: `nil`, the client's setting applies.
  var allowedCosts: NetworkCosts? { get }
  /// The total timeout of its requests; see ``RequestOptions/totalTimeout``.
  ///
  /// Default: `nil`, the client's setting applies.
  var totalTimeout: Duration? { get }
  /// The filters that change each request before it is signed.
  ///
  /// Default: none.
  var filters: [any RequestFilter] { get }
  /// The signer of its requests; it signs each attempt anew.
  ///
  /// Default: `nil`, no signature.
  var signer: (any Signer)? { get }
  /// The middleware of its requests.
  ///
  /// Default: none.
  var middleware: [any Middleware] { get }
  /// The stages that validate and read its responses.
  ///
  /// Default: none of its own; the client's stages apply.
  var stages: Stages { get }
  /// The JSON rules for bodies, parameters and responses.
  ///
  /// Default: `nil`, the client's setting applies.
  var json: JSONCoding? { get }
  /// The app's own user-facing messages for errors of the service's requests, by code.
  ///
  /// They take precedence over the client's messages. Default: none.
  var messages: [NetworkError.Code: String] { get }
  /// The rules for retries of its requests.
  ///
  /// Default: `nil`, the client's setting applies.
  var retry: Retry? { get }
  /// The cache policy of its requests.
  ///
  /// It applies to safe methods only, and not to requests with a signer of their own. Default: ``CachePolicy/default``,
  /// the client's policy applies.
  var cache: CachePolicy { get }
  /// The names of query and form parameters that are ignored when requests are compared: by the cache, by coalescing and
  /// by a download that is resumed; those of a query also by a background session.
  ///
  /// For parameters that differ in each request, such as a timestamp. Cache and background session also ignore the
  /// fields that an ``HMACSigner`` as ``signer`` adds to the query. Default: none.
  var ignoredParameters: Set<String> { get }
  /// Returns whether plain HTTP is allowed in an environment; it is always allowed to the local machine.
  ///
  /// Default: `false`.
  func allowsInsecureHTTP(in environment: ServiceEnvironment) -> Bool
}

extension Service {
  /// The default: the name of the type.
  public var id: ServiceID { ServiceID(rawValue: String(describing: Self.self)) }
  /// The default: none.
  public var headers: HTTPHeaders { [:] }
  /// The default: none.
  public var common: [CommonParameters] { [] }
  /// The default: all sets, in the order of ``Service/common``.
  public var defaultCommon: [CommonParameters.Name] { common.map(\.name) }
  /// The default: ``ParameterPlacement/form``.
  public var placement: ParameterPlacement { .form }
  /// The default rules; see ``ParameterRules``.
  public var parameterRules: ParameterRules { ParameterRules() }
  /// The default: the client's setting applies.
  public var idleTimeout: Duration? { nil }
  /// The default: the client's setting applies.
  public var totalTimeout: Duration? { nil }
  /// The default: the client's setting applies.
  public var waitsForConnectivity: Bool? { nil }
  /// The default: the client's setting applies.
  public var allowedCosts: NetworkCosts? { nil }
  /// The default: none.
  public var filters: [any RequestFilter] { [] }
  /// The default: no signature.
  public var signer: (any Signer)? { nil }
  /// The default: none.
  public var middleware: [any Middleware] { [] }
  /// The default: none of its own; the client's stages apply.
  public var stages: Stages { Stages() }
  /// The default: the client's setting applies.
  public var json: JSONCoding? { nil }
  /// The default: none.
  public var messages: [NetworkError.Code: String] { [:] }
  /// The default: the client's setting applies.
  public var retry: Retry? { nil }
  /// The default: the client's policy applies.
  public var cache: CachePolicy { .default }
  /// The default: none.
  public var ignoredParameters: Set<String> { [] }
  /// Returns the default: `false`.
  public func allowsInsecureHTTP(in environment: ServiceEnvironment) -> Bool { false }
}
