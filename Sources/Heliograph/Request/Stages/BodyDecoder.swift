public import Foundation

/// Makes bodies into values: of JSON, or of whatever a service speaks.
public protocol BodyDecoder: Sendable {
  /// Decodes a body.
  ///
  /// - Parameters:
  ///   - type: what to decode.
  ///   - body: the bytes; never empty.
  ///   - userInfo: what the `Decoder` must have among its own: the envelope is found there.
  /// - Returns: the value.
  /// - Throws: a `DecodingError`, best; it says where in the body the problem is.
  func decode<Value: Decodable>(
    _ type: Value.Type, from body: Data, userInfo: [CodingUserInfoKey: any Sendable]
  ) throws -> Value
}
