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
      if let framing = field.framing { try check(field, framing) }
    }
  }

  private func check(_ field: HTTPHeaders.Field, _ framing: HTTPHeaders.Framing) throws(NetworkError) {
    switch framing {
    case .connection: throw refusal("`\(field.name)` is set by the transport and can't be overridden")
    case .host: break
    case .length:
      // Compared as text, because `Int` would accept a sign.
      guard body.byteCount.map(String.init) == field.value else {
        throw refusal("Content-Length \(field.value) does not match the body")
      }
    }
    guard headers.values(for: field.name).count == 1 else { throw refusal("duplicate header field \(field.name)") }
  }

  private func refusal(_ reason: String, _ code: NetworkError.Code = .invalidHeader) -> NetworkError {
    NetworkError(code, reason: reason, request: self)
  }
}

extension HTTPHeaders {
  /// The header fields that define the framing or routing of a message.
  fileprivate enum Framing {
    case connection, host, length
  }
}

extension HTTPHeaders.Field {
  /// The field's role in framing or routing, if any; the length of the name is compared first.
  fileprivate var framing: HTTPHeaders.Framing? {
    func isNamed(_ other: String) -> Bool { name.isEqualIgnoringCase(to: other) }
    switch name.utf8.count {
    case 2: return isNamed("TE") ? .connection : nil
    case 4: return isNamed("Host") ? .host : nil
    case 7: return isNamed("Upgrade") || isNamed("Trailer") ? .connection : nil
    case 10: return isNamed("Connection") || isNamed("Keep-Alive") ? .connection : nil
    case 14: return isNamed("Content-Length") ? .length : nil
    case 16: return isNamed("Proxy-Connection") ? .connection : nil
    case 17: return isNamed("Transfer-Encoding") ? .connection : nil
    default: return nil
    }
  }
}
