import Foundation

extension NetworkError {
  /// The meaning of a service's own code for an app, independent of the service.
  ///
  /// An envelope's table maps codes to meanings. Define your own as static members.
  public struct Meaning: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name.
    public let rawValue: String

    /// Creates a meaning from a name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// Creates a meaning from a name.
    public init(stringLiteral value: String) {
      rawValue = value
    }

    /// The user has to sign in again.
    public static let needsLogin: Meaning = "needsLogin"
    /// The app has to be updated.
    public static let needsUpdate: Meaning = "needsUpdate"
  }

  /// Decodes the body of the response, which servers send with an unsuccessful status.
  ///
  /// - Parameters:
  ///   - type: the type to decode.
  ///   - coding: the rules for JSON. Default: see ``JSONCoding``.
  /// - Returns: the value.
  /// - Throws: a `processing` error if there is no body or it does not have this type.
  public func decode<Value: Decodable>(
    as type: Value.Type, coding: JSONCoding = JSONCoding()
  ) throws(NetworkError) -> Value {
    guard let response, !response.value.isEmpty else {
      throw NetworkError(.processing, .emptyBody, reason: "the error has no body", request: request, response: response)
    }
    do {
      return try coding.makeDecoder().decode(type, from: response.value)
    } catch {
      throw NetworkError(
        .processing, .unexpectedShape, reason: "the error's body is not \(type)", request: request, response: response,
        underlying: error)
    }
  }
}
