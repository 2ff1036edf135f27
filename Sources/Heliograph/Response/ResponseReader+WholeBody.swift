import Foundation

/// A result type whose value is the whole body of any content type.
protocol WholeBodyResult {
  /// Creates the value from a body.
  init(wholeBody response: Response<Data>, decoder: any BodyDecoder)
}

extension Data: WholeBodyResult {
  init(wholeBody response: Response<Data>, decoder: any BodyDecoder) { self = response.value }
}

extension NoContent: WholeBodyResult {
  init(wholeBody response: Response<Data>, decoder: any BodyDecoder) { self.init() }
}

extension String: WholeBodyResult {
  init(wholeBody response: Response<Data>, decoder: any BodyDecoder) {
    let type = response.headers["Content-Type"] ?? ""
    // The value of a JSON string is its content; that of other JSON is the text of the body.
    let text = type.isJSONMediaType ? try? decoder.decode(String.self, from: response.value, userInfo: [:]) : nil
    self = text ?? String(response.value, charset: type.mediaTypeParameter("charset")?.lowercased())
  }
}

extension Optional: WholeBodyResult where Wrapped: WholeBodyResult {
  init(wholeBody response: Response<Data>, decoder: any BodyDecoder) {
    let isNull = response.headers["Content-Type"]?.isJSONMediaType == true && response.value.isNullJSON
    self = response.value.isEmpty || isNull ? nil : Wrapped(wholeBody: response, decoder: decoder)
  }
}

extension Data {
  /// Whether the text is `null`, possibly between white space and after a byte order mark.
  fileprivate var isNullJSON: Bool {
    let text = trimmed
    return text.starts(with: "null".utf8) && text.dropFirst(4).trimmed.isEmpty
  }

  private var trimmed: Data { drop { [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) } }
}

extension ResponseReader {
  /// Returns the value that is the whole body; `nil` for any other type.
  ///
  /// Bytes are the body as received, after the envelope has accepted it; any other type is the envelope's payload.
  func wholeBody<Value: Decodable>(_ type: Value.Type, _ response: inout Response<Data>) throws -> Value? {
    guard let whole = type as? any WholeBodyResult.Type else { return nil }
    if let envelope = wrapper {
      guard type is Data.Type else { return nil }
      if !response.value.isEmpty { response = try checkingEnvelope(response, envelope) }
    }
    return whole.init(wholeBody: response, decoder: decoder) as? Value
  }
}
