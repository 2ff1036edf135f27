/// A wrapper for a secret that must not be printed: a key, a password, a token.
///
/// No description, dump or mirror shows the value, neither of the wrapper nor of a type that contains it.
package struct Secret<Value: Sendable>: Sendable {
  private let value: Value

  package init(_ value: Value) { self.value = value }

  /// Returns the value, in order to send it or to compute with it.
  package func reveal() -> Value { value }
}

extension Secret: _Summarized {
  package var description: String { "<redacted>" }
}

/// A value whose dumps and debug descriptions show only its description, which omits secrets and contents.
///
/// `dump`, `po` and string interpolation of a container therefore show no secrets either.
public protocol _Summarized: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension _Summarized {
  /// The same as `description`.
  public var debugDescription: String { description }

  /// An empty mirror, so that `dump` shows only the description.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
