/// A table of user-facing messages; a blank entry means the built-in message.
extension [NetworkError.Code: String] {
  /// Merges another table, whose messages take precedence.
  mutating func overlay(_ other: Self) {
    if other.isEmpty { return }
    merge(other.filter { !$1.isBlank }) { $1 }
  }

  /// Returns an error with the table's message, if any, and the presentation style.
  func applied(to error: NetworkError, _ presentation: PresentationStyle?) -> NetworkError {
    var error = self[error.code].flatMap { $0.isBlank ? nil : error.withMessage($0) } ?? error
    if let presentation { error.presentation = presentation }
    return error
  }
}

extension String {
  fileprivate var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
