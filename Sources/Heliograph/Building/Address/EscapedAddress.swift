extension String {
  /// The URL with invalid characters of path and query escaped and with existing escapes unchanged.
  ///
  /// `URLComponents` would also escape existing percent signs and change the meaning: `%20é` to `%2520%C3%A9`.
  var escapedAfterHost: String {
    if utf8.allSatisfy(\.isAllowedAfterHost), utf8.hasValidEscapes { return self }
    let bytes = Array(utf8)
    let start = bytes.hostEnd
    var escaped = Array(bytes[..<start])
    for (index, byte) in bytes.enumerated().dropFirst(start) {
      if byte.isAllowedAfterHost, byte != UInt8(ascii: "%") || bytes[(index + 1)...].beginsWithEscapedByte {
        escaped.append(byte)
      } else {
        escaped.appendPercentEscape(of: byte)
      }
    }
    return String(decoding: escaped, as: UTF8.self)
  }
}

extension [UInt8] {
  /// The end of host and port; 0 if there is no host.
  fileprivate var hostEnd: Int {
    let delimiters = Array("/?#".utf8)
    guard let slashes = firstIndex(where: delimiters.contains), self[slashes...].starts(with: "//".utf8),
      slashes == 0 || self[slashes - 1] == UInt8(ascii: ":")
    else { return 0 }
    return self[(slashes + 2)...].firstIndex(where: delimiters.contains) ?? count
  }
}

extension UInt8 {
  /// Whether the byte may occur in a path (RFC 3986 §3.3) or query (§3.4), or begins a query, a fragment or an escape.
  fileprivate var isAllowedAfterHost: Bool {
    switch self {
    // Every byte between the bounds of these ranges is allowed.
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "?")...UInt8(ascii: "Z"),
      UInt8(ascii: "#")...UInt8(ascii: ";"), UInt8(ascii: "!"), UInt8(ascii: "="), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }
}
