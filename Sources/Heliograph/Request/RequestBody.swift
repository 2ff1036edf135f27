public import Foundation

/// The body of a request.
public enum RequestBody: Sendable {
  /// No explicit body: the parameters, if any, may form it.
  case empty
  /// A value, encoded as JSON with `Content-Type: application/json`.
  case json(any Encodable & Sendable)
  /// Parameters as a form, with `Content-Type: application/x-www-form-urlencoded`.
  case form(Parameters)
  /// Several parts, such as fields and files, with `Content-Type: multipart/form-data`.
  case multipart(Multipart)
  /// Bytes with their content type.
  case data(Data, contentType: String)
  /// A file, read while it is sent.
  case file(URL, contentType: String)
  /// A stream of chunks, which are produced while they are sent.
  case stream(BodyStream, contentType: String)
}

extension RequestBody: _Summarized {
  /// The kind of the body, without its content.
  public var description: String {
    switch self {
    case .empty: "no body"
    case .json(let value): "JSON of \((value as? EncodedJSON)?.typeName ?? "\(type(of: value))")"
    case .form(let parameters): "form \(parameters)"
    case .multipart(let multipart): "multipart, \(multipart.parts.count) parts"
    case .data(let data, let contentType): "\(data.count) bytes of \(contentType.singleLine)"
    case .file(let url, let contentType): "file \(url.lastPathComponent.singleLine) of \(contentType.singleLine)"
    case .stream(_, let contentType): "stream of \(contentType.singleLine)"
    }
  }
}

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
