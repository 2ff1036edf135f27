package import Foundation

/// Makes one address of a base and of what a request says: pure, and the same for the same input.
///
/// | what | becomes |
/// |---|---|
/// | an absolute address | itself, the base has no part in it |
/// | a path, with or without a slash before it | the base's path, one slash, the path |
/// | no path | the base's path without slashes at its end |
/// | queries | the base's, then the path's; an empty one stays only where it is the path's and the only one |
/// | a fragment | nothing: it is never sent (RFC 9110 §4.2.5) |
/// | no path in the end | `/` |
/// | what needs an escape, such as `é` or `[` | its UTF-8 bytes, percent-encoded (RFC 3986 §2.1) |
/// | `.` and `..`, `//` inside the path, escapes | themselves: nothing is resolved or unescaped |
///
/// Refused is what is not HTTP or relative without a base; blanks and control characters; a percent sign without two
/// digits; a user or password; a host that is not ASCII (`xn--` is), has an escape, or is no IPv6 address in its brackets; a
/// port beyond 65535; a path that begins with `//`, or with a colon in its first part, as it would pass for a host or a
/// scheme.
package enum AddressJoiner {
  /// Joins a path or an address to a base.
  ///
  /// - Parameters:
  ///   - path: a path below the base, or an absolute address; either may have a query.
  ///   - base: gives what relative paths are below, as folders are: the last part of its path stays, unlike in RFC 3986
  ///     §5.2. Asked for only if the path is relative; `nil` means that there is none.
  /// - Returns: the address, absolute and without a fragment.
  /// - Throws: a `client` error with the code ``NetworkError/Code/invalidURL``, which shows no query and no password; or what
  ///   `base` throws.
  package static func join(_ path: String, below base: () throws(NetworkError) -> URL?) throws(NetworkError) -> URL {
    if path.isPlainAddress(needsPath: true), let url = URL(string: path) { return url }
    if path.isPlainPath, let address = try base()?.absoluteString, address.isPlainAddress(needsPath: false),
      let url = URL(string: joined(address, path))
    {
      return url
    }
    let own = try AddressText(path)
    guard own.scheme == nil else { return try url(of: own, path: own.path, query: own.query) }
    guard let base = try base() else {
      throw refusal("\(AddressText.shown(path)) is relative, and the client has no base address")
    }
    let below = try AddressText(base.absoluteString)
    let queries = [below.query, own.query].compactMap(\.self).filter { !$0.isEmpty }
    return try url(
      of: below, path: joined(below.path, own.path), query: queries.isEmpty ? own.query : queries.joined(separator: "&")
    )
  }

  private static func url(of text: AddressText, path: String, query: String?) throws(NetworkError) -> URL {
    guard let scheme = text.scheme else { throw refusal("the base address is relative itself") }
    let place = "\(scheme)://\(text.authority)\(path.isEmpty ? "/" : path)"
    guard let url = URL(string: query.map { "\(place)?\($0)" } ?? place) else {
      throw refusal("\(AddressText.shown(place)) is not taken by the system")
    }
    return url
  }

  private static func joined(_ base: String, _ own: String) -> String {
    var path = base
    while path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
    return own.isEmpty || own.utf8.first == UInt8(ascii: "/") ? path + own : "\(path)/\(own)"
  }

  private static func refusal(_ reason: String) -> NetworkError {
    NetworkError(.client, .invalidURL, reason: reason)
  }
}

extension String {
  /// Whether it is plainly an absolute address, with a host and nothing out of the ordinary: one parse in place of two.
  ///
  /// Whatever it leaves out takes the long way to the same address.
  fileprivate func isPlainAddress(needsPath: Bool) -> Bool {
    guard hasPrefix("http://") || hasPrefix("https://") else { return false }
    return utf8.withContiguousStorageIfAvailable { String.isPlainAddress($0, needsPath: needsPath) } ?? false
  }

  private static func isPlainAddress(_ text: UnsafeBufferPointer<UInt8>, needsPath: Bool) -> Bool {
    var slashCount = 0
    var port: Int?
    var previous: UInt8 = 0
    for byte in text {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        if slashCount == 2, let number = port {
          port = number * 10 + Int(byte - UInt8(ascii: "0"))
          // Neither a port nor one that begins with 0.
          if port == 0 || number > 6553 || port ?? 0 > 65_535 { return false }
        }
      case UInt8(ascii: "/"):
        slashCount += 1
        // Before the third there has to be a host, and a port if there is a colon.
        if slashCount == 3, previous == UInt8(ascii: "/") || previous == UInt8(ascii: ":") { return false }
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."),
        UInt8(ascii: "-"), UInt8(ascii: "_"):
        if port != nil, slashCount == 2 { return false }
      case UInt8(ascii: ":") where slashCount == 0: break
      case UInt8(ascii: ":") where slashCount == 2 && port == nil && previous != UInt8(ascii: "/"):
        port = 0
      default: return false
      }
      previous = byte
    }
    if slashCount == 2 { return !needsPath && previous != UInt8(ascii: "/") && previous != UInt8(ascii: ":") }
    return slashCount > 2
  }

  /// Whether it is plainly a path below a base, such as `/products/7`.
  fileprivate var isPlainPath: Bool {
    utf8.withContiguousStorageIfAvailable { text in
      let isPlain = text.allSatisfy { $0.isUnreserved || $0 == UInt8(ascii: "/") }
      return isPlain && !text.isEmpty && !(text.count > 1 && text[0] == UInt8(ascii: "/") && text[1] == text[0])
    } ?? false
  }
}
