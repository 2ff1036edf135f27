/// A request method, as RFC 9110 §9 defines them; any other token will do too.
///
/// Methods are case-sensitive. Whether one is well formed is checked when a request is built.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The method as it goes over the wire.
  public let rawValue: String

  /// Makes a method from its name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Makes a method from its name.
  public init(stringLiteral value: String) {
    rawValue = value
  }

  /// Asks for a representation.
  ///
  /// RFC 9110 §9.3.1.
  public static let get: HTTPMethod = "GET"
  /// Asks for the header of a representation.
  ///
  /// RFC 9110 §9.3.2.
  public static let head: HTTPMethod = "HEAD"
  /// Hands something over to be processed.
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
  /// Asks which options there are.
  ///
  /// RFC 9110 §9.3.7.
  public static let options: HTTPMethod = "OPTIONS"
  /// Changes a part of a representation.
  ///
  /// RFC 5789 §2.
  public static let patch: HTTPMethod = "PATCH"

  /// Whether doing it does nothing to the server.
  ///
  /// RFC 9110 §9.2.1.
  public var isSafe: Bool { ["GET", "HEAD", "OPTIONS", "TRACE"].contains(rawValue) }

  /// Whether doing it twice is as good as once.
  ///
  /// RFC 9110 §9.2.2.
  public var isIdempotent: Bool { isSafe || self == .put || self == .delete }

  /// The method's name.
  public var description: String { rawValue }
}

extension String {
  /// Whether it is a token, which is what methods and header names have to be.
  ///
  /// RFC 9110 §5.6.2.
  package var isHTTPToken: Bool {
    !isEmpty
      && utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "A")...UInt8(ascii: "Z"):
          true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
      }
  }
}
