import Foundation

extension HTTPRequest {
  /// Throws a `client` error if the head cannot be sent as it is, or would say something else on the wire.
  package func check() throws(NetworkError) {
    guard method.rawValue.isHTTPToken else {
      throw NetworkError(
        .client, .badMethod, reason: "\(method.rawValue.debugDescription) is no method", request: self)
    }
    guard method != .head || body == .empty else {
      throw NetworkError(.client, .badBody, reason: "HEAD has no body", request: self)
    }
    var byteCount = url.absoluteString.utf8.count
    guard byteCount <= HTTPRequest.headByteLimit else {
      throw NetworkError(.client, .badURL, reason: "the address has \(byteCount) bytes", request: self)
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
      byteCount += field.name.utf8.count + field.value.utf8.count + 4
    }
    guard byteCount <= HTTPRequest.headByteLimit else {
      throw refusal("the head has more than \(HTTPRequest.headByteLimit) bytes")
    }
  }

  /// How long address and header fields may be together: 1 MiB, less 4 KiB for what a transport adds.
  private static let headByteLimit = 1_044_480

  private func refusal(_ reason: String) -> NetworkError {
    NetworkError(.client, .badHeader, reason: reason, request: self)
  }
}
