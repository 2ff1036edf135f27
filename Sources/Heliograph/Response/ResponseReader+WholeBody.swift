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
    // A JSON string is its content; any other JSON is the text of the body.
    let text = type.isJSONMediaType ? try? decoder.decode(String.self, from: response.value, userInfo: [:]) : nil
    self = text ?? String(response.value, charset: type.charset)
  }
}

extension Optional: WholeBodyResult where Wrapped: WholeBodyResult {
  init(wholeBody response: Response<Data>, decoder: any BodyDecoder) {
    let isNull = response.headers["Content-Type"]?.isJSONMediaType == true && response.value.isNullJSON
    self = response.value.isEmpty || isNull ? nil : Wrapped(wholeBody: response, decoder: decoder)
  }
}

extension Data {
  /// Whether it is `null`, also between white space and after a byte order mark.
  fileprivate var isNullJSON: Bool {
    let blank = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF] as [UInt8]
    let text = drop { blank.contains($0) }
    return text.starts(with: "null".utf8) && text.dropFirst(4).allSatisfy { blank.contains($0) }
  }
}

extension ResponseReader {
  /// Returns the response with the whole body as its value; `nil` for any other type or with an envelope.
  func wholeBody<Value: Decodable>(_ type: Value.Type, _ response: Response<Data>) -> Response<Value>? {
    guard wrapping == nil, let whole = type as? any WholeBodyResult.Type else { return nil }
    return (whole.init(wholeBody: response, decoder: decoder) as? Value).map { response.replacing($0) }
  }
}

extension String {
  /// Creates the text of a body.
  ///
  /// - Parameters:
  ///   - body: The bytes. Invalid UTF-8 becomes U+FFFD.
  ///   - charset: The charset that the content type states, in lower case; UTF-8 unless it is one of Latin-1, Windows-1252,
  ///     UTF-16 or UTF-32.
  fileprivate init(_ body: Data, charset: String?) {
    let encoding: String.Encoding? =
      switch charset {
      case "iso-8859-1", "latin1", "iso_8859-1": .isoLatin1
      case "windows-1252", "cp1252": .windowsCP1252
      case "utf-16": .utf16
      case "utf-16le": .utf16LittleEndian
      case "utf-16be": .utf16BigEndian
      case "utf-32": .utf32
      default: nil
      }
    if let encoding, let text = String(data: body, encoding: encoding) {
      self = text
      return
    }
    // A byte order mark is not part of the text.
    self.init(decoding: body.starts(with: [0xEF, 0xBB, 0xBF]) ? body.dropFirst(3) : body, as: UTF8.self)
  }

  /// The `charset` parameter of a content type, in lower case.
  fileprivate var charset: String? {
    for part in split(separator: ";").dropFirst() {
      let pair = part.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
      if pair.count == 2, pair[0] == "charset" { return pair[1].trimmingCharacters(in: ["\""]) }
    }
    return nil
  }
}
