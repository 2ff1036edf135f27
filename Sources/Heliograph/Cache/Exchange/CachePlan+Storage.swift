import Foundation
import Signals

extension CachePlan {
  /// The cache's decision about a received response.
  enum Storage: Sendable {
    /// The response is not stored, for a reported reason; an older stored response is removed.
    case drop(String? = nil, removing: EntryName? = nil)
    /// The response updates the stored response to `GET`: it is a response to `HEAD`, a 304 to the caller's own
    /// condition, or a range of it.
    case update(FoundResponse, by: CachedHead)
    case record(Recording.Draft)
  }

  /// Decides how to store a response, which may complete a stored beginning.
  func storage(of head: HTTPResponse, _ receipt: Receipt, completesStored: Bool) -> Storage {
    // It says nothing about the stored response.
    if receipt.isOfMiddleware { return .drop(senderRefusal(receipt)) }
    let received = receipt.cachedHead(of: head)
    let status = head.statusCode
    if request.method == .head && policy.isHTTP || status == 304 {
      guard let found, status < 300 || status == 304 && isAnswer(received, about: found.response.head) else {
        return .drop()
      }
      if !hasURL(of: found, head) {
        // The redirects that led to the stored response have changed.
        return .drop(removing: status < 300 && found.response.redirectCount > 0 ? found.name : nil)
      }
      var whole = found.response.head
      if let range = found.response.range { whole.headers["Content-Length"] = range.length.map(String.init) }
      let isSame = whole.isSameRepresentation(as: received)
      return isSame ? .update(found, by: received) : .drop(removing: found.name)
    }
    if let storage = storage(ofRange: received, head) { return storage }
    var stored = received
    stored.headers = received.headers.storable
    stored.addMissingDate()
    var response = StoredResponse(key: "", url: head.url, head: stored, version: policy.version, isHTTP: true)
    response.redirectCount = receipt.redirects.count
    response.variesBelowCache = variesBelowCache(received, receipt)
    let refusal = httpRefusal(of: received, receipt, &response)
    response.isHTTP = refusal == nil
    let problem =
      senderRefusal(receipt) ?? decisionRefusal(of: head, receipt) ?? (policy.isHTTP ? refusal : appRefusal(of: head))
      ?? codingRefusal(of: received, receipt) ?? sliceRefusal(of: received, receipt)
    if let problem {
      // The stored response is outdated, unless the new status is temporary.
      let isDefinite = (200..<300).contains(status) || [301, 308, 404, 410].contains(status)
      let isReplaced = policy.isHTTP && isDefinite && !CacheControl(request.headers).noStore
      return .drop(problem, removing: isReplaced ? found?.name : nil)
    }
    let earlier = response.range == nil ? nil : found.flatMap { hasURL(of: $0, head) ? $0 : nil }
    return .record(
      Recording.Draft(
        response: response, earlier: earlier,
        // The length of a range, or of a response joined from ranges, is known.
        byteCount: completesStored || status == 206 ? head.expectedByteCount : nil,
        storesIfRejected: policy.isHTTP && [300, 301, 308, 404, 405, 410, 414].contains(status),
        invalidations: receipt.start.invalidations))
  }

  /// Returns what a range changes of the complete stored response; `nil` if it may replace that.
  ///
  /// RFC 9111 §4.3.4. The fields of a response with several ranges describe these, and change nothing. Neither does a
  /// range of a body that was sent with a content coding: it is a range of another representation.
  private func storage(ofRange received: CachedHead, _ head: HTTPResponse) -> Storage? {
    guard received.statusCode == 206, policy.isHTTP else { return nil }
    if hidesCodedBody { return .drop() }
    guard let found, found.response.range == nil, found.response.head.statusCode == 200, hasURL(of: found, head),
      received.hasStrongTag(of: found.response.head)
    else { return nil }
    switch ContentRange(received.headers)?.length {
    case nil: return .drop()
    case found.body.byteCount:
      var received = received
      received.headers.removeDigestsOfContent()
      // Otherwise the next use validates it, and an update would copy the whole body for each range.
      let stored = found.response.head
      let isFresh = [stored, stored.updated(by: received)].contains { head in
        !head.cacheControl.noCache && head.lifetime > head.age(at: received.receivedAt)
      }
      return isFresh || received.cacheControl.forbidsStorage ? .update(found, by: received) : .drop()
    default: return nil
    }
  }

