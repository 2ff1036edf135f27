// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

// Of several overloads, none fits a type that does not exist, such as `API.Usr.self`, and the compiler fails to produce a
// diagnostic. These overloads take any type, so that it names the missing one. For an existing type, their message says
// which conformance it lacks.
extension NetworkClient {
  @available(*, unavailable, message: "The type must conform to 'Decodable'")
  public func value(of request: some RequestConvertible, as type: Any) async throws(NetworkError) -> Never {
    throw NetworkError(.unknown)
  }

  @available(*, unavailable, message: "The type must conform to 'Decodable'")
  public func value(of request: Request, as type: Any) async throws(NetworkError) -> Never {
    throw NetworkError(.unknown)
  }

  @available(*, unavailable, message: "The type must conform to 'Decodable'")
  public func send(_ request: some RequestConvertible, as type: Any) async throws(NetworkError) -> Never {
    throw NetworkError(.unknown)
  }

  @available(*, unavailable, message: "The type must conform to 'Decodable'")
  public func send(_ request: Request, as type: Any) async throws(NetworkError) -> Never {
    throw NetworkError(.unknown)
  }
}
