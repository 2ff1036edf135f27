import Foundation
import Heliograph

/// The actions of a connection for a response: bytes and pauses in order, and a final close, if any.
struct ResponsePlan {
  /// The actions; only `bytes`, `delay`, `close`, `reset` and `hold`.
  private(set) var steps: [LoopbackResponse.Step] = []
  private(set) var closesAfterResponse: Bool
  private var headByteCount = 0

  init(_ response: LoopbackResponse, to head: RequestHead?) {
    let requestsClose = response.headers.values(for: "Connection").contains { $0.lowercased() == "close" }
    closesAfterResponse = response.closes || requestsClose || !(head?.isPersistent ?? false)
    if response.delay > .zero { steps.append(.delay(response.delay)) }
    switch response.content {
    case .script(let script):
      steps += script.map { if case .text(let text) = $0 { .bytes(Data(text.utf8)) } else { $0 } }
    case .whole(let body):
      write(body, of: response, to: head)
    case .chunks(let chunks, let interval):
      write(chunks.filter { !$0.isEmpty }, every: interval, of: response, to: head)
    }
    if let limit = response.limit {
      let start = limit.isOfBody ? headByteCount : 0
      truncate(after: start + min(limit.byteCount, .max - start), with: limit.last)
    }
  }

  /// The maximum size of a body that is copied to be written together with its head.
  private static let joinedByteLimit = 16 * 1024

  private mutating func write(_ body: Data, of response: LoopbackResponse, to head: RequestHead?) {
    let isBodiless = response.status < 200 || response.status == 204 || response.status == 304
    var bytes = serializedHead(response, to: head, framing: isBodiless ? nil : ("Content-Length", "\(body.count)"))
    let body = isBodiless || head?.method == "HEAD" ? Data() : body
    let isJoined = body.count <= Self.joinedByteLimit
    if isJoined { bytes.append(body) }
    steps += isJoined ? [.bytes(bytes)] : [.bytes(bytes), .bytes(body)]
  }

  private mutating func write(
    _ chunks: [Data], every interval: Duration, of response: LoopbackResponse, to head: RequestHead?
  ) {
    let isOld = head?.minorVersion == 0
    // With a length of the route's own the pieces are sent as they are.
    let isUnframed = isOld || response.headers["Content-Length"] != nil
    if isOld { closesAfterResponse = true }
    var bytes = serializedHead(response, to: head, framing: isUnframed ? nil : ("Transfer-Encoding", "chunked"))
    if head?.method != "HEAD" {
      for (number, chunk) in chunks.enumerated() {
        if number > 0, interval > .zero {
          steps += [.bytes(bytes), .delay(interval)]
          bytes = Data()
        }
        if !isUnframed { bytes.append(contentsOf: "\(String(chunk.count, radix: 16))\r\n".utf8) }
        bytes.append(chunk)
        if !isUnframed { bytes.append(contentsOf: "\r\n".utf8) }
      }
      if !isUnframed { bytes.append(contentsOf: "0\r\n\r\n".utf8) }
    }
    if !bytes.isEmpty { steps.append(.bytes(bytes)) }
  }

  private mutating func serializedHead(
    _ response: LoopbackResponse, to head: RequestHead?, framing: (name: String, value: String)?
  ) -> Data {
    var text = "HTTP/1.1 \(response.status) \(Self.reasons[response.status] ?? "")\r\n"
    let headers = response.headers
    if let contentType = response.contentType, headers["Content-Type"] == nil {
      text += "Content-Type: \(contentType)\r\n"
    }
    for field in headers { text += "\(field.name): \(field.value)\r\n" }
    // If the route sets a framing field, none is added.
    if let framing, headers["Content-Length"] == nil, headers["Transfer-Encoding"] == nil {
      text += "\(framing.name): \(framing.value)\r\n"
    }
    if headers["Connection"] == nil, closesAfterResponse || head?.minorVersion == 0 {
      text += "Connection: \(closesAfterResponse ? "close" : "keep-alive")\r\n"
    }
    let bytes = Data((text + "\r\n").utf8)
    headByteCount = bytes.count
    return bytes
  }

  private mutating func truncate(after byteCount: Int, with last: LoopbackResponse.Step) {
    var remaining = byteCount
    for (index, step) in steps.enumerated() {
      switch step {
      case .bytes(let data) where data.count >= remaining:
        steps.replaceSubrange(index..., with: [.bytes(data.prefix(remaining)), last])
        return
      case .bytes(let data): remaining -= data.count
      case .close, .reset, .hold: return
      case .delay, .text: break
      }
    }
    steps.append(last)
  }

  /// The reason phrases of common statuses (RFC 9110 §15); others get an empty one, which clients ignore.
  private static let reasons: [Int: String] = [
    200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 206: "Partial Content", 301: "Moved Permanently",
    302: "Found", 303: "See Other", 304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect",
    400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
    408: "Request Timeout", 409: "Conflict", 410: "Gone", 412: "Precondition Failed", 413: "Content Too Large",
    416: "Range Not Satisfiable", 417: "Expectation Failed", 418: "I'm a teapot", 422: "Unprocessable Content",
    429: "Too Many Requests", 431: "Request Header Fields Too Large", 500: "Internal Server Error",
    501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
    505: "HTTP Version Not Supported",
  ]
}
