extension String {
  /// With what may not stand in a path or a query escaped, and with the escapes that are there as they are.
  ///
  /// `URLComponents` would escape the percent signs beside it, too, and so say something else: `%20é` as `%2520%C3%A9`.
  var escapedBehindHost: String {
    if utf8.allSatisfy(\.mayStandBehindHost), hasSoundEscapes { return self }
    let bytes = Array(utf8)
    let start = bytes.hostEnd
    var escaped = Array(bytes[..<start])
    for (index, byte) in bytes.enumerated().dropFirst(start) {
      if byte.mayStandBehindHost, byte != UInt8(ascii: "%") || bytes[(index + 1)...].beginsWithEscapedByte {
        escaped.append(byte)
      } else {
        escaped += [UInt8(ascii: "%"), byte.highHexDigit, byte.lowHexDigit]
      }
    }
    return String(decoding: escaped, as: UTF8.self)
  }

  /// Whether two hexadecimal digits follow each percent sign; `URLComponents` would escape a lone one.
  ///
  /// RFC 3986 §2.1.
  var hasSoundEscapes: Bool {
    var rest = Substring(self).utf8
    while let mark = rest.firstIndex(of: UInt8(ascii: "%")) {
      rest = rest[rest.index(after: mark)...]
      if !rest.beginsWithEscapedByte { return false }
    }
    return true
  }
}

extension [UInt8] {
  /// Where the host and its port end; 0 if there is none.
  fileprivate var hostEnd: Int {
    let delimiters = Array("/?#".utf8)
    guard let mark = firstIndex(where: delimiters.contains), self[mark...].starts(with: "//".utf8),
      mark == 0 || self[mark - 1] == UInt8(ascii: ":")
    else { return 0 }
    return self[(mark + 2)...].firstIndex(where: delimiters.contains) ?? count
  }
}

extension Collection<UInt8> {
  /// Whether its first two are hexadecimal digits.
  fileprivate var beginsWithEscapedByte: Bool {
    let digits = prefix(2)
    return digits.count == 2 && digits.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
  }
}

extension UInt8 {
  /// Whether RFC 3986 lets it stand in a path (§3.3) or a query (§3.4), or it begins one, a fragment or an escape.
  fileprivate var mayStandBehindHost: Bool {
    switch self {
    // Between the outermost two of each range there is nothing that may not.
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "?")...UInt8(ascii: "Z"),
      UInt8(ascii: "#")...UInt8(ascii: ";"), UInt8(ascii: "!"), UInt8(ascii: "="), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }
}
