import Foundation
import Heliograph

/// The sizes of an exchange on the wire, in bytes; -1 means unknown.
///
/// Transports report only sums: of head and body, and of all exchanges of a redirect chain or of a request that was
/// resent. The size of a body follows from the response: without a content coding it is that of the content, else
/// `Content-Length`.
struct HARSizes: Sendable, Equatable {
  var requestHead = -1
  var requestBody = -1
  var responseHead = -1
  var responseBody = -1
  /// The bytes received, of head and body.
  var transfer = -1
  /// The bytes saved by a content coding; `nil` if they are unknown, or without a coding.
  var compression: Int?

  init(_ record: borrowing ExchangeRecord) {
    requestBody = record.requestBody?.byteCount ?? record.request.body.byteCount ?? -1
    switch record.source {
    case .cache, .shared:
      (responseHead, responseBody, transfer) = (0, 0, 0)
      return
    case .network, .revalidated, nil: break
    }
    if record.source == .revalidated {
      // The body is the stored one; the response to the condition has none.
      responseBody = 0
    } else if let head = record.response {
      responseBody = HARSizes.body(of: head, record)
      let saved = record.responseByteCount - responseBody
      if responseBody >= 0, saved > 0 { compression = saved }
    }
    // Of several exchanges only sums are known.
    let isSingle = record.hop == 0 && !record.isFollowed
    guard isSingle, let metrics = record.metrics, metrics.resendCount == 0 else { return }
    // No head is empty, so a transport that counts no more than bodies, as `URLSession` on Linux, counts no heads.
    let sentHead = metrics.sentByteCount - max(0, requestBody)
    guard sentHead != 0 else { return }
    // A response may come before all of the body has been sent.
    if requestBody >= 0, sentHead > 0 { requestHead = sentHead }
    guard metrics.receivedByteCount > 0, metrics.receivedByteCount != responseBody else { return }
    transfer = metrics.receivedByteCount
    // The transport may have removed the field that names the coding.
    if responseBody > transfer { responseBody = -1 }
    if responseBody >= 0 { responseHead = transfer - responseBody }
  }

  private static func body(of head: HTTPResponse, _ record: borrowing ExchangeRecord) -> Int {
    if record.request.method == .head || head.statusCode == 204 || head.statusCode == 304 { return 0 }
    // The body of a response that another exchange follows is dropped.
    if !record.isFollowed, !head.headers.hasContentCoding { return record.responseByteCount }
    return head.headers["Content-Length"].flatMap { Int($0) }.map { max(-1, $0) } ?? -1
  }
}
