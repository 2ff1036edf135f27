import Foundation

extension HTTPRequest {
  /// The maximum combined size of the URL and the header fields: 1,000 KiB.
  ///
  /// Most servers accept only 8 to 16 KiB; this limit keeps libcurl from failing with an unclear error. A larger head
  /// is rejected with ``NetworkError/Code/requestTooLarge`` before it is sent.
  public static let maximumHeadByteCount = 1_024_000

  /// The combined size of the URL and the header fields as sent, except for fields added by a transport.
  package var headByteCount: Int {
    headers.reduce(url.absoluteString.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
  }

  /// Throws a `client` error if the head is invalid or ambiguous on the wire.
  package func check() throws(NetworkError) {
    // CONNECT is for proxies, and TRACE echoes secrets (RFC 9110 §9.3.6, §9.3.8).
    guard method.rawValue.isHTTPToken, method.rawValue != "CONNECT", method.rawValue != "TRACE" else {
      throw refusal("invalid method \(method.rawValue.debugDescription)", .invalidMethod)
    }
    guard Origin.exists(of: url) else {
      throw refusal(
        "invalid URL \(url.redacted): the scheme must be http or https, without user information", .invalidURL)
    }
    guard headByteCount <= HTTPRequest.maximumHeadByteCount else {
      throw refusal(
        "URL and header fields are \(headByteCount) bytes, over the limit of \(HTTPRequest.maximumHeadByteCount)",
        .requestTooLarge)
    }
    guard method != .head || body == .empty else {
      throw refusal("a HEAD request can't have a body", .invalidBody)
    }
    for field in headers {
      guard field.name.isHTTPToken else {
        throw refusal("invalid header field name \(field.loggedName.debugDescription)")
      }
      guard !field.value.hasControlCharacter else {
        throw refusal("control character in the value of \(field.name)")
      }
      try checkFraming(field)
    }
  }

  /// Checks a field that defines the framing or routing of a message; the length of the name is compared first.
  private func checkFraming(_ field: HTTPHeaders.Field) throws(NetworkError) {
    func isNamed(_ other: String) -> Bool { field.name.isEqualIgnoringCase(to: other) }
    switch field.name.utf8.count {
    case 2 where isNamed("TE"), 7 where isNamed("Upgrade") || isNamed("Trailer"),
      10 where isNamed("Connection") || isNamed("Keep-Alive"), 16 where isNamed("Proxy-Connection"),
      17 where isNamed("Transfer-Encoding"):
      throw refusal("`\(field.name)` is set by the transport and can't be overridden")
    case 14 where isNamed("Content-Length"):
      // Compared as text, because `Int` would accept a sign.
      guard body.byteCount.map(String.init) == field.value else {
        throw refusal("Content-Length \(field.value) does not match the body")
      }
    case 4 where isNamed("Host"): break
    default: return
    }
    guard headers.values(for: field.name).count == 1 else { throw refusal("duplicate header field \(field.name)") }
  }

  private func refusal(_ reason: String, _ code: NetworkError.Code = .invalidHeader) -> NetworkError {
    NetworkError(code, reason: reason, request: self)
  }
}
