import Foundation

extension String {
  /// The URL without user name and password, and with `<redacted>` for its secret parameters and JSON Web Tokens.
  ///
  /// The text may also have several URLs, such as a `Link` field: a parameter ends where no URL can continue.
  package var redactingSecretParameters: String { redactingSecretParameters(with: "<redacted>") }

  /// Returns the URL with its user name, password, secret parameters and JSON Web Tokens replaced by a text, and each
  /// segment of its path that hides one of these, such as an escaped URL.
  package func redactingSecretParameters(with placeholder: String) -> String {
    redactingParameters(with: placeholder).redactingSegments(with: placeholder)
  }

  /// Returns the text with `placeholder` for each path segment that hides a secret; query and fragment are unchanged.
  func redactingSegments(with placeholder: String) -> String {
    let path = utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    let mayHide = { (byte: UInt8) in "%={".utf8.contains(byte) }
    guard path.contains(where: mayHide) else { return self }
    let redaction = SecretRedaction(placeholder: placeholder)
    let depth = redaction.depth(of: self)
    let segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { segment in
      let text = String(Substring(segment))
      return segment.contains(where: mayHide) ? redaction.text(text, depth: depth) : text
    }
    return segments.joined(separator: "/") + Substring(utf8[path.endIndex...])
  }

  /// Returns the text with the users, secret parameters and JSON Web Tokens of its URLs replaced, and also values in
  /// values deeper than `depth`.
  func redactingParameters(with placeholder: String, depth: Int = 8) -> String {
    // A native copy of a bridged string, whose bytes are read faster.
    var text = self
    // Without these the text has neither a pair nor user information nor JSON.
    if text.withUTF8({ bytes in bytes.contains { $0.mayBeginValue } }) {
      text = text.redactingUsers(with: placeholder)
        .redactingSecretPairs(separatedBy: "&;?#>< \"'\t\r\n", with: placeholder, depth: depth)
    }
    return text.redactingWebTokens(with: placeholder)
  }

