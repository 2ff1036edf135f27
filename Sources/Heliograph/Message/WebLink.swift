/// A link to another resource, as in a `Link` header field (RFC 8288).
///
/// ```swift
/// let headers: HTTPHeaders = ["Link": #"</lamps?page=2>; rel="next"; title="Page 2""#]
/// print(headers.links[0].target, headers.links[0].relations)  // /lamps?page=2 ["next"]
/// ```
public struct WebLink: Sendable, Hashable {
  /// The URL of the resource; it may be relative in ``HTTPHeaders/links``, and is absolute in `Response.links`.
  public var target: String
  /// The relation types in lower case, such as `next` and `last`; they are compared without regard to case (§2.1).
  public let relations: [String]
  /// The parameters by lowercase name, without quotation marks; if a name repeats, the first one.
  ///
  /// They include `rel`. The value of a parameter such as `title*` remains encoded (RFC 8187).
  public let parameters: [String: String]

  /// Creates a link to a URL.
  ///
  /// - Parameters:
  ///   - target: The URL of the resource.
  ///   - parameters: The parameters, keyed by lowercase name; names with uppercase letters are not matched. Default:
  ///     none.
  public init(target: String, parameters: [String: String] = [:]) {
    self.target = target
    self.parameters = parameters
    let relations = parameters["rel"]?.utf8.split { $0.isSpaceOrTab } ?? []
    self.relations = relations.map { String(Substring($0)).loweredASCII }
  }
}

extension WebLink: _Summarized {
  /// The target without user name, password and query, which may be secret, and the relation types, on one line.
  public var description: String { "<\(target.redactedAddress)> \(relations.joined(separator: " ").singleLine)" }
}
