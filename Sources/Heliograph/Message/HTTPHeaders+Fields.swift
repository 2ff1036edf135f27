import Foundation
import Signals

extension HTTPHeaders: ExpressibleByArrayLiteral {
  /// Creates a header from fields; names may repeat.
  public init(arrayLiteral elements: Field...) { self.init(elements) }
}

/// Common fields, with Alamofire's names, for a literal such as `[.accept("text/csv"), .authorization(bearerToken:
/// token)]`.
extension HTTPHeaders.Field {
  /// Returns `Authorization` with a bearer token.
  ///
  /// The token is not validated; `Middleware.bearer` validates it. Like any `Authorization` field, it is never sent to
  /// another origin by a redirect.
  /// - Parameter bearerToken: The token.
  /// - Returns: The field.
  public static func authorization(bearerToken: String) -> HTTPHeaders.Field {
    authorization("Bearer " + bearerToken)
  }

  /// Returns `Authorization` for Basic authentication (RFC 7617); user name and password are not validated.
  ///
  /// Like any `Authorization` field, it is never sent to another origin by a redirect.
  /// - Parameters:
  ///   - username: The user name, without a colon.
  ///   - password: The password.
  /// - Returns: The field.
  public static func authorization(username: String, password: String) -> HTTPHeaders.Field {
    let pair = "\(username):\(password)".precomposedStringWithCanonicalMapping
    return authorization("Basic " + Data(pair.utf8).base64EncodedString())
  }

  /// Returns `Authorization` with a value.
  public static func authorization(_ value: String) -> HTTPHeaders.Field { Self(name: "Authorization", value: value) }

  /// Returns `Accept` with a media type.
  public static func accept(_ value: String) -> HTTPHeaders.Field { Self(name: "Accept", value: value) }

  /// Returns `Accept-Language` with a language.
  public static func acceptLanguage(_ value: String) -> HTTPHeaders.Field {
    Self(name: "Accept-Language", value: value)
  }

  /// Returns `Content-Type` with a media type.
  public static func contentType(_ value: String) -> HTTPHeaders.Field { Self(name: "Content-Type", value: value) }

  /// Returns `User-Agent` with a text.
  public static func userAgent(_ value: String) -> HTTPHeaders.Field { Self(name: "User-Agent", value: value) }

