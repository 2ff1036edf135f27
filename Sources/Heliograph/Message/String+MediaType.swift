import Foundation

extension String {
  /// The media type of a `Content-Type` in lower case, without parameters (RFC 9110 §8.3.1); `?` if it is not ASCII,
  /// because comparing such a text of a server can take quadratic time.
  package var mediaType: String {
    let type = String(Substring(lastMediaType.utf8.prefix { $0 != UInt8(ascii: ";") })).trimmedField
    return type.isASCII ? type.loweredASCII : "?"
  }

  /// The last valid media type of a field that was sent more than once, whose values are joined.
  private var lastMediaType: String {
    // Fast path: most have one.
    guard utf8.contains(UInt8(ascii: ",")) else { return self }
    var last = self
    FieldList.forEach(in: self) { member in
      let text = String(decoding: member, as: UTF8.self)
      let parts = text.utf8.prefix { $0 != UInt8(ascii: ";") }.split(separator: UInt8(ascii: "/"))
      let names = parts.map { String(Substring($0)).trimmedField }
      if names.count == 2, names[0] != "*", names.allSatisfy(\.isHTTPToken) { last = text }
    }
    return last
  }

  /// Whether a `Content-Type` is JSON: `application/json`, `text/json` or a `+json` type (RFC 6839 §3.1).
  package var isJSONMediaType: Bool {
    let type = mediaType
    return type == "application/json" || type == "text/json" || type.hasSuffix("+json")
  }

  /// The charset of a `Content-Type` in lower case.
  var charset: String? { lastMediaType.mediaTypeParameter("charset")?.loweredASCII }

  /// Returns the value of the first parameter of a field such as `Content-Type` with a name in lower case (RFC 9110 §5.6.6).
  package func mediaTypeParameter(_ name: String) -> String? {
    var (text, value) = (self, String?.none)
    text.withUTF8 { bytes in
      FieldList.forEach(bytes[...].drop { $0 != UInt8(ascii: ";") }, separator: ";") { part in
        let parameter = part.parameter(canBeUnterminated: true)
        if value == nil, parameter?.name == name { value = parameter?.value }
      }
    }
    return value
  }

  /// Whether a `Content-Type` is an HTML form: `application/x-www-form-urlencoded`.
  package var isFormMediaType: Bool {
    // Fast path: most types are shorter and need no parsing.
    let form = "application/x-www-form-urlencoded"
    return utf8.count >= form.utf8.count && mediaType == form
  }

  /// The content type of a server for a log: a media type with a common charset; any other text is not logged.
  var loggedMediaType: String {
    guard isASCII else { return "malformed" }
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
    guard isASCII else { return "unknown" }
    let knownCodings = ["br", "compress", "deflate", "gzip", "identity", "x-gzip", "zstd"]
    let names = split(separator: ",").map { $0.filter { $0 != " " }.lowercased() }
    return names.allSatisfy(knownCodings.contains) ? names.joined(separator: ", ") : "unknown"
  }
}

extension HTTPHeaders {
  package var isEventStream: Bool { self["Content-Type"]?.mediaType == "text/event-stream" }
}
