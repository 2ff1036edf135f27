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
/// Only ``request`` is read. The protocol deliberately has no method and header members with defaults: a property of
/// the wrong type, such as `var headers: [String: String]?`, would compile but never be sent.
public protocol Endpoint: RequestConvertible {
  /// The request that is sent for this value.
  var request: Request { get }
}

extension Endpoint {
  /// Returns ``request``.
  public func asRequest() -> Request { request }
}
