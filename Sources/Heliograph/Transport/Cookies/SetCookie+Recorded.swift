package import Foundation

extension HTTPHeaders.Field {
  /// The name, the value and the attributes of a cookie for a recording, which a client stores at any later time; `nil`
  /// if the field sets no cookie.
  ///
  /// The attributes begin with a semicolon or are empty. Those that no client reads are left out, and so are `Expires`
  /// and `Max-Age`, by which it would be expired when it is replayed; a deleted cookie gets `Max-Age=0`.
  package func recordedCookie(at now: Date) -> (name: String, value: String, attributes: String)? {
    guard name.isEqualIgnoringCase(to: "Set-Cookie"), let cookie = SetCookie(value) else { return nil }
    let isDeleted = cookie.maximumAge.map { $0 <= 0 } ?? cookie.expires.map { $0 <= now } ?? false
    let known: Set = ["domain", "path", "secure", "httponly", "samesite", "partitioned", "priority"]
    let attributes = value.split(separator: ";", omittingEmptySubsequences: false).dropFirst().filter { attribute in
      // After a comma there may be another cookie, with a secret of its own.
      !attribute.utf8.contains(UInt8(ascii: ","))
        && known.contains(String(attribute.prefix { $0 != "=" }).trimmedField.loweredASCII)
    }
    let text = attributes.map { ";" + $0 }.joined() + (isDeleted ? "; Max-Age=0" : "")
    return (cookie.name, cookie.value, text)
  }
}
