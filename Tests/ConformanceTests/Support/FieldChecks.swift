/// A check of one header field.
enum FieldCheck: Sendable, ExpressibleByStringLiteral {
  /// The field is there, with this value; several values are joined by a comma and a space.
  case equal(String)
  /// The field is there, and its value contains this text.
  case contains(String)
  /// The field is there, with any value.
  case present
  /// The field is not there.
  case absent

  init(stringLiteral value: String) {
    self = .equal(value)
  }

  /// Returns the difference from the actual value, or `nil` if there is none.
  func problem(_ name: String, _ actual: String?, expand: (String) -> String) -> String? {
    let shown = actual.map { "“\($0.prefix(80))”" } ?? "absent"
    switch self {
    case .equal(let text):
      let expected = expand(text)
      return actual == expected ? nil : "\(name) is \(shown) instead of “\(expected.prefix(80))”"
    case .contains(let text):
      let expected = expand(text)
      return actual?.contains(expected) == true ? nil : "\(name) is \(shown), without “\(expected)”"
    case .present: return actual == nil ? "\(name) is absent" : nil
    case .absent: return actual == nil ? nil : "\(name) is \(shown) instead of absent"
    }
  }
}

/// The checks of a message's header fields, by name.
struct FieldChecks: Sendable, ExpressibleByDictionaryLiteral {
  private let checks: [(name: String, check: FieldCheck)]

  init(dictionaryLiteral elements: (String, FieldCheck)...) {
    checks = elements.map { (name: $0.0, check: $0.1) }
  }

  var isEmpty: Bool { checks.isEmpty }

  /// Returns the failed checks.
  func problems(in header: (String) -> String?, expand: (String) -> String) -> [String] {
    checks.compactMap { $0.check.problem($0.name, header($0.name), expand: expand) }
  }
}
