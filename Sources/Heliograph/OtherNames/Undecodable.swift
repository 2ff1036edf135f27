// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

// With several overloads the compiler fails to produce a diagnostic for a type that does not exist, such as `API.Usr.self`:
// one that takes anything lets it name the type. Unavailable, it also says what a type that exists lacks.
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
