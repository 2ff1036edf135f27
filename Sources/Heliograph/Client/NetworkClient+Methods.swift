public import Foundation
import Signals

/// One call for each method: the value of a response, as ``value(of:as:)-(RequestConvertible,_)`` returns it.
extension NetworkClient {
  /// Sends a `GET` and returns the decoded value of the response.
  ///
  /// - Parameters:
  ///   - path: The path below the base URL, or an absolute URL; interpolated values are escaped.
  ///   - query: The parameters added to the query. Default: none.
  ///   - parameters: The parameters, sent in the query. Default: none.
  ///   - headers: The header fields. Default: the common ones.
  ///   - type: The type to decode.
  /// - Returns: The value.
  /// - Throws: Every failure, including a cancelled task.
  public func get<Output: Decodable & Sendable>(
    _ path: RequestPath, query: Parameters = Parameters(), parameters: Parameters = Parameters(),
    headers: HTTPHeaders = [:], as type: Output.Type
  ) async throws(NetworkError) -> Output {
    try await value(of: Request(.get, path, query: query, parameters: parameters, headers: headers), as: type)
  }

  /// Sends a `POST` and returns the decoded value of the response.
  ///
  /// - Parameters:
  ///   - path: The path below the base URL, or an absolute URL; interpolated values are escaped.
  ///   - query: The parameters added to the query. Default: none.
  ///   - parameters: The parameters, sent as a form unless the placement is another one. Default: none.
  ///   - headers: The header fields. Default: the common ones.
  ///   - body: The body. Default: made from the parameters.
  ///   - type: The type to decode. Default: ``NoContent``, any body.
  /// - Returns: The value.
  /// - Throws: Every failure, including a cancelled task.
  @discardableResult
  public func post<Output: Decodable & Sendable>(
    _ path: RequestPath, query: Parameters = Parameters(), parameters: Parameters = Parameters(),
    headers: HTTPHeaders = [:],
    body: RequestBody = .empty, as type: Output.Type = NoContent.self
  ) async throws(NetworkError) -> Output {
    try await value(
      of: Request(.post, path, query: query, parameters: parameters, headers: headers, body: body), as: type)
  }

  /// Sends a `PUT` and returns the decoded value of the response; the parameters are those of `post`.
  @discardableResult
  public func put<Output: Decodable & Sendable>(
    _ path: RequestPath, query: Parameters = Parameters(), parameters: Parameters = Parameters(),
    headers: HTTPHeaders = [:],
    body: RequestBody = .empty, as type: Output.Type = NoContent.self
  ) async throws(NetworkError) -> Output {
    try await value(
      of: Request(.put, path, query: query, parameters: parameters, headers: headers, body: body), as: type)
  }

  /// Sends a `PATCH` and returns the decoded value of the response; the parameters are those of `post`.
  @discardableResult
  public func patch<Output: Decodable & Sendable>(
    _ path: RequestPath, query: Parameters = Parameters(), parameters: Parameters = Parameters(),
    headers: HTTPHeaders = [:],
    body: RequestBody = .empty, as type: Output.Type = NoContent.self
  ) async throws(NetworkError) -> Output {
    try await value(
      of: Request(.patch, path, query: query, parameters: parameters, headers: headers, body: body), as: type)
  }

  /// Sends a `DELETE` and returns the decoded value of the response; the parameters are those of `get`.
  @discardableResult
  public func delete<Output: Decodable & Sendable>(
    _ path: RequestPath, query: Parameters = Parameters(), parameters: Parameters = Parameters(),
    headers: HTTPHeaders = [:],
    as type: Output.Type = NoContent.self
  ) async throws(NetworkError) -> Output {
    try await value(of: Request(.delete, path, query: query, parameters: parameters, headers: headers), as: type)
  }

  /// Sends a request and returns the decoded value of the response, with the labels of Alamofire's `request`.
  ///
  /// - Parameters:
  ///   - path: The path below the base URL, or an absolute URL; interpolated values are escaped.
  ///   - method: The method. Default: `GET`.
  ///   - query: The parameters added to the query. Default: none.
  ///   - parameters: The parameters, sent in the query or in the body. Default: none.
  ///   - headers: The header fields. Default: the common ones.
  ///   - body: The body. Default: made from the parameters.
  ///   - type: The type to decode.
  /// - Returns: The value.
  /// - Throws: Every failure, including a cancelled task.
  public func request<Output: Decodable & Sendable>(
    _ path: RequestPath, method: HTTPMethod = .get, query: Parameters = Parameters(),
    parameters: Parameters = Parameters(), headers: HTTPHeaders = [:],
    body: RequestBody = .empty, as type: Output.Type
  ) async throws(NetworkError) -> Output {
    try await value(
      of: Request(method, path, query: query, parameters: parameters, headers: headers, body: body), as: type)
  }

  /// The same as ``value(of:as:)-(RequestConvertible,_)``.
  @_disfavoredOverload
  public func request<Output: Decodable & Sendable>(
    _ request: some RequestConvertible, as type: Output.Type
  ) async throws(NetworkError) -> Output {
    try await value(of: request, as: type)
  }

  /// Sends a `GET` and returns body and head of the response, whatever its status; see ``response(for:)-(RequestPath)``.
  public func data(for path: RequestPath) async throws(NetworkError) -> (Data, HTTPResponse) {
    try await data(for: Request(.get, path))
  }

  /// Sends a request and returns body and head of the response, whatever its status, as URLSession does.
  ///
  /// See ``response(for:)-(RequestConvertible)``.
  @_disfavoredOverload
  public func data(for request: some RequestConvertible) async throws(NetworkError) -> (Data, HTTPResponse) {
    let response = try await response(for: request)
    return (response.value, response.head)
  }
}
