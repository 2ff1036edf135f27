extension HTTPHeaders.Field: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Name and value on one line; `<redacted>` stands for the value of a field that carries a secret.
  ///
  /// Of an address, as in `Location`, user, password and query are left out.
  public var description: String { "\(name.singleLine): \(shownValue)" }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// The name, and the value as ``description`` has it.
  public var customMirror: Mirror {
    Mirror(self, children: ["name": name.singleLine, "value": shownValue], displayStyle: .struct)
  }

  private var shownValue: String {
    if HTTPHeaders.isSecret(name) { return "<redacted>" }
    let isAddress = ["location", "content-location", "referer"].contains(name.loweredASCII)
    return isAddress ? value.redactedAddress : value.singleLine
  }
}

extension HTTPHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The fields, each on a line of its own; `<redacted>` stands for the values of those that carry secrets.
  ///
  /// A value has no line break: control characters are written as escapes.
  public var description: String { map(\.description).joined(separator: "\n") }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// The fields, without secrets.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: Array(self), displayStyle: .collection) }
}
