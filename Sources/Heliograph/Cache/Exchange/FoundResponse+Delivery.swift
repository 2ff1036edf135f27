import Foundation

extension FoundResponse {
  /// Returns the head and the bytes of the body to deliver for a request (RFC 9111 §4).
  func reply(to request: HTTPRequest, from source: ResponseSource) -> (head: HTTPResponse, bytes: Range<Int>) {
    var head = HTTPResponse(
      statusCode: response.head.statusCode, headers: response.head.headers, url: response.url)
    if case .cache(let age) = source {
      head.headers = head.headers.withoutFields(of: CacheControl(head.headers))
      head.headers["Age"] = String(max(0, age.components.seconds))
    }
    var bytes = 0..<body.byteCount
    if request.headers.isConditional,
      Precondition.isNotModified(request: request.headers, stored: response.head) == true
    {
      // RFC 9110 §15.4.5.
      head.statusCode = 304
      head.headers["Content-Length"] = nil
      bytes = 0..<0
    } else if request.cachePolicy.isHTTP, let range = storedRange(for: request) {
      // RFC 9110 §15.3.7.
      head.statusCode = 206
      let field = ContentRange(first: range.lowerBound, last: range.upperBound - 1, length: length)
      head.headers["Content-Range"] = field?.text
      head.headers["Content-Length"] = String(range.count)
      bytes = range.lowerBound - firstByte..<range.upperBound - firstByte
    } else if request.cachePolicy.isHTTP, isUnsatisfiable(for: request) {
      head.statusCode = 416
      head.headers["Content-Range"] = "bytes */\(length)"
      head.headers["Content-Length"] = "0"
      bytes = 0..<0
    }
    return (head, request.method == .head ? 0..<0 : bytes)
  }
}

extension StoredBody {
  /// Whether the body is as it was stored.
  var isIntact: Bool { if case .disk(let entry) = self { entry.verify() } else { true } }

  /// Returns the first bytes of a range, at most 64 KiB from a file; `nil` if the file cannot be read.
  func piece(of bytes: Range<Int>) -> Data? {
    switch self {
    case .data(let data): return bytes.count == data.count ? data : data.subdata(in: bytes)
    case .disk(let entry):
      let piece = entry.read(at: bytes.lowerBound, count: min(65_536, bytes.count))
      return piece?.isEmpty == true ? nil : piece
    }
  }
}
