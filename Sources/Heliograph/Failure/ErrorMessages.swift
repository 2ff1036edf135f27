/// An app's own words for errors, by domain and code.
///
/// ```swift
/// var messages = ErrorMessages()
/// messages[.server, 503] = "We are repairing things."
/// messages[.api, 7] = "Your cart has changed."
/// ```
/// They come before what a server says, which comes before the usual words; domain and code stay. Requirement S2-8.
public struct ErrorMessages: Sendable {
  private struct Key: Hashable {
    let domain: NetworkError.Domain
    let code: NetworkError.Code
  }

  private var texts: [Key: String] = [:]

  /// Makes an empty table.
  public init() {}

  /// The words for a code; `nil`, or nothing but blanks, for those that there would be without the table.
  public subscript(_ domain: NetworkError.Domain, _ code: NetworkError.Code) -> String? {
    get { texts[Key(domain: domain, code: code)] }
    set { texts[Key(domain: domain, code: code)] = newValue?.allSatisfy(\.isWhitespace) == true ? nil : newValue }
  }

  var isEmpty: Bool { texts.isEmpty }

  /// The error in the table's words, if there are any for it.
  func applied(to error: NetworkError) -> NetworkError {
    texts.isEmpty ? error : self[error.domain, error.code].map { error.saying($0) } ?? error
  }
}
