/// A server as an app knows it: where it is in each environment, and what all of its requests have in common.
///
/// Every member but the addresses has a default, so a service states only what is special about it:
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
/// Its members are read each time a request is built, on the subscriber's thread: a computed property may give another
/// value each time, such as the token of the day.
public protocol Service: Sendable {
  /// What requests name it by.
  ///
  /// Default: the name of the type.
  var id: ServiceID { get }
  /// Where it is found in an environment; `nil` if it is not there, and then its requests fail.
  ///
  /// In ``ServiceEnvironment/custom`` the address of ``EnvironmentStore`` comes first. It has no default.
  func addresses(in environment: ServiceEnvironment) -> ServiceAddresses?
  /// Header fields of each request that does not set them itself.
  ///
  /// Default: none.
  var headers: HTTPHeaders { get }
  /// Sets of parameters and header fields that requests may select.
  ///
  /// Default: none.
  var common: [CommonParameters] { get }
  /// Which of them a request gets that does not select any.
  ///
  /// Default: all, in the order of ``common``.
  var usualCommon: [CommonParameters.Name] { get }
  /// Where parameters go.
  ///
  /// Default: ``ParameterPlacement/form``.
  var placement: ParameterPlacement { get }
  /// How parameters are written.
  ///
  /// Default: see ``ParameterRules``.
  var rules: ParameterRules { get }
  /// The idle time-out of its requests: the maximum time in which no byte is sent or received.
  ///
  /// Default: `nil`, that of the client.
  var idleTimeout: Duration? { get }
  /// The total time-out of its requests, see ``RequestOptions/totalTimeout``.
  ///
  /// Default: `nil`, what the client says.
  var totalTimeout: Duration? { get }
  /// Change each request before it is signed.
  ///
  /// Default: none.
  var filters: [any RequestFilter] { get }
  /// Signs each request, for every attempt anew.
  ///
  /// Default: `nil`, no signature.
  var signer: (any Signer)? { get }
  /// Changes each request on the way out, and sees what comes back.
  ///
  /// Default: none.
  var middleware: [any Middleware] { get }
  /// How its responses are judged and read, where not as the client has it.
  ///
  /// Default: as the client has it.
  var stages: Stages { get }
  /// The rules for JSON: of bodies, of parameters and of responses.
  ///
  /// Default: `nil`, those of the client.
  var json: JSONCoding? { get }
  /// The app's own user-facing messages for errors of its requests; they come before those of the client.
  ///
  /// Default: none.
  var messages: ErrorMessages { get }
  /// How often its requests are sent again when they fail.
  ///
  /// Default: `nil`, as the client says.
  var retry: Retry? { get }
  /// Whether its requests may go over plain http in an environment; to this very machine they always may.
  ///
  /// Default: `false`.
  func allowsInsecureHTTP(in environment: ServiceEnvironment) -> Bool
}

extension Service {
  /// The name of the type.
  public var id: ServiceID { ServiceID(rawValue: String(describing: Self.self)) }
  /// None.
  public var headers: HTTPHeaders { [:] }
  /// None.
  public var common: [CommonParameters] { [] }
  /// All, in the order of ``Service/common``.
  public var usualCommon: [CommonParameters.Name] { common.map(\.name) }
  /// ``ParameterPlacement/form``.
  public var placement: ParameterPlacement { .form }
  /// See ``ParameterRules``.
  public var rules: ParameterRules { ParameterRules() }
  /// That of the client.
  public var idleTimeout: Duration? { nil }
  /// What the client says.
  public var totalTimeout: Duration? { nil }
  /// None.
  public var filters: [any RequestFilter] { [] }
  /// No signature.
  public var signer: (any Signer)? { nil }
  /// None.
  public var middleware: [any Middleware] { [] }
  /// As the client has it.
  public var stages: Stages { Stages() }
  /// Those of the client.
  public var json: JSONCoding? { nil }
  /// None.
  public var messages: ErrorMessages { ErrorMessages() }
  /// As the client says.
  public var retry: Retry? { nil }
  /// `false`.
  public func allowsInsecureHTTP(in environment: ServiceEnvironment) -> Bool { false }
}
