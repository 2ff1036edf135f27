/// An interface of a server: one case of an enum for each, and only what differs from the usual is said.
///
/// ```swift
/// enum Shop: Endpoint {
///   case product(id: Int)
///   case order(Cart)
///
///   var path: String {
///     switch self {
///     case .product(let id): "/products/\(id)"
///     case .order: "/orders"
///     }
///   }
///   var method: HTTPMethod { if case .order = self { .post } else { .get } }
///   var body: RequestBody { if case .order(let cart) = self { .json(cart) } else { .empty } }
/// }
/// ```
public protocol Endpoint: RequestConvertible {
  /// A path below the service's address, or an absolute address.
  var path: String { get }
  /// The method.
  ///
  /// Default: `GET`.
  var method: HTTPMethod { get }
  /// Which service it belongs to.
  ///
  /// Default: none; then the client's own base address counts.
  var service: ServiceID? { get }
  /// The parameters.
  ///
  /// Default: none.
  var parameters: Parameters { get }
  /// Header fields; they replace common ones of the same name.
  ///
  /// Default: none.
  var headers: HTTPHeaders { get }
  /// The body.
  ///
  /// Default: what the parameters make.
  var body: RequestBody { get }
  /// How it is to be sent.
  ///
  /// Default: as the service says.
  var options: RequestOptions { get }
}

extension Endpoint {
  /// `GET`.
  public var method: HTTPMethod { .get }
  /// None: the client's own base address counts.
  public var service: ServiceID? { nil }
  /// None.
  public var parameters: Parameters { Parameters() }
  /// None.
  public var headers: HTTPHeaders { [:] }
  /// What the parameters make.
  public var body: RequestBody { .empty }
  /// As the service says.
  public var options: RequestOptions { RequestOptions() }

  /// The same as a request.
  public func asRequest() -> Request {
    Request(
      method, path, service: service, parameters: parameters, headers: headers, body: body, options: options)
  }
}
