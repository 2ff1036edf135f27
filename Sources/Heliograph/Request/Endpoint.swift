/// An interface of a server: one enumeration for a set of requests, with one case for each.
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
/// It has the members of ``Request``; all but the path have defaults.
public protocol Endpoint: RequestConvertible {
  /// The path below the base URL of the service or the client, or an absolute URL.
  var path: RequestPath { get }
  /// The method.
  ///
  /// Default: `GET`.
  var method: HTTPMethod { get }
  /// The service.
  ///
  /// Default: none; then the client's own base URL counts.
  var service: ServiceID? { get }
  /// The parameters that are added to the query, whatever the method.
  ///
  /// Default: none.
  var query: Parameters { get }
  /// The parameters that are sent in the query or in the body, by method and service.
  ///
  /// Default: none.
  var parameters: Parameters { get }
  /// The header fields; they replace common ones of the same name.
  ///
  /// Default: none.
  var headers: HTTPHeaders { get }
  /// The body.
  ///
  /// Default: the one that the parameters make.
  var body: RequestBody { get }
  /// The settings in which the request differs from its service and its client.
  ///
  /// Default: none.
  var options: RequestOptions { get }
}

extension Endpoint {
  /// `GET`.
  public var method: HTTPMethod { .get }
  /// None: the client's own base URL counts.
  public var service: ServiceID? { nil }
  /// None.
  public var query: Parameters { Parameters() }
  /// None.
  public var parameters: Parameters { Parameters() }
  /// None.
  public var headers: HTTPHeaders { [:] }
  /// The body that the parameters make.
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
