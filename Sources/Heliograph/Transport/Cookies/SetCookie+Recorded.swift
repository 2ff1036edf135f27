package import Foundation

extension HTTPHeaders.Field {
  /// The name, the value and the attributes of a cookie for a recording, which a client stores at any later time; `nil`
  /// if the field sets no cookie.
  ///
  /// The attributes begin with a semicolon or are empty. Those that no client reads are left out, and so are `Expires`
  /// and `Max-Age` unless they delete the cookie: it would be expired when it is replayed.
  package func recordedCookie(at now: Date) -> (name: String, value: String, attributes: String)? {
    guard name.isEqualIgnoringCase(to: "Set-Cookie"), let cookie = SetCookie(value) else { return nil }
    let isDeleted = cookie.maximumAge.map { $0 <= 0 } ?? cookie.expires.map { $0 <= now } ?? false
    var known: Set = ["domain", "path", "secure", "httponly", "samesite", "partitioned", "priority"]
    if isDeleted { known.formUnion(["expires", "max-age"]) }
    let attributes = value.split(separator: ";", omittingEmptySubsequences: false).dropFirst().filter { attribute in
      known.contains(String(attribute.prefix { $0 != "=" }).trimmedField.loweredASCII)
    }
    return (cookie.name, cookie.value, attributes.map { ";" + $0 }.joined())
  }
}
