public import Foundation

extension RequestBody {
  /// Returns a value as JSON by an encoder of your own, in place of the rules of client, service and request.
  ///
  /// It is encoded at once. A value that cannot be encoded fails the request with ``NetworkError/Code/invalidBody``.
  /// - Parameters:
  ///   - value: The value.
  ///   - encoder: The encoder.
  /// - Returns: The body, with `Content-Type: application/json`.
  public static func json(_ value: some Encodable, encoder: JSONEncoder) -> RequestBody {
    .json(EncodedJSON(typeName: "\(type(of: value))", result: Result { try encoder.encode(value) }))
  }

  /// Returns a value as JSON by rules of its own, in place of those of client, service and request.
  ///
  /// It is encoded at once. A value that cannot be encoded fails the request with ``NetworkError/Code/invalidBody``.
  /// - Parameters:
  ///   - value: The value.
  ///   - coding: The rules.
  /// - Returns: The body, with `Content-Type: application/json`.
  public static func json(_ value: some Encodable, coding: JSONCoding) -> RequestBody {
    json(value, encoder: coding.makeEncoder())
  }
}

/// A value that has been encoded as JSON, or the error of its encoder.
struct EncodedJSON: Encodable, Sendable {
  let typeName: String
  let result: Result<Data, any Error>

  /// Throws: the bytes are sent as they are, see `RequestBuilder`.
  func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(
      typeName, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "it is encoded already"))
  }
}
