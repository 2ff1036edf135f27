extension String {
  /// The URL without components that may be secret: user, password, query and fragment, and in its path secret
  /// parameters, JSON Web Tokens and the secrets of a URL or JSON in a segment; `…` replaces the query.
  ///
  /// It works on the text: percent-escapes remain, and a URL that no parser accepts is redacted, too. For a scheme
  /// without an authority, such as `data:`, only the scheme is kept. The result is on one line.
  package var redactedAddress: String {
    var (start, rest) = ("", self[...])
    if let colon = utf8.firstIndex(where: { ":/?#".utf8.contains($0) }), utf8[colon] == UInt8(ascii: ":") {
      let next = utf8.index(after: colon)
      (start, rest) = (String(self[..<next]), self[next...])
      guard rest.utf8.starts(with: "//".utf8) else { return (start + "…").singleLine }
    }
    if rest.utf8.starts(with: "//".utf8) {
      let bytes = rest.utf8.contains(UInt8(ascii: "@")) ? Array(rest.utf8) : []
      if let at = bytes.dropFirst(2).endOfUserInformation(isInText: false) {
        start += "//"
        rest = Substring(rest.utf8.dropFirst(at + 1))
      }
    }
    // Beyond the user information, which may contain these characters.
    let end = rest.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? rest.endIndex
    let hasQuery = end < rest.endIndex && rest.utf8[end] == UInt8(ascii: "?")
    let path = String(rest[..<end]).redactingUsers(with: "…").redactingSegments(with: "…")
    return (start + path.redactingWebTokens(with: "…") + (hasQuery ? "?…" : "")).singleLine
  }
}
