import Foundation

extension String {
  /// Creates the text of a body in an encoding, with U+FFFD for each invalid byte.
  ///
  /// A body that is invalid in the encoding, but valid UTF-8, is UTF-8: its label is wrong. Any other is divided.
  init(_ body: Data, in encoding: String.Encoding, conversionLimit: Int = 200_000) {
    if let text = body.text(in: encoding) {
      self = text
      return
    }
    var text = DamagedText(encoding, conversionLimit)
    if !text.isASCII, let utf8 = String(validating: body, as: UTF8.self) {
      self = utf8
    } else {
      text.append(body)
      self = text.text
    }
  }
}

/// The text of a body that is invalid in its encoding: parts are divided until they are valid, or are one word.
private struct DamagedText {
  private(set) var text = ""
  private let encoding: String.Encoding
  /// Whether the encoding has bytes of ASCII only, whose meaning depends on those before in their line: ISO-2022-JP.
  let isASCII: Bool
  /// The bytes that may end a part: a line, or else a word, because no character of several bytes contains one below
  /// 0x30.
  private let ends: ClosedRange<UInt8>
  /// The number of conversions after which the rest is taken for UTF-8, because it would take too long.
  private var conversionLimit: Int

  init(_ encoding: String.Encoding, _ conversionLimit: Int) {
    self.encoding = encoding
    self.conversionLimit = conversionLimit
    isASCII = encoding.rawValue == 0x8000_0820
    ends = isASCII ? 0x0A...0x0A : 0x00...0x2F
  }

  mutating func append(_ part: Data) {
    if let valid = convert(part) {
      text += valid
    } else if conversionLimit <= 0 {
      text += String(decoding: part, as: UTF8.self)
    } else if let middle = middle(of: part) {
      append(part[..<middle])
      append(part[middle...])
    } else {
      appendCharacters(of: part)
    }
  }

  /// Returns the end of a word near the middle; `nil` if the part is one word.
  private func middle(of part: Data) -> Int? {
    let middle = part.startIndex + part.count / 2
    let next =
      part[middle...].dropLast().firstIndex { ends.contains($0) } ?? part[..<middle].lastIndex { ends.contains($0) }
    return next.map { $0 + 1 }
  }

  private mutating func appendCharacters(of word: Data) {
    var rest = word
    while !rest.isEmpty, conversionLimit > 0 {
      var count = 1
      var character: String?
      while character == nil, count <= min(4, rest.count) {
        character = convert(rest.prefix(count))
        if character == nil { count += 1 }
      }
      text += character ?? "\u{FFFD}"
      rest = rest.dropFirst(character == nil ? 1 : count)
    }
    text += String(decoding: rest, as: UTF8.self)
  }

  private mutating func convert(_ part: Data) -> String? {
    conversionLimit -= 1
    return part.text(in: encoding)
  }
}

extension Data {
  /// Returns the text; `nil` if the bytes are invalid in the encoding.
  fileprivate func text(in encoding: String.Encoding) -> String? {
    #if compiler(>=6.2)
    String(data: self, encoding: encoding)
    #else
    // The String of the Foundation of Swift 6.1 on Linux knows a few encodings only.
    NSString(data: self, encoding: encoding.rawValue) as String?
    #endif
  }
}
