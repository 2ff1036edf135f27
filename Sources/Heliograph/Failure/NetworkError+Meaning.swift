extension NetworkError {
  /// What a service's error code means to the app, whichever service sent it: for example, that the user has to sign in
  /// again.
  ///
  /// An envelope's table maps codes to meanings. Define your own meanings as static members.
  public struct Meaning: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name of the meaning.
    public let rawValue: String

    /// Creates a meaning from a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a meaning from a name.
    public init(stringLiteral value: String) { rawValue = value }

    /// The user has to sign in again.
    public static let needsLogin: Meaning = "needsLogin"
    /// The app has to be updated.
    public static let needsUpdate: Meaning = "needsUpdate"
  }
}
