extension String {
  /// Appends a part with its length, so that no two lists of parts make the same text.
  mutating func appendPart(_ part: String) {
    self += String(part.utf8.count)
    self += ":"
    self += part
  }
}
