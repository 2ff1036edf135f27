/// Keeps a value that must not be printed: a key, a password, a token.
///
/// No description, dump or mirror of it, or of what it is a part of, shows the value.
package struct Secret<Value: Sendable>: Sendable {
  private let value: Value

  package init(_ value: Value) {
    self.value = value
  }

  /// The value, for those who send it or compute with it.
  package func reveal() -> Value { value }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "<redacted>" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
