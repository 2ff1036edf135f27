/// A wrapper for a secret, such as a key or a token, which no description, dump or mirror shows.
package struct Secret<Value: Sendable>: Sendable {
  private let value: Value

  package init(_ value: Value) { self.value = value }

  /// Returns the value, in order to send it or to compute with it.
  package func reveal() -> Value { value }
}

extension Secret: _Summarized {
  package var description: String { "<redacted>" }
}

/// A value whose dumps and debug descriptions show only its description, which omits secrets and contents.
///
/// `dump`, `po` and string interpolation of a container therefore show no secrets either.
public protocol _Summarized: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension _Summarized {
  /// The same as `description`.
  public var debugDescription: String { description }

  /// An empty mirror, so that `dump` shows only the description.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

extension String {
  /// The text on one line, for logs: control and format characters and the separators of lines and paragraphs are
  /// escaped, such as `\n` and `\u{202E}`.
  package var singleLine: String {
    if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return self }
    var text = ""
    for scalar in unicodeScalars {
      if scalar.isInvisible { text += scalar.escaped(asASCII: true) } else { text.unicodeScalars.append(scalar) }
    }
    return text
  }

  /// Whether nothing of the text is visible.
  var isBlank: Bool {
    unicodeScalars.allSatisfy {
      // An empty pattern of Braille is a letter to Unicode.
      $0.properties.isWhitespace || $0.isInvisible || $0.properties.isDefaultIgnorableCodePoint || $0 == "\u{2800}"
    }
  }

  /// The text without control characters other than tabs and line feeds, which could control a terminal.
  var withoutControls: String {
    func isKept(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar.value {
      case 0x09, 0x0A: true
      case 0..<0x20, 0x7F..<0xA0: false
      default: true
      }
    }
    return unicodeScalars.allSatisfy(isKept) ? self : String(String.UnicodeScalarView(unicodeScalars.filter(isKept)))
  }

  /// Returns the text, cut to a length in UTF-8 bytes, with an ellipsis if it is truncated; it is cut between two
  /// characters, or within the first one if that is longer.
  package func shortened(to limit: Int) -> String {
    utf8.count <= limit ? self : self[..<self[...].end(of: limit)] + "…"
  }
}

extension Unicode.Scalar {
  /// Whether this is a control or format character, or a separator of lines or paragraphs.
  package var isInvisible: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}

extension String {
  /// Splits the text into chunks of a maximum length in UTF-8 bytes, between characters; one chunk if it is empty.
  ///
  /// A character that is longer is divided, too, and only a single Unicode scalar may exceed the length.
  package func chunks(of limit: Int) -> [String] {
    var (chunks, rest) = ([String](), self[...])
    while rest.utf8.count > limit {
      var end = rest.end(of: limit)
      if end == rest.startIndex { end = rest.unicodeScalars.index(after: end) }
      chunks.append(String(rest[..<end]))
      rest = rest[end...]
    }
    return rest.isEmpty && !chunks.isEmpty ? chunks : chunks + [String(rest)]
  }
}

extension Substring {
  /// Returns the end of the characters within a number of UTF-8 bytes, or of the Unicode scalars if there are none.
  ///
  /// `limit` is smaller than the length. Complexity: O(limit), also after a character of a million combining marks.
  fileprivate func end(of limit: Int) -> Index {
    var end = utf8.index(startIndex, offsetBy: limit)
    let isContinuation = { (byte: UInt8) in byte & 0xC0 == 0x80 }
    while isContinuation(utf8[end]) { end = utf8.index(before: end) }
    // Whether a character ends there depends on the next scalar, and on none after it.
    let characters = String(self[..<unicodeScalars.index(after: end)]).dropLast()
    return characters.isEmpty ? end : utf8.index(startIndex, offsetBy: characters.utf8.count)
  }
}

extension Duration {
  /// The duration in milliseconds, rounded to a tenth, as a text with its unit for logs.
  var inMilliseconds: String {
    let tenths = (self / .microseconds(100)).rounded()
    guard tenths.isFinite, abs(tenths) < 1e15 else { return description }
    return "\(tenths < 0 ? "-" : "")\(Int64(abs(tenths)) / 10).\(Int64(abs(tenths)) % 10) ms"
  }
}
