import Foundation

extension NetworkError {
  /// What a code of a service's own means for an app, so that it can act on it wherever it comes from.
  ///
  /// An envelope's table gives codes their meanings; name yours as static members. Requirement S0-2.
  public struct Meaning: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name.
    public let rawValue: String

    /// Makes a meaning from a name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// Makes a meaning from a name.
    public init(stringLiteral value: String) {
      rawValue = value
    }

    /// Somebody has to sign in again.
    public static let needsLogin: Meaning = "needsLogin"
    /// The app is too old.
    public static let needsUpdate: Meaning = "needsUpdate"
  }

  /// The body of the response as a value: what servers say beside a status that is no success.
  ///
  /// - Parameters:
  ///   - type: what to decode.
  ///   - coding: The rules for JSON. Default: see ``JSONCoding``.
  /// - Returns: the value.
  /// - Throws: a `processing` error if there is no body, or it is none of that type.
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
        .processing, .unexpectedShape, reason: "the error's body is no \(type)", request: request, response: response,
        underlying: error)
    }
  }
}
