import Foundation

extension HTTPRequest {
  /// The maximum length of address and header fields together: 1,000 KiB.
  ///
  /// Servers take a hundredth of it. What is longer is refused with ``NetworkError/Code/requestTooLarge`` before it is sent.
  public static let maximumHeadByteCount = 1_024_000

  /// The length of address and header fields as they go over the wire, but for what a transport adds.
  package var headByteCount: Int {
    headers.reduce(url.absoluteString.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
  }

  /// Throws a `client` error if the head cannot be sent as it is, or would say something else on the wire.
  package func check() throws(NetworkError) {
    guard method.rawValue.isHTTPToken else {
      throw NetworkError(
        .client, .badMethod, reason: "\(method.rawValue.debugDescription) is no method", request: self)
    }
    guard headByteCount <= HTTPRequest.maximumHeadByteCount else {
      throw NetworkError(
        .client, .requestTooLarge, reason: "address and header fields have \(headByteCount) bytes", request: self)
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
