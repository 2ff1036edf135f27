/// An API described by an enumeration with one case per request.
///
/// ```swift
/// enum Shop: Endpoint {
///   case product(id: Int)
///   case order(Cart)
///
///   var request: Request {
///     switch self {
///     case .product(let id): "/products/\(id)"
///     case .order(let cart): Request(.post, "/orders", body: .json(cart))
///     }
///   }
/// }
/// ```
/// Only ``request`` is read. Method and header fields are deliberately not members with defaults: a property of
/// another type, such as `var headers: [String: String]?`, would compile and never be sent.
public protocol Endpoint: RequestConvertible {
  /// The request.
  var request: Request { get }
}

extension Endpoint {
  /// Returns the request.
  public func asRequest() -> Request { request }
}