  /// Creates a field from received bytes; those of the value have no surrounding whitespace.
  ///
  /// The value is decoded as UTF-8 or, if it is not valid, as ISO-8859-1, which older servers send (RFC 9110 §5.5). In
  /// `Location` and `Content-Location`, the non-ASCII bytes of such a value are percent-encoded, so that the URL is
  /// preserved.
  package init(name: String, value: UnsafeRawBufferPointer) {
    if let text = String(validating: value, as: UTF8.self) {
      self.init(name: name, value: text)
      return
    }
    let isAddress = name.isEqualIgnoringCase(to: "Location") || name.isEqualIgnoringCase(to: "Content-Location")
    var text = ""
    for byte in value {
      if isAddress, byte >= 0x80 {
        text += "%" + String(byte, radix: 16, uppercase: true)
      } else {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    self.init(name: name, value: text)
  }

  /// Creates a field from a value whose bytes Apple's URL loading system has decoded as ISO-8859-1.
  init(name: String, decodedAsLatin1 value: String) {
    let bytes = value.unicodeScalars.compactMap { UInt8(exactly: $0.value) }
    guard bytes.count < value.utf8.count, bytes.count == value.unicodeScalars.count else {
      self.init(name: name, value: value)
      return
    }
    self = bytes.withUnsafeBytes { Self(name: name, value: $0) }
  }

  /// The bytes of the value, each as a character, which Apple's URL loading system encodes as ISO-8859-1.
  var valueSentAsLatin1: String {
    if value.isASCII { return value }
    var characters = String.UnicodeScalarView()
    characters.append(contentsOf: value.utf8.map { Unicode.Scalar($0) })
    return String(characters)
  }
}

extension HTTPHeaders {
  /// The names of header fields with secret values, in lower case.
  ///
  /// The setting is process-wide. Values of these names are omitted from every description, log line and export, are
  /// never sent to another origin in a redirect, and select a stored response. All of this also holds for other names
  /// that are typical of secrets, such as `token`, `X-Session` or `X-Client-Secret`. Default: credentials, cookies, and
  /// common names for tokens and keys. May be read from any thread.
  public static var secretNames: Set<String> { secrets.withLock { $0.names } }

  /// Permanently marks the values of header fields, parameters and JSON members with these names as secret.
  ///
  /// ```swift
  /// HTTPHeaders.addSecretNames("X-Shop-Session")
  /// ```
  /// Call it before the first request. An ``HMACSigner`` adds the name of its signature. May be called from any thread.
  /// - Parameter names: Names of header fields, parameters and members, in any case.
  public static func addSecretNames(_ names: String...) {
    let names = names.map(\.loweredASCII)
    secrets.withLock { $0.insert(names) }
  }

  /// Returns whether a name is one of ``secretNames``; ``Field/isSecret`` decides whether a field is secret.
  package static func isSecret(_ name: String) -> Bool {
    var name = name
    return name.withUTF8 { isSecret($0) }
  }

  /// Returns whether a name, given as UTF-8, is one of ``secretNames``.
  static func isSecret(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    // Most names differ from all of them in these.
    let (count, first) = (name.count, name.first ?? 0)
    if !secrets.withLock({ $0.mayContainName(byteCount: count, first: first) }) { return false }
    let lowered = name.loweredASCII
    return secrets.withLock { $0.names.contains(lowered) }
  }

  private struct SecretNames {
    private(set) var names: Set<String> = []
    /// The lengths of the names that begin with a letter, as sets of bits; the last one stands for all longer names.
    ///
    /// A letter is represented by its lowest five bits, which are equal in both cases.
    private var byteCounts = [UInt64](repeating: 0, count: 32)

    init(_ names: [String]) { insert(names) }

    mutating func insert(_ new: [String]) {
      names.formUnion(new)
      for name in new {
        if name.utf8.allSatisfy({ $0 < 0x80 }) {
          byteCounts[Int((name.utf8.first ?? 0) & 31)] |= 1 << UInt64(Swift.min(name.utf8.count, 63))
        } else {
          // It may be written in several lengths.
          byteCounts = Array(repeating: .max, count: 32)
        }
      }
    }

    func mayContainName(byteCount: Int, first: UInt8) -> Bool {
      byteCounts[Int(first & 31)] >> UInt64(Swift.min(byteCount, 63)) & 1 == 1
    }
  }

  private static let secrets = Guarded(
    SecretNames([
      "authorization", "proxy-authorization", "cookie", "set-cookie", "x-signature", "x-api-key", "api-key", "apikey",
      "x-goog-api-key", "x-auth-token", "x-access-token", "x-refresh-token", "x-id-token", "x-session-token",
      "x-session-id", "x-csrf-token", "x-xsrf-token", "x-amz-security-token", "x-vault-token", "private-token",
      "access-token", "refresh-token", "auth-token",
    ]))

  /// Whether there is a condition on the state of the server (RFC 9110 §13.1; RFC 4918 §10.4, §10.6), also one of
  /// CalDAV or of a cloud, such as `If-Schedule-Tag-Match` and `x-goog-if-generation-match`.
  var hasPrecondition: Bool {
    contains { field in
      let name = field.name.loweredASCII
      return switch name {
      case "overwrite": field.value == "F"
      case "if-range", "if-modified-since": false
      default: HTTPHeaders.isCondition(name)
      }
    }
  }

  /// Whether a field, whose name is in lower case, makes the request conditional.
  private static func isCondition(_ name: String) -> Bool {
    name == "if" || name.hasPrefix("if-") || name.contains("-if-")
  }

  /// Removes the fields that must not be sent to another origin.
  ///
  /// These remain unless they are secret: `Accept` and `Accept-…`, `User-Agent`, `Range`, conditions, `Last-Event-ID`,
  /// `Prefer`, those without which a method of WebDAV would do more, and, with a body, `Content-…`; `keepsKey` also
  /// retains `Idempotency-Key`.
  mutating func removeForOtherOrigin(hasBody: Bool, keepsKey: Bool = false) {
    removeAll { field in
      let name = field.name.loweredASCII
      let isHarmless =
        switch name {
        case "accept", "user-agent", "range", "last-event-id", "prefer", "depth", "overwrite": true
        case _ where name.hasPrefix("accept-") || HTTPHeaders.isCondition(name): true
        case _ where name.hasPrefix("content-"): hasBody
        case "idempotency-key": keepsKey
        default: false
        }
      return !isHarmless || field.isSecret
    }
  }

  /// Whether a transport offers content codings for a request with these fields, and decodes the body.
  ///
  /// Not if the caller sets `Accept-Encoding`, nor for a range, which would apply to the encoded bytes. `URLSession`
  /// decodes the body of each request.
  var offersCodings: Bool { !contains("Accept-Encoding") && !contains("Range") }

  /// Removes the fields that describe or announce a body (RFC 9110 §15.4; RFC 9530 has replaced `Digest` by
  /// `Repr-Digest`).
  mutating func removeContentFields() {
    removeAll { field in
      let name = field.name.loweredASCII
      return name.hasPrefix("content-") || ["digest", "repr-digest", "last-modified", "expect"].contains(name)
    }
  }
}
