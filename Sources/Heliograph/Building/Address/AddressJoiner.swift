package import Foundation

/// A pure function that joins a base URL and a path or URL of a request.
///
/// | input | result |
/// |---|---|
/// | an absolute URL | itself; the base is not used |
/// | a path, with or without a leading slash | the base's path, one slash, the path |
/// | no path | the base's path without trailing slashes |
/// | queries | the base's, then the path's; an empty query remains only if it is the path's and the only one |
/// | a fragment | removed: it is never sent (RFC 9110 §4.2.5) |
/// | an empty path in the result | `/` |
/// | characters that need an escape, such as `é` or `[` | their UTF-8 bytes, percent-encoded (RFC 3986 §2.1) |
/// | `.` and `..`, `//` inside the path, escapes | unchanged: nothing is resolved or unescaped |
///
/// The following input is rejected: a URL that is not HTTP; a relative path without a base; whitespace and control
/// characters; a percent sign without two hexadecimal digits; a user or password; a host that is not ASCII (`xn--` is),
/// contains an escape outside of brackets, or is not a valid IPv6 address in its brackets; a port above 65535; a path
/// that begins with `//`, or with a colon in its first segment, because it could be taken for a host or a scheme.
package enum AddressJoiner {
  /// Joins a path or a URL to a base URL.
  ///
  /// Relative paths are appended to the base URL: the last segment of its path remains, unlike in RFC 3986 §5.2. `base`
  /// is called only if the path is relative; `nil` means that there is no base.
  /// - Throws: A `client` error with the code ``NetworkError/Code/invalidURL``, which contains neither query nor
  ///   password; or the error of `base`.
  package static func join(_ path: String, below base: () throws(NetworkError) -> URL?) throws(NetworkError) -> URL {
    if path.isPlainAddress(needsPath: true), let url = URL(string: path) { return url }
    if path.isPlainPath, let address = try base()?.absoluteString, address.isPlainAddress(needsPath: false),
      let url = URL(string: joined(address, path))
    {
      return url
    }
    let given = try AddressText(path)
    guard given.scheme == nil else { return try url(of: given, path: given.path, query: given.query) }
    guard let base = try base() else {
      throw refusal("\(path.redactedAddress.debugDescription) is relative, and the client has no base URL")
    }
    let start = try AddressText(base.absoluteString)
    let queries = [start.query, given.query].compactMap(\.self).filter { !$0.isEmpty }
    return try url(
      of: start, path: joined(start.path, given.path),
      query: queries.isEmpty ? given.query : queries.joined(separator: "&"))
  }

  private static func url(of text: AddressText, path: String, query: String?) throws(NetworkError) -> URL {
    guard let scheme = text.scheme else { throw refusal("the base URL is relative") }
    let address = "\(scheme)://\(text.authority)\(path.isEmpty ? "/" : path)"
    guard let url = URL(string: query.map { "\(address)?\($0)" } ?? address) else {
      throw refusal("\(address.redactedAddress.debugDescription) is not accepted by Foundation's URL parser")
    }
    return url
  }

  private static func joined(_ base: String, _ own: String) -> String {
    var path = base
    while path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
    return own.isEmpty || own.utf8.first == UInt8(ascii: "/") ? path + own : "\(path)/\(own)"
  }

  private static func refusal(_ reason: String) -> NetworkError {
    NetworkError(.invalidURL, reason: reason)
  }
}

extension String {
  /// Returns whether this is a simple absolute URL with a host, which needs one parse instead of two; all other URLs
  /// take the slow path, with the same result.
  fileprivate func isPlainAddress(needsPath: Bool) -> Bool {
    guard hasPrefix("http://") || hasPrefix("https://") else { return false }
    return utf8.withContiguousStorageIfAvailable { text in
      guard let origin = ParsedOrigin(text), !origin.isLiteral else { return false }
      var rest = text[origin.host.upperBound...]
      if rest.first == UInt8(ascii: ":") {
        let digits = rest.dropFirst().prefix(while: \.isDigit)
        // An empty port is removed, and a leading zero may be read in different ways.
        if digits.isEmpty || digits.first == UInt8(ascii: "0") { return false }
        rest = rest[digits.endIndex...]
      }
      return rest.isEmpty ? !needsPath : rest.allSatisfy { $0.isUnreserved || $0 == UInt8(ascii: "/") }
    } ?? false
  }

  /// Whether this is a simple path below a base, such as `/products/7`.
  fileprivate var isPlainPath: Bool {
    utf8.withContiguousStorageIfAvailable { text in
      let isPlain = text.allSatisfy { $0.isUnreserved || $0 == UInt8(ascii: "/") }
      return isPlain && !text.isEmpty && !(text.count > 1 && text[0] == UInt8(ascii: "/") && text[1] == text[0])
    } ?? false
  }
}
