import Foundation

extension NetworkError {
  /// Decodes the body of the response, such as the details that a server sends with an error status.
  ///
  /// - Parameters:
  ///   - type: The type to decode.
  ///   - coding: The rules for JSON. Default: see ``JSONCoding``.
  /// - Returns: The value.
  /// - Throws: A `processing` error if there is no body, or if it cannot be decoded as this type.
  public func decode<Value: Decodable>(
    as type: Value.Type, coding: JSONCoding = JSONCoding()
  ) throws(NetworkError) -> Value {
    guard let response, !response.value.isEmpty else {
      throw NetworkError(.emptyBody, reason: "the error has no body", request: request, response: response)
    }
    do {
      return try coding.decode(type, from: response.value, userInfo: [:])
    } catch {
      throw NetworkError(
        .unexpectedShape, reason: "the error's body cannot be decoded as \(type)", request: request, response: response,
        underlying: error)
    }
  }
}
