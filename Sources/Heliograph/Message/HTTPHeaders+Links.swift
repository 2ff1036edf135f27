extension HTTPHeaders {
  /// The links of all `Link` fields, in order (RFC 8288 §3); malformed ones are skipped.
  ///
  /// Targets are as written: `Response.links` resolves relative ones.
  ///
  /// Complexity: O(bytes).
  public var links: [WebLink] { writtenLinks.filter(\.hasValidTarget) }

  /// The links, also those whose target is malformed.
  var writtenLinks: [WebLink] {
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
    skipWhitespace()
    while let first = rest.first, first != UInt8(ascii: "<") {
      skip(to: ",")
      rest = rest.dropFirst()
      skipWhitespace()
    }
    guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return nil }
    let target = rest[rest.startIndex..<end].dropFirst().trimmed
    rest = rest[(end + 1)...]
    return WebLink(target: String(decoding: target, as: UTF8.self), parameters: takeParameters())
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
    let bytes = rest.prefix { !$0.isSpaceOrTab && !"=;,\"<>".utf8.contains($0) }
    rest = rest[bytes.endIndex...]
    skipWhitespace()
    guard let name = bytes.loweredToken else { return nil }
    guard rest.first == UInt8(ascii: "=") else { return (name, "") }
    rest = rest.dropFirst()
    skipWhitespace()
    if rest.first == UInt8(ascii: "\"") {
      guard canQuote, let end = rest.endOfQuotedString else {
        canQuote = false
        return nil
      }
      defer { rest = rest[end...] }
      return (name, rest[..<(end - 1)].dropFirst().unescaped)
    }
    let value = rest.prefix { !$0.isSpaceOrTab && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
    rest = rest[value.endIndex...]
    return (name, String(decoding: value, as: UTF8.self))
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

/// A link to another resource, as in a `Link` header field (RFC 8288).
///
/// ```swift
/// let headers: HTTPHeaders = ["Link": #"</lamps?page=2>; rel="next"; title="Page 2""#]
/// print(headers.links[0].target, headers.links[0].relations)  // /lamps?page=2 ["next"]
/// ```
public struct WebLink: Sendable, Hashable {
  /// The URL of the resource; it may be relative in ``HTTPHeaders/links``, and is absolute in `Response.links`.
  public var target: String
  /// The relation types in lower case, such as `next` and `last`; they are compared without regard to case (§2.1).
  ///
  /// Relation types that are not ASCII are ignored (§3.3).
  public let relations: [String]
  /// The parameters by lowercase name, without quotation marks; if a name repeats, the first one.
  ///
  /// They include `rel`. The value of a parameter such as `title*` remains encoded (RFC 8187).
  public let parameters: [String: String]

  /// Creates a link to a URL.
  ///
  /// - Parameters:
  ///   - target: The URL of the resource.
  ///   - parameters: The parameters, keyed by lowercase name; names with uppercase letters are not matched. Default:
  ///     none.
  public init(target: String, parameters: [String: String] = [:]) {
    self.target = target
    self.parameters = parameters
    let relations = parameters["rel"]?.utf8.split { $0.isSpaceOrTab } ?? []
    self.relations = relations.map { String(Substring($0)).loweredASCII }.filter(\.isASCII)
  }
}

extension WebLink {
  /// Whether the target may be a URL; spaces, which some servers write, and non-ASCII letters are escaped later.
  var hasValidTarget: Bool {
    target.utf8.allSatisfy { $0 >= UInt8(ascii: " ") && $0 != 0x7F && !"<\"".utf8.contains($0) }
  }
}

extension WebLink: _Summarized {
  /// The target without user name, password and query, which may be secret, and the relation types, on one line.
  public var description: String { "<\(target.redactedAddress)> \(relations.joined(separator: " ").singleLine)" }
}
