extension HTTPHeaders {
  /// The links of all `Link` fields, in order (RFC 8288 §3); malformed ones are skipped.
  ///
  /// Targets are as written: `Response.links` resolves relative ones.
  ///
  /// Complexity: O(bytes).
  public var links: [WebLink] {
    var links: [WebLink] = []
    for field in self where field.name.isEqualIgnoringCase(to: "Link") {
      var value = field.value
      value.withUTF8 { bytes in
        var parser = LinkParser(bytes[...])
        while let link = parser.next() { links.append(link) }
      }
    }
    return links
  }
}

/// A parser of the value of a `Link` field (RFC 8288 appendix B.2), which skips malformed links and parameters.
private struct LinkParser {
  private var rest: FieldBytes
  /// Whether a quotation mark may begin a quoted string; `false` after an unterminated one.
  private var canQuote = true

  init(_ bytes: FieldBytes) { rest = bytes }

  mutating func next() -> WebLink? {
    while true {
      skipWhitespace()
      guard let first = rest.first else { return nil }
      guard first == UInt8(ascii: "<") else {
        skip(to: ",")
        rest = rest.dropFirst()
        continue
      }
      guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return nil }
      let target = rest[rest.startIndex..<end].dropFirst().trimmed
      rest = rest[(end + 1)...]
      let parameters = takeParameters()
      if target.allSatisfy(\.isAllowedInTarget) {
        return WebLink(target: String(decoding: target, as: UTF8.self), parameters: parameters)
      }
    }
  }

  /// Returns the parameters before the next comma.
  private mutating func takeParameters() -> [String: String] {
    var parameters: [String: String] = [:]
    while true {
      skip(to: ",", or: ";")
      guard rest.first == UInt8(ascii: ";") else { return parameters }
      rest = rest.dropFirst()
      guard let (name, value) = takeParameter(), parameters[name] == nil else { continue }
      parameters[name] = value
    }
  }

  /// Returns the name and the value after a semicolon; `nil` if they are malformed.
  private mutating func takeParameter() -> (name: String, value: String)? {
    skipWhitespace()
    let name = rest.prefix { !$0.isSpaceOrTab && !"=;,\"<>".utf8.contains($0) }
    rest = rest[name.endIndex...]
    skipWhitespace()
    if name.isEmpty { return nil }
    guard rest.first == UInt8(ascii: "=") else { return (name.lowered, "") }
    rest = rest.dropFirst()
    skipWhitespace()
    if rest.first == UInt8(ascii: "\"") {
      guard canQuote, let end = rest.endOfQuotedString else {
        canQuote = false
        return nil
      }
      defer { rest = rest[end...] }
      return (name.lowered, rest[..<(end - 1)].dropFirst().unescaped)
    }
    let value = rest.prefix { !$0.isSpaceOrTab && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
    rest = rest[value.endIndex...]
    return (name.lowered, String(decoding: value, as: UTF8.self))
  }

  private mutating func skipWhitespace() { rest = rest.drop(while: \.isSpaceOrTab) }

  /// Skips the bytes before a delimiter that is not in a quoted string.
  private mutating func skip(to first: Unicode.Scalar, or second: Unicode.Scalar = ",") {
    let (first, second) = (UInt8(ascii: first), UInt8(ascii: second))
    while let byte = rest.first, byte != first, byte != second {
      if canQuote, byte == UInt8(ascii: "\"") {
        if let end = rest.endOfQuotedString {
          rest = rest[end...]
          continue
        }
        canQuote = false
      }
      rest = rest.dropFirst()
    }
  }
}

extension UInt8 {
  /// Whether the byte may occur in the target of a link; non-ASCII letters are escaped later.
  fileprivate var isAllowedInTarget: Bool {
    self > UInt8(ascii: " ") && self != 0x7F && self != UInt8(ascii: "<") && self != UInt8(ascii: "\"")
  }
}
