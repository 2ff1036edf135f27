import Foundation

/// Conditional requests: RFC 9110 §13, RFC 9111 §4.3.
enum Precondition {
  /// Returns whether a stored response that can be used for a request yields a 304 for it (RFC 9111 §4.3.2); `nil` if
  /// the request is not conditional, or if only the server can decide, such as for `If-Match`.
  static func isNotModified(request: HTTPHeaders, stored: CachedHead) -> Bool? {
    if request.contains("If-Match") || request.contains("If-Unmodified-Since") { return nil }
    if let tags = request["If-None-Match"] { return allowsPreconditions(stored) && matches(tags, stored) }
    let dates = request.values(for: "If-Modified-Since")
    guard let date = dates.first else { return nil }
    // An invalid condition, or one of several dates, is ignored (RFC 9110 §13.1.3).
    guard allowsPreconditions(stored), dates.count == 1, let since = HTTPDate.parse(date, now: stored.receivedAt) else {
      return false
    }
    return stored.date(of: "Last-Modified") ?? stored.generatedAt <= since
  }

  private static func matches(_ tags: String, _ stored: CachedHead) -> Bool {
    if tags.trimmedField == "*" { return true }
    guard let own = stored.entityTag else { return false }
    return EntityTag.list(tags).contains { $0.matchesWeakly(own) }
  }

  private static func allowsPreconditions(_ stored: CachedHead) -> Bool {
    stored.statusCode == 200 || stored.statusCode == 206
  }
}

extension HTTPHeaders {
  /// Whether a request depends on the state of the representation (RFC 9110 §13.1).
  var isConditional: Bool {
    contains { field in
      ["if-none-match", "if-modified-since", "if-match", "if-unmodified-since", "if-range"]
        .contains { $0.isEqualIgnoringCase(to: field.name) }
    }
  }
}

extension CachedHead {
  /// The fields for validating the response, as received (RFC 9111 §4.3.1); empty if it has none that could be sent.
  var conditionalFields: HTTPHeaders {
    var fields = HTTPHeaders()
    for (name, condition) in [("ETag", "If-None-Match"), ("Last-Modified", "If-Modified-Since")] {
      guard let value = headers.firstValue(for: name), !value.isEmpty, !value.hasControlCharacter else { continue }
      fields.add(value, for: condition)
    }
    return fields
  }

  /// Returns whether a range may be used for a request with an `If-Range` field (RFC 9110 §13.1.5).
  func allowsRange(ifRange: String?) -> Bool {
    // A tag must match strongly. A date must equal `Last-Modified` and be at least a second older than the response.
    guard let condition = ifRange?.trimmedField else { return true }
    if let date = HTTPDate.parse(condition, now: receivedAt) {
      guard let modified = self.date(of: "Last-Modified"), modified == date else { return false }
      return generatedAt.timeIntervalSince(modified) >= 1
    }
    guard let tag = EntityTag(condition), let own = entityTag else { return false }
    return tag.matchesStrongly(own)
  }
}
