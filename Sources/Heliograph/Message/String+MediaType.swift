import Foundation

extension String {
  /// The media type of a `Content-Type` in lower case, without parameters (RFC 9110 §8.3.1).
  package var mediaType: String { prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased() }

  /// Whether a `Content-Type` is JSON: `application/json`, `text/json` or a `+json` type (RFC 6839 §3.1).
  package var isJSONMediaType: Bool {
    let type = mediaType
    return type == "application/json" || type == "text/json" || type.hasSuffix("+json")
  }

  /// Whether a `Content-Type` is an HTML form: `application/x-www-form-urlencoded`.
  package var isFormMediaType: Bool { mediaType == "application/x-www-form-urlencoded" }
}
