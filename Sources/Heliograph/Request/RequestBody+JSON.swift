public import Foundation

extension RequestBody {
  /// Returns a JSON body encoded by a custom encoder instead of the rules of client, service and request.
  ///
  /// The value is encoded immediately. If it cannot be encoded, the request fails with
  /// ``NetworkError/Code/invalidBody``.
  /// - Parameters:
  ///   - value: The value to encode.
  ///   - encoder: The encoder of the value.
  /// - Returns: The body, with `Content-Type: application/json`.
  public static func json(_ value: some Encodable, encoder: JSONEncoder) -> RequestBody {
    .json(EncodedJSON(typeName: "\(type(of: value))", result: Result { try encoder.encode(value) }))
  }

  /// Returns a JSON body encoded by the given rules instead of those of client, service and request.
  ///
  /// The value is encoded immediately. If it cannot be encoded, the request fails with
  /// ``NetworkError/Code/invalidBody``.
  /// - Parameters:
  ///   - value: The value to encode.
  ///   - coding: The rules for JSON.
  /// - Returns: The body, with `Content-Type: application/json`.
  public static func json(_ value: some Encodable, coding: JSONCoding) -> RequestBody {
    json(value, encoder: coding.makeEncoder())
  }
}

/// A value that has been encoded as JSON, or the error of its encoder.
struct EncodedJSON: Encodable, Sendable {
  let typeName: String
  let result: Result<Data, any Error>

  /// Always throws: `RequestBuilder` sends the bytes without encoding them again.
  func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(
      typeName, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "it is encoded already"))
  }
}
