extension NetworkError {
  /// The meaning of a service's own code for an app, independent of the service.
  ///
  /// An envelope's table maps codes to meanings. Define your own as static members.
  public struct Meaning: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name of the meaning.
    public let rawValue: String

    /// Creates a meaning from a name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// Creates a meaning from a name.
    public init(stringLiteral value: String) {
      rawValue = value
    }

    /// The user has to sign in again.
    public static let needsLogin: Meaning = "needsLogin"
    /// The app has to be updated.
    public static let needsUpdate: Meaning = "needsUpdate"
  }
}
