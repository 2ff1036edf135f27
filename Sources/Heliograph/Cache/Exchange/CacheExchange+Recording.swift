import Foundation
import Signals

extension CacheExchange {
  /// Begins to record a response, if it may be stored.
  ///
  /// - Parameters:
  ///   - head: The head of the response.
  ///   - isShared: Whether it belongs to the exchange of another request.
  func record(_ head: HTTPResponse, isShared: Bool) {
    let received = received(head)
    let found = state.withLock { $0.found }
    let isRedirected = head.url.cacheAddress(ignoring: []) != request.url.cacheAddress(ignoring: [])
    if request.method == .head, policy.isHTTP { return isRedirected ? () : update(found, by: received) }
    if head.statusCode == 304 {
      // The caller's own condition: the stored response is as current as the caller's.
      if let found, !isRedirected, found.response.head.isConfirmed(by: received) { update(found, by: received) }
      return
    }
    var stored = received
    stored.headers = received.headers.storable
    // RFC 9110 §6.6.1.
    if stored.headers["Date"] == nil { stored.headers["Date"] = HTTPDate.text(of: stored.receivedAt) }
    let log = state.withLock { $0.log }
    let redirects = log?.redirects ?? []
    var response = StoredResponse(key: "", url: head.url, head: stored, version: policy.version, isHTTP: true)
    response.redirectCount = redirects.count
    response.variesBelow = variesBelow(received, log)
    response.credentials = request.credentialsDigest(sent: log?.fields)
    let refusal = httpRefusal(of: received, redirects, &response)
    response.isHTTP = refusal == nil
    let difference = log?.sent.flatMap { request.difference(from: $0) } ?? decisionRefusal(of: head, redirects)
    if let problem = difference ?? (policy.isHTTP ? refusal : appRefusal(of: head)) {
      if attempt?.run?.isRecorded == true, cache.isFirst("\(key.name.api) \(problem)") { observe(.notStored(problem)) }
      // The stored response is older than this one.
      let isAnswer = (200..<300).contains(head.statusCode) || [301, 308, 404, 410].contains(head.statusCode)
      let isReplaced = policy.isHTTP && isAnswer && !CacheControl(request.headers).noStore
      if isReplaced, let found { cache.remove(found.name) }
      return
    }
    // A part, or a response made of parts, has a known length.
    let byteCount = goalIsComplete || head.statusCode == 206 ? head.partByteCount : nil
    let place = cache.place(key, for: request, stored.headers, sent: log?.fields)
    response.key = place.key.text
    let keepsRejected = policy.isHTTP && [300, 301, 308, 404, 405, 410, 414].contains(head.statusCode)
    let recorder = ResponseRecorder(
      cache, place, key, response, joining: found, keepsRejected: keepsRejected,
      since: state.withLock { $0.invalidations }, byteCount: byteCount, log: log, isShared: isShared,
      observer(of: attempt?.run))
    state.withLock { $0.recorder = recorder }
  }

  /// Returns the closure that reports what becomes of a recording; `nil` if nobody observes it.
  private func observer(of run: (any AttemptObserver)?) -> (@Sendable (CacheEvent) -> Void)? {
    guard let run, run.isRecorded else { return nil }
    return { [request] in run.observe($0, of: request) }
  }

  /// Returns why a response is not stored to which a closure has led by its decision about a redirect.
  private func decisionRefusal(of head: HTTPResponse, _ redirects: [HTTPResponse]) -> String? {
    guard case .decide = request.redirects?.rule else { return nil }
    let isDecided = !redirects.isEmpty || (300..<400).contains(head.statusCode)
    return isDecided ? "a closure has decided about a redirect" : nil
  }

  /// Whether the response completes a stored beginning.
  private var goalIsComplete: Bool { state.withLock { $0.goal == .complete } }

