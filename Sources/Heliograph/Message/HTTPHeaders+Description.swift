extension HTTPHeaders.Field: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Name and value on one line; `<redacted>` replaces a secret value.
  ///
  /// In a URL, as in `Location`, user, password and query are omitted.
  public var description: String { "\(name.singleLine): \(shownValue)" }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// The name, and the value as in ``description``.
  public var customMirror: Mirror {
    Mirror(self, children: ["name": name.singleLine, "value": shownValue], displayStyle: .struct)
  }

  private var shownValue: String {
    if isSecret { return "<redacted>" }
    let isAddress = ["location", "content-location", "referer"].contains(name.loweredASCII)
    return isAddress ? value.redactedAddress : value.singleLine
  }
}

extension HTTPHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The fields, one per line; `<redacted>` replaces secret values.
  ///
  /// Values contain no line breaks: control characters are escaped.
  public var description: String { map(\.description).joined(separator: "\n") }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// The fields, without secrets.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: Array(self), displayStyle: .collection) }
}
