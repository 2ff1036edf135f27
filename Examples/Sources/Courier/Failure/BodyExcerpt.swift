import Foundation
import Heliograph

/// The beginning of an error's body as one line of text.
struct BodyExcerpt {
  static let characterCount = 200
  let text: String

  init(_ response: Response<Data>) {
    // More than is shown: markup and blanks are dropped.
    let data = response.value.prefix(16_384)
    var text = String(decoding: data, as: UTF8.self)
    let isBinary = text.unicodeScalars.contains { $0 == "\u{0}" || $0 == "\u{FFFD}" }
    if isBinary, data.count == response.value.count {
      self.text = "\(response.value.count) bytes of binary data"
      return
    }
    if response.headers["Content-Type"]?.lowercased().hasPrefix("text/html") == true { text = text.withoutMarkup }
    let line = text.split {
      $0.isWhitespace || $0.unicodeScalars.allSatisfy { $0.properties.generalCategory == .control }
    }
    .joined(separator: " ")
    self.text = line.count > Self.characterCount ? line.prefix(Self.characterCount - 1) + "…" : line
  }
}

extension String {
  /// HTML without its tags, scripts and styles.
  fileprivate var withoutMarkup: String {
    var text = self
    for pattern in ["(?is)<(script|style|title)\\b.*?</\\1>", "(?s)<[^>]*>"] {
      text = text.replacingOccurrences(of: pattern, with: " ", options: .regularExpression)
    }
    return text
  }
}
