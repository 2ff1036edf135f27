public import Foundation

/// A decoder of response bodies in JSON or any other format of a service.
public protocol BodyDecoder: Sendable {
  /// Decodes a body.
  ///
  /// - Parameters:
  ///   - type: the type to decode.
  ///   - body: the bytes; never empty.
  ///   - userInfo: entries to add to the `userInfo` of the `Decoder`, where the envelope is found.
  /// - Returns: the value.
  /// - Throws: preferably a `DecodingError`, which contains the coding path of the problem.
  func decode<Value: Decodable>(
    _ type: Value.Type, from body: Data, userInfo: [CodingUserInfoKey: any Sendable]
  ) throws -> Value
}
