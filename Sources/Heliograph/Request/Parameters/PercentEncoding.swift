/// The percent-encoding of names and values in a query or in the body of a form.
///
/// The two encodings differ and must not be mixed: `+` is a space in a form and ambiguous in a query, so a plus sign is
/// always encoded as `%2B`.
///
/// | | ``query`` | ``form`` |
/// |---|---|---|
/// | unescaped | letters, digits, `-._~` | letters, digits, `*-._` |
/// | space | `%20` | `+` |
/// | everything else, byte by byte in UTF-8 | `%XX` | `%XX` |
package enum PercentEncoding: Sendable, Hashable {
  /// A query (RFC 3986 §3.4): everything except the unreserved characters (§2.3) is encoded.
  case query
  /// The body of a form, `application/x-www-form-urlencoded`, as serialized by the URL standard.
  case form

  /// Encodes pairs, with `=` between name and value and `&` between pairs; a pair without a value is its name alone.
  package func encode(_ pairs: some Sequence<ParameterPair>) -> String {
    String(decoding: bytes(pairs), as: UTF8.self)
  }

  /// Encodes pairs as bytes, such as those of a body; a pair without a value is its name alone.
  package func bytes(_ pairs: some Sequence<ParameterPair>) -> [UInt8] {
    var bytes: [UInt8] = []
    var isFirst = true
    for pair in pairs {
      if !isFirst { bytes.append(UInt8(ascii: "&")) }
      isFirst = false
      write(pair.name, to: &bytes)
      guard let value = pair.value else { continue }
      bytes.append(UInt8(ascii: "="))
      write(value, to: &bytes)
    }
    return bytes
  }

  /// Encodes a single name or value.
  package func encode(_ text: String) -> String {
    var bytes: [UInt8] = []
    write(text, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func write(_ text: String, to bytes: inout [UInt8]) {
    var text = text
    text.withUTF8 { write($0, to: &bytes) }
  }

  /// Encodes arbitrary bytes; runs without escapes are copied at once.
  func write(_ source: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
    let isForm = self == .form
    var start = 0
    var index = 0
    while index < source.count {
      let byte = source[index]
      index += 1
      let isPlain =
        byte.isUnreserved ? !isForm || byte != UInt8(ascii: "~") : isForm && byte == UInt8(ascii: "*")
      if isPlain { continue }
      if start < index - 1 { bytes.append(contentsOf: source[start..<index - 1]) }
      start = index
      if byte == 0x20, isForm {
        bytes.append(UInt8(ascii: "+"))
      } else {
        bytes.appendPercentEscape(of: byte)
      }
    }
    if start < index { bytes.append(contentsOf: source[start...]) }
  }
}
