import Foundation
import Signals

extension CachePlan {
  /// The treatment of a response by the cache.
  enum Storage: Sendable {
    /// The response is not stored, for a reported reason; an older stored response is removed.
    case drop(String? = nil, removing: EntryName? = nil)
    /// The response updates the stored response to `GET`: it is one to `HEAD`, or the 304 to the caller's own
    /// condition.
    case update(FoundResponse, by: CachedHead)
    case record(Recording.Draft)
  }

  /// Decides how to store a response; `isWhole` is whether it completes a stored beginning.
  func storage(of head: HTTPResponse, _ receipt: Receipt, isWhole: Bool) -> Storage {
    let received = receipt.dated(head)
    let status = head.statusCode
    if request.method == .head && policy.isHTTP || status == 304 {
      guard let found, head.url.cacheAddress(ignoring: []) == request.url.cacheAddress(ignoring: []),
        status < 300 || status == 304 && (request.method == .head || found.response.head.isConfirmed(by: received))
      else { return .drop() }
      let isSame = found.response.head.isSameRepresentation(as: received)
      return isSame ? .update(found, by: received) : .drop(removing: found.name)
    }
    var stored = received
    stored.headers = received.headers.storable
    // RFC 9110 §6.6.1.
    if stored.headers["Date"] == nil { stored.headers["Date"] = HTTPDate.text(of: stored.receivedAt) }
    var response = StoredResponse(key: "", url: head.url, head: stored, version: policy.version, isHTTP: true)
    response.redirectCount = receipt.redirects.count
    response.variesBelow = variesBelow(received, receipt)
    let refusal = httpRefusal(of: received, receipt, &response)
    response.isHTTP = refusal == nil
    let difference = receipt.sent.flatMap { request.difference(from: $0) } ?? decisionRefusal(of: head, receipt)
    if let problem = difference ?? (policy.isHTTP ? refusal : appRefusal(of: head)) {
      // The stored response is older than this one.
      let isAnswer = (200..<300).contains(status) || [301, 308, 404, 410].contains(status)
      let isReplaced = policy.isHTTP && isAnswer && !CacheControl(request.headers).noStore
      return .drop(problem, removing: isReplaced ? found?.name : nil)
    }
    return .record(
      Recording.Draft(
        response: response, earlier: response.range == nil ? nil : found,
        // A range, or a response joined from ranges, has a known length.
        byteCount: isWhole || status == 206 ? head.partByteCount : nil,
        keepsRejected: policy.isHTTP && [300, 301, 308, 404, 405, 410, 414].contains(status),
        isShared: isShared, invalidations: receipt.began.invalidations))
  }

  /// Returns the reason not to store a response reached by a closure's redirect decision; `nil` if there is none.
  private func decisionRefusal(of head: HTTPResponse, _ receipt: Receipt) -> String? {
    guard case .decide = request.redirects?.rule else { return nil }
    let isDecided = !receipt.redirects.isEmpty || (300..<400).contains(head.statusCode)
    return isDecided ? "a closure has decided about a redirect" : nil
  }

  /// Returns the reason why HTTP forbids storing a response; `nil` if it allows it.
  private func httpRefusal(
    of received: CachedHead, _ receipt: Receipt, _ response: inout StoredResponse
  ) -> String? {
    if let refusal = Storability.refusal(of: request.method, requestHeaders: request.headers, response: received) {
      return refusal.rawValue
    }
    if received.isCoded, received.statusCode == 206 || request.headers["Range"] != nil {
      return "partial content of an encoded body, or a body that was not decoded"
    }
    if received.statusCode == 206 {
      guard let range = ContentRange(received.headers), range.length != nil else {
        return "unknown length of the representation"
      }
      response.range = range
      if range.first == 0, range.last + 1 == range.length {
        // The range is the whole representation.
        response.range = nil
        response.head.statusCode = 200
        response.head.headers["Content-Range"] = nil
      }
    }
    if response.variesBelow, !response.head.hasValidator {
      return "Vary names a header field set by middleware or cookies"
    }
    // A chain of redirects is as fresh as its first redirect to become stale.
    for redirect in receipt.redirects {
      let hop = receipt.dated(redirect)
      let left = hop.freshness.lifetime - hop.age(at: hop.receivedAt)
      let control = hop.cacheControl
      // The entry is found without checking the fields of its redirects.
      let isPlain = !control.noCache && control.noCacheFields.isEmpty && hop.headers["Vary"] == nil
      guard isPlain, left > .zero,
        Storability.refusal(of: .get, requestHeaders: request.headers, response: hop) == nil
      else {
        return "uncacheable redirect in its redirect chain"
      }
      let limit = hop.receivedAt.addingTimeInterval(left / .seconds(1))
      response.redirectLimit = min(response.redirectLimit ?? limit, limit)
    }
    return nil
  }

  /// Returns whether a field that selects the variant was set below the cache, so that only the server can select it.
  private func variesBelow(_ head: CachedHead, _ receipt: Receipt) -> Bool {
    guard var sent = receipt.sent?.fields, let fields = VaryFields(response: head.headers) else { return false }
    // The client's cookies are known in advance.
    if request.binding.jar != nil { sent["Cookie"] = request.headers["Cookie"] }
    return fields.values(in: sent) != fields.values(in: request.headers)
  }

  /// Returns the reason not to store a response under an app's policy; `nil` if there is none.
  private func appRefusal(of head: HTTPResponse) -> String? {
    if !(200..<300).contains(head.statusCode) { return "HTTP status \(head.statusCode)" }
    return head.statusCode == 206 ? "partial content" : nil
  }
}

extension HTTPResponse {
  /// The number of bytes of a partial response, or of a complete one by its `Content-Length`.
  fileprivate var partByteCount: Int? {
    if let range = ContentRange(headers) { return range.last - range.first + 1 }
    return headers["Content-Length"].flatMap { Int($0) }
  }
}
