/// A named set of parameters and header fields shared by several requests.
///
/// A service can have any number of sets. A request selects any number of them. If several have the same name, a later
/// set overrides an earlier one, and the request's own value overrides all.
public struct CommonParameters: Sendable {
  /// The name of a set of common parameters.
  public struct Name: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name as text.
    public let rawValue: String

    /// Creates a name from text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a name from text.
    public init(stringLiteral value: String) { rawValue = value }
  }

  /// The name by which a request selects the set.
  public let name: Name
  /// The parameters of the set.
  public var parameters: Parameters
  /// The header fields of the set.
  public var headers: HTTPHeaders

  /// Creates a set.
  ///
  /// - Parameters:
  ///   - name: The name by which a request selects the set.
  ///   - parameters: The parameters. Default: none.
  ///   - headers: The header fields. Default: none.
  public init(_ name: Name, _ parameters: Parameters = Parameters(), headers: HTTPHeaders = [:]) {
    self.name = name
    self.parameters = parameters
    self.headers = headers
  }
}
