extension HTTPRequest {
  /// Throws a `client` error if the head cannot be sent as it is, or would say something else on the wire.
  package func check() throws(NetworkError) {
    guard method.rawValue.isHTTPToken else {
      throw NetworkError(
        .client, .badMethod, reason: "\(method.rawValue.debugDescription) is no method", request: self)
    }
    for field in headers {
      guard field.name.isHTTPToken else {
        throw refusal("\(field.name.debugDescription) is no header name")
      }
      guard !field.value.utf8.contains(where: { $0 == 0 || $0 == 10 || $0 == 13 }) else {
        throw refusal("the value of \(field.name) holds CR, LF or NUL")
      }
      guard !field.name.isEqualIgnoringCase(to: "Transfer-Encoding") else {
        throw refusal("Transfer-Encoding is the transport's to say")
      }
      if field.name.isEqualIgnoringCase(to: "Content-Length"), Int(field.value) != body.byteCount {
        throw refusal("Content-Length is \(field.value), which the body is not")
      }
    }
  }

  private func refusal(_ reason: String) -> NetworkError {
    NetworkError(.client, .badHeader, reason: reason, request: self)
  }
}
