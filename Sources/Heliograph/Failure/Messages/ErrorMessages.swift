import Signals

/// A table of an app's own user-facing messages for errors, by code.
///
/// ```swift
/// configuration.messages[.status(503)] = "We are under maintenance."
/// login.options.messages[.status(401)] = "The password is wrong."
/// ```
/// A request's messages take precedence over those of its service, and these over those of the client. All of them take
/// precedence over the message stated by a server, and that over the built-in messages. The code is unchanged.
public struct ErrorMessages: Sendable {
  private var texts: [NetworkError.Code: String] = [:]

  /// Creates an empty table.
  public init() {}

  /// Accesses the message for a code; `nil` or a blank text means the message without the table.
  public subscript(_ code: NetworkError.Code) -> String? {
    get { texts[code] }
    set { texts[code] = newValue?.allSatisfy(\.isWhitespace) == true ? nil : newValue }
  }

  var isEmpty: Bool { texts.isEmpty }

  /// Merges another table, whose messages take precedence.
  mutating func merge(_ other: ErrorMessages) {
    if other.isEmpty { return }
    texts.merge(other.texts) { $1 }
  }

  /// Returns a signal whose failure has the table's message, if any, and the presentation style.
  func wording<Value>(
    _ signal: Signal<Value, NetworkError>, _ presentation: PresentationStyle?
  ) -> Signal<Value, NetworkError> {
    signal.mapError { wording($0, presentation) }
  }

  /// Returns an error with the table's message, if any, and the presentation style.
  func wording(_ error: NetworkError, _ presentation: PresentationStyle?) -> NetworkError {
    var error = self[error.code].map { error.saying($0) } ?? error
    if let presentation { error.presentation = presentation }
    return error
  }
}