  /// Returns whether a received response has the URL of a stored one: redirects may have led to another resource.
  func hasURL(of found: FoundResponse, _ head: HTTPResponse) -> Bool {
    let ignored = request.context.cache?.ignoredParameters ?? []
    return head.url.cacheAddress(ignoring: ignored) == found.response.url.cacheAddress(ignoring: ignored)
  }

  /// Returns whether a 304 to the caller's own condition is about the stored response (RFC 9111 §4.3.4).
  ///
  /// Without a validator it is about the response that the caller has, which may be another one.
  private func isAnswer(_ received: CachedHead, about stored: CachedHead) -> Bool {
    guard received.hasValidator || !stored.hasValidator else { return false }
    return request.method == .head || stored.confirmation(by: received) == .updates
  }

  /// Returns the reason not to store a response or its header fields, because it was requested otherwise, or with
  /// credentials that no lookup knows; `nil` if there is none.
  func senderRefusal(_ receipt: Receipt) -> String? {
    if isOtherRequest { return "filters have made another request of it when it was sent again" }
    if receipt.isOfMiddleware { return "middleware has responded itself" }
    if let difference = receipt.sent.flatMap({ request.difference(from: $0) }) { return difference }
    if request.context.cache?.hasAccounts == true { return nil }
    if receipt.hasOtherCookies { return "cookies were sent after a redirect, and the client has no accounts" }
    return receipt.isAuthenticated ? "the transport has answered a challenge, and the client has no accounts" : nil
  }

  /// Returns the reason not to store a response reached by a closure's redirect decision; `nil` if there is none.
  private func decisionRefusal(of head: HTTPResponse, _ receipt: Receipt) -> String? {
    guard case .decide = request.redirects?.rule else { return nil }
    let isDecided = !receipt.redirects.isEmpty || (300..<400).contains(head.statusCode)
    return isDecided ? "a closure has decided about a redirect" : nil
  }

  /// Returns the reason why HTTP forbids storing a response, or sets its range and redirect limit and returns `nil`.
  private func httpRefusal(
    of received: CachedHead, _ receipt: Receipt, _ response: inout StoredResponse
  ) -> String? {
    if let refusal = Storability.refusal(of: request.method, requestHeaders: request.headers, response: received) {
      return refusal.rawValue
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
    if response.variesBelowCache, !response.head.hasValidator {
      return "Vary names a header field set by middleware or cookies"
    }
    // A redirect chain is fresh until the first of its redirects becomes stale.
    for redirect in receipt.redirects {
      let hop = receipt.cachedHead(of: redirect)
      let remaining = hop.lifetime - hop.age(at: hop.receivedAt)
      let control = hop.cacheControl
      // A lookup does not check the fields of the redirects.
      let isPlain = !control.noCache && control.noCacheFields.isEmpty && hop.headers["Vary"] == nil
      guard isPlain, remaining > .zero,
        Storability.refusal(of: .get, requestHeaders: request.headers, response: hop) == nil
      else {
        return "uncacheable redirect in its redirect chain"
      }
      let limit = hop.receivedAt.addingTimeInterval(remaining / .seconds(1))
      response.redirectLimit = min(response.redirectLimit ?? limit, limit)
    }
    return nil
  }

  /// Returns the reason not to store an encoded body: the transport has not decoded it; `nil` if there is none.
  private func codingRefusal(of received: CachedHead, _ receipt: Receipt) -> String? {
    let sent = receipt.sent?.headers ?? request.headers
    if !received.isEncoded || received.statusCode != 206 && sent.offersCodings { return nil }
    return "partial content of an encoded body, or a body that was not decoded"
  }

  /// Returns the reason not to store a slice with the status of the whole, by which some servers answer a range; `nil` if
  /// the response is none.
  private func sliceRefusal(of received: CachedHead, _ receipt: Receipt) -> String? {
    let sent = receipt.sent?.headers ?? request.headers
    guard received.statusCode != 206, sent.contains("Range"), received.headers.contains("Content-Range") else {
      return nil
    }
    return "Content-Range with HTTP status \(received.statusCode)"
  }

  /// Returns whether a field that selects the variant was set below the cache, so that only the server can select it.
  private func variesBelowCache(_ head: CachedHead, _ receipt: Receipt) -> Bool {
    guard var sent = receipt.sent?.headers, let fields = VaryFields(response: head.headers) else { return false }
    if receipt.hasOtherCookies, fields.names.contains("cookie") { return true }
    // The client's cookies are known at the lookup, so they do not vary below the cache.
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
  var expectedByteCount: Int? {
    if let range = ContentRange(headers) { return range.last - range.first + 1 }
    return headers["Content-Length"].flatMap { Int($0) }
  }
}
