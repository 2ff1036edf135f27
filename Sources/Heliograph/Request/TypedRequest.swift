/// A request with the type of its result, so that an API is a set of functions.
///
/// ```swift
/// enum Shop {
///   static func product(_ id: Int) -> TypedRequest<Product> {
///     Request(.get, "/products/\(id)").returning(Product.self)
///   }
/// }
/// let product = try await client.value(of: Shop.product(7))
/// ```
public struct TypedRequest<Output: Decodable & Sendable>: RequestConvertible {
  private let request: any RequestConvertible

  /// Creates a typed request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - type: The type to decode the response as.
  public init(_ request: some RequestConvertible, returning type: Output.Type) {
    self.request = request
  }

  /// Returns the request without the type.
  ///
  /// - Throws: A `client` error if there is none.
  public func asRequest() throws(NetworkError) -> Request { try request.asRequest() }
}

extension RequestConvertible {
  /// Returns a typed request that decodes its response as a type.
  ///
  /// - Parameter type: The type to decode the response as.
  /// - Returns: The typed request.
  public func returning<Output: Decodable & Sendable>(_ type: Output.Type) -> TypedRequest<Output> {
    TypedRequest(self, returning: type)
  }
}

extension String {
  /// Not available: in a literal nothing would be escaped.
  @available(*, unavailable, message: "write Request(.get, …).returning(…), which escapes interpolated values")
  public func returning<Output: Decodable & Sendable>(_ type: Output.Type) -> TypedRequest<Output> {
    TypedRequest(self, returning: type)
  }
}
