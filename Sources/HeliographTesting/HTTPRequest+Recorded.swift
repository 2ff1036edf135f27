public import Foundation
public import Heliograph

/// Properties of recorded requests, for assertions.
extension HTTPRequest {
  /// The body as bytes; empty for an unreadable file, and for a stream that no stub has read.
  ///
  /// A file is read at each access, so its bytes are those of now and not of the upload.
  public var bodyData: Data {
    switch body {
    case .data(let data): data
    case .file(let url): (try? Data(contentsOf: url)) ?? Data()
    case .empty, .stream: Data()
    }
  }

  /// The body decoded as UTF-8; invalid bytes become U+FFFD.
  public var bodyText: String { String(decoding: bodyData, as: UTF8.self) }

  /// Decodes the body from JSON.
  ///
  /// - Parameters:
  ///   - type: The type to decode.
  ///   - coding: The rules for JSON. Default: ``/Heliograph/JSONCoding``, as for a client.
  /// - Returns: The decoded value.
  /// - Throws: A `DecodingError` if the body cannot be decoded.
  public func decode<Value: Decodable>(as type: Value.Type, coding: JSONCoding = JSONCoding()) throws -> Value {
    try coding.decode(type, from: bodyData, userInfo: [:])
  }
}

extension LoopbackRequest {
  /// Decodes the body from JSON, as `decode(as:coding:)` of a request to a stub does.
  public func decode<Value: Decodable>(as type: Value.Type, coding: JSONCoding = JSONCoding()) throws -> Value {
    try coding.decode(type, from: body, userInfo: [:])
  }
}
