/// The methods' calls for a path in a variable, which is taken as written: nothing in it is escaped.
extension NetworkClient {
  /// Sends a `GET` to a path that is taken as written and returns the decoded value of the response.
  @_disfavoredOverload
  public func get<Output: Decodable & Sendable>(
    _ path: some StringProtocol, query: Parameters = Parameters(), parameters: Parameters = Parameters(),
    headers: HTTPHeaders = [:],
    as type: Output.Type
  ) async throws(NetworkError) -> Output {
    try await get(RequestPath(String(path)), query: query, parameters: parameters, headers: headers, as: type)
  }

  /// Sends a `POST` to a path that is taken as written and returns the decoded value of the response.
  @_disfavoredOverload
  @discardableResult
  public func post<Output: Decodable & Sendable>(
    _ path: some StringProtocol, query: Parameters = Parameters(), parameters: Parameters = Parameters(),
    headers: HTTPHeaders = [:],
    body: RequestBody = .empty, as type: Output.Type = NoContent.self
  ) async throws(NetworkError) -> Output {
    try await post(
      RequestPath(String(path)), query: query, parameters: parameters, headers: headers, body: body, as: type)
  }

  /// Sends a `PUT` to a path that is taken as written and returns the decoded value of the response.
  @_disfavoredOverload
  @discardableResult
  public func put<Output: Decodable & Sendable>(
    _ path: some StringProtocol, query: Parameters = Parameters(), parameters: Parameters = Parameters(),
    headers: HTTPHeaders = [:],
    body: RequestBody = .empty, as type: Output.Type = NoContent.self
  ) async throws(NetworkError) -> Output {
    try await put(
      RequestPath(String(path)), query: query, parameters: parameters, headers: headers, body: body, as: type)
  }

  /// Sends a `PATCH` to a path that is taken as written and returns the decoded value of the response.
  @_disfavoredOverload
  @discardableResult
  public func patch<Output: Decodable & Sendable>(
    _ path: some StringProtocol, query: Parameters = Parameters(), parameters: Parameters = Parameters(),
    headers: HTTPHeaders = [:],
    body: RequestBody = .empty, as type: Output.Type = NoContent.self
  ) async throws(NetworkError) -> Output {
    try await patch(
      RequestPath(String(path)), query: query, parameters: parameters, headers: headers, body: body, as: type)
  }

  /// Sends a `DELETE` to a path that is taken as written and returns the decoded value of the response.
  @_disfavoredOverload
  @discardableResult
  public func delete<Output: Decodable & Sendable>(
    _ path: some StringProtocol, query: Parameters = Parameters(), parameters: Parameters = Parameters(),
    headers: HTTPHeaders = [:],
    as type: Output.Type = NoContent.self
  ) async throws(NetworkError) -> Output {
    try await delete(RequestPath(String(path)), query: query, parameters: parameters, headers: headers, as: type)
  }

  /// Sends a request to a path that is taken as written and returns the decoded value of the response.
  @_disfavoredOverload
  public func request<Output: Decodable & Sendable>(
    _ path: some StringProtocol, method: HTTPMethod, query: Parameters = Parameters(),
    parameters: Parameters = Parameters(), headers: HTTPHeaders = [:], body: RequestBody = .empty, as type: Output.Type
  ) async throws(NetworkError) -> Output {
    try await request(
      RequestPath(String(path)), method: method, query: query, parameters: parameters, headers: headers, body: body,
      as: type)
  }
}