  /// Returns the text with user name and password replaced in each of its URLs.
  func redactingUsers(with placeholder: String) -> String {
    guard utf8.contains(UInt8(ascii: "@")) else { return self }
    let bytes = Array(utf8)
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      result.append(bytes[index])
      index += 1
      guard result.suffix(2).elementsEqual("//".utf8), result.dropLast(2).last?.isPartOfPath != true else { continue }
      if let at = bytes[index...].endOfUserInformation(isInText: true), at > index {
        result += placeholder.utf8
        index = at
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}

extension ArraySlice<UInt8> {
  /// Returns the index of the last `@` of the user information at the beginning of a URL's authority; `nil` without any.
  ///
  /// In a text, the URL also ends at a space, quote or angle bracket.
  func endOfUserInformation(isInText: Bool) -> Int? {
    let (delimiters, end) = isInText ? ("/?#'", ">< \"\t\r\n") : ("/?#", "")
    let authority = prefix { !delimiters.utf8.contains($0) && !end.utf8.contains($0) }
    if let at = authority.lastIndex(of: UInt8(ascii: "@")) { return at }
    // The password has a delimiter if the apparent port is none. A limit keeps the work proportional to the text.
    guard authority.endIndex < endIndex, delimiters.utf8.contains(self[authority.endIndex]), authority.hasPassword
    else {
      return nil
    }
    // After a slash, what follows may be a path after an empty port: an address in its query is no user information.
    let ends = self[authority.endIndex] == UInt8(ascii: "/") ? end + "?#" : end
    return prefix(256).prefix { !ends.utf8.contains($0) }.lastIndex(of: UInt8(ascii: "@"))
  }

  /// Whether an authority has a colon that no port follows: up to five digits.
  private var hasPassword: Bool {
    if first == UInt8(ascii: "[") { return false }
    guard let colon = firstIndex(of: UInt8(ascii: ":")) else { return false }
    let port = self[colon...].dropFirst()
    return !(1...5).contains(port.count) || port.contains { !$0.isDigit }
  }
}

extension StringProtocol where SubSequence == Substring {
  /// Returns the text with the values of secret names replaced in the pairs of a query or form.
  ///
  /// It works on bytes, so that a combining character cannot hide a separator. A value that contains a secret in a
  /// URL, JSON or another form is replaced as a whole.
  func redactingSecretPairs(
    separatedBy separators: String, with placeholder: String = "<redacted>", depth: Int = 8
  ) -> String {
    var text = ""
    var rest = self[...].utf8
    var isAfterSecret = false
    while !rest.isEmpty {
      let pair = Substring(rest.prefix { !separators.utf8.contains($0) })
      rest = rest.dropFirst(pair.utf8.count)
      if isAfterSecret {
        // The text after a semicolon, a question mark or an apostrophe may belong to the previous value.
      } else if let equalsSign = pair.utf8.firstIndex(of: UInt8(ascii: "=")) {
        let value = pair[pair.utf8.index(after: equalsSign)...]
        if pair[..<equalsSign].isEscapedSecretName || value.hidesSecret(depth: depth) {
          text += pair[..<equalsSign] + "=" + placeholder
          isAfterSecret = true
          // The replacement of an earlier pass.
          if value.isEmpty, rest.starts(with: placeholder.utf8) {
            rest = rest.dropFirst(placeholder.utf8.count)
            continue
          }
          if value.isEmpty, let quote = rest.first, "\"'".utf8.contains(quote) {
            rest = rest.dropFirst()
            rest = rest[(rest.firstIndex(of: quote).map { rest.index(after: $0) } ?? rest.endIndex)...]
          }
        } else {
          text += pair
        }
      } else {
        text += pair.isJSONWithSecret(depth: depth) ? Substring(placeholder) : pair
      }
      guard let separator = rest.popFirst() else { break }
      isAfterSecret = isAfterSecret && ";?'".utf8.contains(separator)
      if !isAfterSecret { text.unicodeScalars.append(UnicodeScalar(separator)) }
    }
    return text
  }
}

extension Substring {
  /// Whether this is the escaped name of a secret parameter, or a path up to one.
  fileprivate var isEscapedSecretName: Bool {
    let name = utf8.lastIndex { "/,({[:".utf8.contains($0) }.map { self[utf8.index(after: $0)...] } ?? self
    let whole = String(self)
    return (String(name).removingPercentEncoding ?? String(name)).namesSecretParameter
      || (whole.removingPercentEncoding ?? whole).namesSecretParameter
  }

  /// The text of a value or of a whole query.
  private var unescapedQuery: String {
    replacingOccurrences(of: "+", with: " ").removingPercentEncoding ?? String(self)
  }

  /// Whether the text without a name, unescaped, is JSON with a secret.
  fileprivate func isJSONWithSecret(depth: Int) -> Bool {
    guard utf8.contains(where: { "%{[".utf8.contains($0) }) else { return false }
    let plain = unescapedQuery
    guard plain.beginsLikeJSON else { return false }
    let shown = SecretRedaction().redactedJSON(Data(plain.utf8), plain, depth: 8 * depth)
    return shown.map { !$0.hasSameBytes(as: plain) } ?? false
  }

  /// Whether the value, unescaped, is a URL, JSON or a form with a secret.
  fileprivate func hidesSecret(depth: Int) -> Bool {
    guard utf8.contains(where: { "%{[=".utf8.contains($0) }) else { return false }
    // A line of a text, or the end of Base64.
    if utf8.allSatisfy({ $0 == UInt8(ascii: "=") }) { return false }
    if depth == 0 { return true }
    let value = String(self)
    let plain = unescapedQuery
    if plain.hasSameBytes(as: value), !utf8.contains(where: { "{[=".utf8.contains($0) }) { return false }
    return !SecretRedaction().text(plain, depth: depth - 1).hasSameBytes(as: plain)
  }
}

extension UInt8 {
  /// Whether `//` after the byte is an empty segment of a path, not the beginning of an authority.
  fileprivate var isPartOfPath: Bool { isUnreserved || "/@%!$&*+".utf8.contains(self) }

  /// Whether the byte may begin or end a value within a text: of a pair, a user, an escape, JSON.
  var mayBeginValue: Bool {
    switch self {
    case UInt8(ascii: "="), UInt8(ascii: "@"), UInt8(ascii: "%"), UInt8(ascii: "{"), UInt8(ascii: "["): true
    default: false
    }
  }
}
