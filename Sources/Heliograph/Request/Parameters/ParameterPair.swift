/// A name and a value of a query or form, before percent-encoding.
public struct ParameterPair: Sendable, Hashable {
  /// The name.
  public var name: String
  /// The value; `nil` writes the name alone, without an equals sign.
  public var value: String?

  /// Creates a pair.
  ///
  /// - Parameters:
  ///   - name: The name, before encoding.
  ///   - value: The value, before encoding; `nil` writes the name alone.
  public init(_ name: String, _ value: String?) {
    self.name = name
    self.value = value
  }
}

extension ParameterPair: _Summarized {
  /// The name on one line, without the value, which may be a password.
  public var description: String { value == nil ? name.singleLine : "\(name.singleLine)=<redacted>" }
  /// The name, without the value.
  public var customMirror: Mirror { Mirror(self, children: ["name": name.singleLine], displayStyle: .struct) }
}
