/// What several requests have in common: parameters and header fields, known by a name.
///
/// A service has any number of such sets, and a request says which ones it wants: several, or none. Where two have the same
/// name, the later set wins, and the request's own value wins over both. Requirement S1-2.
public struct CommonParameters: Sendable {
  /// The name of a set.
  public struct Name: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name.
    public let rawValue: String

    /// Makes a name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// Makes a name.
    public init(stringLiteral value: String) {
      rawValue = value
    }
  }

  /// What a request selects it by.
  public let name: Name
  /// The parameters.
  public var parameters: Parameters
  /// The header fields.
  public var headers: HTTPHeaders

  /// Makes a set.
  ///
  /// - Parameters:
  ///   - name: what a request selects it by.
  ///   - parameters: the parameters. Default: none.
  ///   - headers: the header fields. Default: none.
  public init(_ name: Name, _ parameters: Parameters = Parameters(), headers: HTTPHeaders = [:]) {
    self.name = name
    self.parameters = parameters
    self.headers = headers
  }
}
