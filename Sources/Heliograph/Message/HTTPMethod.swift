/// A request method (RFC 9110 §9): any token but `CONNECT` and `TRACE`.
///
/// Methods are case-sensitive. Their syntax is checked when a request is built.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name of the method, as it is sent.
  public let rawValue: String

  /// Creates a method from its name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Creates a method from its name.
  public init(stringLiteral value: String) { rawValue = value }

  /// Requests a representation.
  ///
  /// RFC 9110 §9.3.1.
  public static let get: HTTPMethod = "GET"
  /// Requests the header fields of a representation.
  ///
  /// RFC 9110 §9.3.2.
  public static let head: HTTPMethod = "HEAD"
  /// Submits data for processing.
  ///
  /// RFC 9110 §9.3.3.
  public static let post: HTTPMethod = "POST"
  /// Replaces a representation.
  ///
  /// RFC 9110 §9.3.4.
  public static let put: HTTPMethod = "PUT"
  /// Removes a representation.
  ///
  /// RFC 9110 §9.3.5.
  public static let delete: HTTPMethod = "DELETE"
  /// Requests the available options.
  ///
  /// RFC 9110 §9.3.7.
  public static let options: HTTPMethod = "OPTIONS"
  /// Partially modifies a representation.
  ///
  /// RFC 5789 §2.
  public static let patch: HTTPMethod = "PATCH"

  /// Whether the method is safe: it does not change the state of the server.
  ///
  /// RFC 9110 §9.2.1.
  public var isSafe: Bool { ["GET", "HEAD", "OPTIONS", "TRACE"].contains(rawValue) }

  /// Whether the method is idempotent: sending the request twice has the same effect as sending it once.
  ///
  /// RFC 9110 §9.2.2 and the IANA registry, for methods of WebDAV and CalDAV such as `PROPFIND` and `MKCALENDAR`; those
  /// of WebDAV's versioning, such as `CHECKOUT`, are not taken for idempotent.
  public var isIdempotent: Bool {
    if !mayChange { return true }
    return ["PUT", "DELETE", "PROPPATCH", "MKCOL", "MKCALENDAR", "COPY", "MOVE", "UNLOCK", "ACL"].contains(rawValue)
  }

  /// Whether a request may change what the server has stored.
  ///
  /// Queries of WebDAV and of RFC 9110's successors do not, although ``isSafe``, on which policies depend, is `false`
  /// for them: their results differ by fields and bodies that are in no key.
  var mayChange: Bool { !isSafe && !["PROPFIND", "REPORT", "SEARCH", "QUERY"].contains(rawValue) }

  /// The name, as it is sent.
  public var description: String { rawValue }
}

extension String {
  /// Whether the string is a token, as methods and the names of header fields must be (RFC 9110 §5.6.2).
  package var isHTTPToken: Bool {
    !isEmpty && utf8.allSatisfy(\.isTokenByte)
  }
}
