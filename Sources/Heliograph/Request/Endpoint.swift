/// An API described by an enumeration with one case per request.
///
/// ```swift
/// enum Shop: Endpoint {
///   case product(id: Int)
///   case order(Cart)
///
///   var path: RequestPath {
///     switch self {
///     case .product(let id): "/products/\(id)"
///     case .order: "/orders"
///     }
///   }
///   var method: HTTPMethod { if case .order = self { .post } else { .get } }
///   var body: RequestBody { if case .order(let cart) = self { .json(cart) } else { .empty } }
/// }
/// ```
/// Its members are those of ``Request``. All except the path have defaults.
public protocol Endpoint: RequestConvertible {
  /// The path below the base URL of the service or the client, or an absolute URL.
  var path: RequestPath { get }
  /// The method.
  ///
  /// Default: `GET`.
  var method: HTTPMethod { get }
  /// The service.
  ///
  /// Default: none; the client's own base URL applies.
  var service: ServiceID? { get }
  /// The parameters added to the query, whatever the method.
  ///
  /// Default: none.
  var query: Parameters { get }
  /// The parameters sent in the query or in the body, depending on method and service.
  ///
  /// Default: none.
  var parameters: Parameters { get }
  /// The header fields; they replace common fields of the same name.
  ///
  /// Default: none.
  var headers: HTTPHeaders { get }
  /// The body.
  ///
  /// Default: the body made from the parameters.
  var body: RequestBody { get }
  /// The settings that override those of the service and the client.
  ///
  /// Default: none.
  var options: RequestOptions { get }
}

extension Endpoint {
  /// `GET`.
  public var method: HTTPMethod { .get }
  /// None: the client's own base URL applies.
  public var service: ServiceID? { nil }
  /// None.
  public var query: Parameters { Parameters() }
  /// None.
  public var parameters: Parameters { Parameters() }
  /// None.
  public var headers: HTTPHeaders { [:] }
  /// The body made from the parameters.
  public var body: RequestBody { .empty }
  /// None.
  public var options: RequestOptions { RequestOptions() }

  /// Returns the request with these members.
  public func asRequest() -> Request {
    Request(
      method, path, service: service, query: query, parameters: parameters, headers: headers, body: body,
      options: options)
  }
}
