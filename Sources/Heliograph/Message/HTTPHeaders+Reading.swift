extension HTTPHeaders.Field {
  /// Creates a field from received bytes; those of the value have no surrounding whitespace.
  ///
  /// The value is decoded as UTF-8 or, if it is not valid, as ISO-8859-1, which older servers send (RFC 9110 §5.5). In
  /// `Location` and `Content-Location`, the non-ASCII bytes of such a value are percent-encoded, so that the URL is
  /// preserved.
  package init(name: String, value: UnsafeRawBufferPointer) {
    if let text = String(validating: value, as: UTF8.self) {
      self.init(name: name, value: text)
      return
    }
    let isAddress = name.isEqualIgnoringCase(to: "Location") || name.isEqualIgnoringCase(to: "Content-Location")
    var text = ""
    for byte in value {
      if isAddress, byte >= 0x80 {
        text += "%" + String(byte, radix: 16, uppercase: true)
      } else {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    self.init(name: name, value: text)
  }
}
