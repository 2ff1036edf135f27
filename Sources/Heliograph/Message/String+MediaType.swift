import Foundation

extension String {
  /// The media type of a `Content-Type` in lower case, without parameters (RFC 9110 §8.3.1).
  package var mediaType: String { prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased() }

  /// Whether a `Content-Type` is JSON: `application/json`, `text/json` or a `+json` type (RFC 6839 §3.1).
  package var isJSONMediaType: Bool {
    let type = mediaType
    return type == "application/json" || type == "text/json" || type.hasSuffix("+json")
  }

  /// Returns the value of a parameter of a `Content-Type`, without quotation marks (RFC 9110 §5.6.6).
  ///
  /// - Parameter name: The name in lower case.
  /// - Returns: The value of the first such parameter; `nil` if there is none.
  func mediaTypeParameter(_ name: String) -> String? {
    var rest = utf8[...]
    while let start = rest.firstIndex(of: UInt8(ascii: ";")) {
      rest = rest[start...].dropFirst().drop(while: \.isSpaceOrTab)
      let end = rest.firstIndex { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ";") } ?? rest.endIndex
      let found = String(Substring(rest[..<end])).loweredASCII.trimmingCharacters(in: .whitespaces)
      rest = rest[end...]
      guard rest.first == UInt8(ascii: "=") else { continue }
      let value = rest.dropFirst().drop(while: \.isSpaceOrTab).takeParameterValue(rest: &rest)
      if found == name { return value }
    }
    return nil
  }

  /// Whether a `Content-Type` is an HTML form: `application/x-www-form-urlencoded`.
  package var isFormMediaType: Bool {
    // Fast path: most types are shorter and need no parsing.
    let form = "application/x-www-form-urlencoded"
    return utf8.count >= form.utf8.count && mediaType == form
  }
}

extension String {
  /// The content type of a server for a log: a media type with a common charset; any other text is not logged.
  var loggedMediaType: String {
    let parts = mediaType.split(separator: "/", omittingEmptySubsequences: false)
    let isPlain = parts.count == 2 && parts.allSatisfy { $0.utf8.count <= 64 && String($0).isHTTPToken }
    if !isPlain { return isEmpty ? "missing" : "malformed" }
    let knownCharsets = [
      "big5", "euc-jp", "euc-kr", "gb18030", "gb2312", "gbk", "iso-8859-1", "shift_jis", "us-ascii", "utf-16", "utf-8",
      "windows-1252",
    ]
    let rest = lowercased().filter { $0 != " " && $0 != "\"" }.split(separator: ";").dropFirst()
    let charset = rest.lazy.compactMap { $0.wholeMatch(of: /charset=(.*)/)?.output.1 }.first.map(String.init)
    return knownCharsets.contains(charset ?? "") ? "\(mediaType); charset=\(charset ?? "")" : mediaType
  }

  /// The content codings of a server for a log; an unknown coding is not named.
  var loggedCoding: String {
    let knownCodings = ["br", "compress", "deflate", "gzip", "identity", "x-gzip", "zstd"]
    let names = split(separator: ",").map { $0.filter { $0 != " " }.lowercased() }
    return names.allSatisfy(knownCodings.contains) ? names.joined(separator: ", ") : "unknown"
  }
}

extension Substring.UTF8View {
  /// Returns the token or the content of the quoted string at the start, and the text after it.
  fileprivate func takeParameterValue(rest: inout Substring.UTF8View) -> String {
    guard first == UInt8(ascii: "\"") else {
      let end = firstIndex(of: UInt8(ascii: ";")) ?? endIndex
      rest = self[end...]
      return String(Substring(self[..<end])).trimmingCharacters(in: .whitespaces)
    }
    var (bytes, index) = ([UInt8](), self.index(after: startIndex))
    while index < endIndex, self[index] != UInt8(ascii: "\"") {
      if self[index] == UInt8(ascii: "\\"), self.index(after: index) < endIndex { index = self.index(after: index) }
      bytes.append(self[index])
      index = self.index(after: index)
    }
    rest = self[index...].dropFirst()
    return String(decoding: bytes, as: UTF8.self)
  }
}