  /// Returns why HTTP does not allow to store a response.
  private func httpRefusal(
    of received: CachedHead, _ redirects: [HTTPResponse], _ response: inout StoredResponse
  ) -> String? {
    if let refusal = Storability.refusal(of: request.method, requestHeaders: request.headers, response: received) {
      return refusal.rawValue
    }
    if received.isCoded, received.statusCode == 206 || request.headers["Range"] != nil {
      return "it is a part of a coded body, or was not decoded"
    }
    if received.statusCode == 206 {
      guard let range = ContentRange(received.headers), range.length != nil else {
        return "the length of the representation is unknown"
      }
      response.range = range
      if range.first == 0, range.last + 1 == range.length {
        // The part is the whole.
        response.range = nil
        response.head.statusCode = 200
        response.head.headers["Content-Range"] = nil
      }
    }
    if response.variesBelow, !response.head.hasValidator {
      return "it varies by a field that middleware or cookies set"
    }
    // A chain of redirects is as fresh as its first redirect to become stale.
    for redirect in redirects {
      let hop = self.received(redirect)
      let left = hop.freshness.lifetime - hop.age(at: hop.receivedAt)
      let control = hop.cacheControl
      // The entry is found without looking at the fields of its redirects.
      let isPlain = !control.noCache && control.noCacheFields.isEmpty && hop.headers["Vary"] == nil
      guard isPlain, left > .zero,
        Storability.refusal(of: .get, requestHeaders: request.headers, response: hop) == nil
      else {
        return "a redirect that led to it is not cacheable"
      }
      let limit = hop.receivedAt.addingTimeInterval(left / .seconds(1))
      response.redirectLimit = min(response.redirectLimit ?? limit, limit)
    }
    return nil
  }

  /// Returns whether a field that selects the variant was set below the cache, so that only the server can select it.
  private func variesBelow(_ head: CachedHead, _ log: SendLog?) -> Bool {
    guard var sent = log?.fields, let fields = VaryFields(response: head.headers) else { return false }
    // Cookies of the client are known before.
    if request.binding.jar != nil { sent["Cookie"] = request.headers["Cookie"] }
    return fields.values(in: sent) != fields.values(in: request.headers)
  }

  /// Returns why a response is not stored by a policy of the app.
  private func appRefusal(of head: HTTPResponse) -> String? {
    if !(200..<300).contains(head.statusCode) { return "the status is \(head.statusCode)" }
    if head.statusCode == 206 { return "it is a part of a representation" }
    return nil
  }

  /// Whether an updated response may no longer be stored, or depends on other fields of the request from now on.
  func isDisplaced(_ response: StoredResponse, by headers: HTTPHeaders) -> Bool {
    if !policy.isHTTP { return false }
    let sent = state.withLock { $0.log }?.fields
    let place = cache.place(key, for: request, response.head.headers, sent: sent)
    return CacheControl(headers).noStore || place.key.text != response.key
  }

  /// Updates the stored response to a `GET` by the head of a `HEAD` or of a 304 (RFC 9111 §4.3.5).
  private func update(_ found: FoundResponse?, by received: CachedHead) {
    let invalidations = state.withLock { $0.invalidations }
    if cache.isInvalidated(key, since: invalidations) { return }
    guard let found, received.statusCode == 304 || received.statusCode < 300 else { return }
    if !found.response.head.isSameRepresentation(as: received) { return cache.remove(found.name) }
    var response = found.response
    response.head = response.head.updated(by: received)
    if isDisplaced(response, by: received.headers) { return cache.remove(found.name) }
    _ = cache.writing(found.name, of: key, since: invalidations) { cache.update(found, with: response) }
  }
}

extension HTTPResponse {
  /// The number of bytes of a partial response, or of a complete one by its `Content-Length`.
  fileprivate var partByteCount: Int? {
    if let range = ContentRange(headers) { return range.last - range.first + 1 }
    return headers["Content-Length"].flatMap { Int($0) }
  }
}
