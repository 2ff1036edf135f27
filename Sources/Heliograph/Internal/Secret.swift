/// A wrapper for a secret that must not be printed: a key, a password, a token.
///
/// No description, dump or mirror shows the value, neither of the wrapper nor of a type that contains it.
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
  /// The text on one line, for logs: line breaks and invisible characters are escaped.
  ///
  /// Control and format characters and the separators of lines and paragraphs are escaped, such as `\n`, `\u{1B}` and
  /// `\u{202E}`. Complexity: O(length).
  package var singleLine: String {
    if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return self }
    var text = ""
    for scalar in unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: text += scalar.escaped(asASCII: true)
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// Returns the text, cut between two characters to a length in UTF-8 bytes, with an ellipsis if it is truncated.
  package func shortened(to limit: Int) -> String {
    if utf8.count <= limit { return self }
    var end = utf8.index(startIndex, offsetBy: limit)
    while end.samePosition(in: self) == nil { end = utf8.index(before: end) }
    return self[..<end] + "…"
  }
}

extension String {
  /// Splits the text into chunks of a maximum length in UTF-8 bytes, between characters; one chunk if it is empty.
  package func chunks(of limit: Int) -> [String] {
    var (chunks, rest) = ([String](), self[...])
    while rest.utf8.count > limit {
      var end = rest.utf8.index(rest.startIndex, offsetBy: limit)
      while end.samePosition(in: self) == nil { end = utf8.index(before: end) }
      // A character may be longer than a chunk.
      if end == rest.startIndex { end = rest.index(after: end) }
      chunks.append(String(rest[..<end]))
      rest = rest[end...]
    }
    return rest.isEmpty && !chunks.isEmpty ? chunks : chunks + [String(rest)]
  }
}

extension Duration {
  /// The duration in milliseconds, rounded to a tenth, as a text for logs.
  var milliseconds: String {
    let tenths = (self / .microseconds(100)).rounded()
    guard tenths.isFinite, abs(tenths) < 1e15 else { return description }
    return "\(Int64(tenths) / 10).\(abs(Int64(tenths)) % 10)"
  }
}
