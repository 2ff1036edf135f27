/// A request with the type of its result, so that an API is a set of functions.
///
/// ```swift
/// enum Shop {
///   static func product(_ id: Int) -> TypedRequest<Product> {
///     Request(.get, "/products/\(id)").returning(Product.self)
///   }
/// }
/// let product = try await client.value(of: Shop.product(7))
/// let latest = try await client.value(of: Shop.product(7).with { $0.cache = .reload })
/// ```
public struct TypedRequest<Output>: RequestConvertible {
  private let request: any RequestConvertible
  private let change: (@Sendable (inout RequestOptions) -> Void)?

  /// Creates a typed request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - type: The type to decode the response as.
  public init(_ request: some RequestConvertible, returning type: Output.Type) {
    self.request = request
    change = nil
  }

  fileprivate init(_ request: some RequestConvertible, _ change: @escaping @Sendable (inout RequestOptions) -> Void) {
    self.request = request
    self.change = change
  }

  /// Returns the request without the type.
  ///
  /// - Throws: A `client` error if no request can be created.
  public func asRequest() throws(NetworkError) -> Request {
    var request = try request.asRequest()
    change?(&request.options)
    return request
  }
}

extension RequestConvertible {
  /// Returns a typed request that decodes its response as a type.
  ///
  /// - Parameter type: The type to decode the response as.
  /// - Returns: The typed request.
  public func returning<Result>(_ type: Result.Type) -> TypedRequest<Result> {
    TypedRequest(self, returning: type)
  }

  /// Returns the request with changed options.
  ///
  /// - Parameter change: Changes the options when the request is read.
  /// - Returns: The request, with the same ``Output``.
  public func with(_ change: @escaping @Sendable (inout RequestOptions) -> Void) -> TypedRequest<Output> {
    TypedRequest(self, change)
  }
}
