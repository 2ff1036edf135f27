import Foundation
import Signals

/// The cache's decisions for one request, as a state machine: the action for the lookup and for each event of the
/// exchange.
///
/// | input | action |
/// |---|---|
/// | found | serves the stored response, or sends the request: for validation, for the rest of a partial response, or without a condition |
/// | missing, or not usable | sends the request; `only-if-cached` refuses it with a 504, the policy `.onlyIfCached` fails |
///
/// | event | before the head | of a response that is delivered | of a 304 that confirms the stored response |
/// |---|---|---|---|
/// | progress | is delivered | is delivered | is delivered |
/// | head: 304 to a validation | confirms the stored response, or restarts without a condition | | |
/// | head: 500, 502 to 504, 520 to 524 | serves the stored response if that may be stale, else is delivered | | |
/// | head: 206 for the rest | is delivered with the stored beginning, or restarts without a range if it does not fit | | |
/// | head to a request for the rest: 304, 412, 416, with a content coding, or with another status and `Content-Range` | restarts without a range | | |
/// | any other head | is delivered, and the response recorded if it may be stored | | |
/// | body | is delivered | is recorded and delivered | is ignored |
/// | metrics | are delivered | are delivered | are delivered after the stored response |
/// | failure | serves the stored response if that may be stale, else is delivered | is delivered | as before the head |
/// | completion | is delivered | stores the response, or updates the stored one, then is delivered; fails if a part of the rest is missing | serves the updated response |
///
/// Events of an earlier exchange are ignored.
struct CachePlan: Sendable {
  enum Input: Sendable {
    /// A stored response, with the digest of the request's current credentials.
    case found(FoundResponse, credentials: String, at: Date)
    /// There is no stored response, or it is damaged.
    case missing(CacheMissReason)
    case progress
    case head(HTTPResponse, Receipt)
    case body(byteCount: Int)
    case metrics(Metrics)
    case failed(NetworkError, at: Date, isOutdated: Bool = false)
    case completed
  }

  enum Action: Sendable {
    case ignore
    /// Deliver the event, after the recording has received it.
    case deliver(Recording?)
    /// Begin to store the response, and deliver its head and the stored beginning of its body.
    case begin(HTTPResponse, beginning: Data?, Storage)
    case serve(Delivery)
    /// Update the stored response by a newer head, then deliver the completion.
    case update(FoundResponse, by: CachedHead, Receipt)
    /// Cancel the exchange in flight and send the request with header fields added; a reason is reported.
    case send(HTTPHeaders?, CacheMissReason?, number: Int)
    /// Respond with a 504 (RFC 9111 §5.2.1.7).
    case refuse(CacheMissReason)
    case fail(CacheMissReason)
    /// Fail, because the server did not send what the stored beginning lacks.
    case failIncomplete
  }

  /// The facts about an exchange that are known when its head arrives.
  struct Receipt: Sendable {
    /// The number of invalidations, and the time, at the start of the exchange; for a shared exchange, of its first
    /// request.
    var start: (invalidations: Int, at: Date)
    var redirects: [HTTPResponse] = []
    /// The first request as sent; `nil` if it was not recorded.
    var sent: HTTPRequest?
    /// Whether middleware of a client has responded itself: no head was received below it.
    var isOfMiddleware = false
    /// Whether a request after a redirect had cookies other than those of the first one, or of another origin.
    var hasOtherCookies = false
    /// Whether the transport has answered a challenge, of the response or of a redirect.
    var isAuthenticated = false
    var receivedAt: Date
    /// Whether the stored response has been invalidated or removed since the start.
    var isOutdated = false

    func cachedHead(of head: HTTPResponse) -> CachedHead {
      CachedHead(
        statusCode: head.statusCode, headers: head.headers, requestedAt: start.at, receivedAt: receivedAt)
    }
  }

  struct Delivery: Sendable {
    let found: FoundResponse
    let source: ResponseSource
    /// The head of the 304 that updates it before delivery.
    var confirmation: (head: CachedHead, receipt: Receipt)?
    /// The metrics of the exchange that confirmed it.
    var metrics: Metrics?
    var needsRefresh = false
  }

  private enum Goal { case replace, validate, complete }

  private enum Phase {
    case waiting, delivering
    case confirmed(CachedHead, Receipt)
  }

  /// The request, which is signed again for each exchange.
  var request: HTTPRequest
  /// Whether the request, built again, has another key or other credentials than the one that was looked up.
  var isOtherRequest = false
  /// The number of the exchange with the server.
  private(set) var number = 0
  private var phase = Phase.waiting
  private var goal = Goal.replace
  /// The response to validate, to complete or to fall back on.
  private(set) var found: FoundResponse?
  /// Whether a response is stored that the request cannot use, because its body had a content coding.
  var hidesCodedBody = false
  private var metrics: Metrics?
  /// The bytes that the rest of a stored beginning still lacks; `nil` for any other response.
  private var missingByteCount: Int?
  /// The recording of the response being delivered.
  var recording: Recording?
  /// The update of the stored response by the response being delivered, before its completion.
  var pending: (found: FoundResponse, by: CachedHead, receipt: Receipt)?

  init(_ request: HTTPRequest) { self.request = request }

  var policy: CachePolicy { request.cachePolicy }

  /// Processes a lookup, or an event of the exchange with a number.
  mutating func react(to input: Input, of number: Int? = nil) -> Action {
    if let number, number != self.number { return .ignore }
    switch input {
    case .found(let found, let credentials, let now): return decide(found, credentials, now)
    case .missing(let reason): return miss(reason)
    case .progress: return .deliver(nil)
    case .head(let head, let receipt): return receive(head, receipt)
    case .body(let byteCount):
      if case .confirmed = phase { return .ignore }
      missingByteCount = missingByteCount.map { $0 - byteCount }
      return .deliver(recording)
    case .metrics(let metrics):
      guard case .confirmed = phase else { return .deliver(nil) }
      self.metrics = metrics
      return .ignore
    case .failed(let error, let now, let isOutdated):
      return (isOutdated ? nil : fallBack(after: error, now)) ?? .deliver(nil)
    case .completed:
      if let found, case .confirmed(let head, let receipt) = phase {
        return .serve(
          Delivery(found: found, source: .revalidated, confirmation: (head, receipt), metrics: metrics))
      }
      // Only the cache knows the length: the caller has requested no range.
      if let missingByteCount, missingByteCount != 0 { return .failIncomplete }
      if let (found, head, receipt) = pending.take() { return .update(found, by: head, receipt) }
      return .deliver(recording.take())
    }
  }

  // MARK: The exchange

  mutating func send(_ found: FoundResponse?, _ reason: CacheMissReason) -> Action {
    if policy.isHTTP, CacheControl(request.headers).onlyIfCached { return .refuse(reason) }
    number += 1
    let fields: HTTPHeaders?
    (goal, fields) = found.map { validation(of: $0.response) } ?? (.replace, nil)
    (self.found, phase) = (found, .waiting)
    // A network-only request performs no lookup, and so reports no miss.
    let isReported = policy.mode != .refresh && policy.mode != .revalidate
    return .send(fields, isReported ? reason : nil, number: number)
  }

  /// Returns the purpose of an exchange for a stored response, and its conditional header fields (RFC 9111 §4.3.1).
  private func validation(of response: StoredResponse) -> (Goal, HTTPHeaders?) {
    // A server must answer the condition of any other method with a 412 (RFC 9110 §13.1.2).
    guard request.method == .get || request.method == .head else { return (.replace, nil) }
    if request.headers.isConditional || response.redirectCount > 0 { return (.replace, nil) }
    let hasRange = request.headers["Range"] != nil
    if let range = response.range {
      // The rest of a response whose beginning is stored (RFC 9111 §3.4).
      // Of a later attempt, the range may have caused the failure of the former.
      guard range.first == 0, request.attempt == 1, request.method == .get, !hasRange,
        let tag = response.head.headers["ETag"], EntityTag(tag)?.isWeak == false, !tag.hasControlCharacter
      else { return (.replace, nil) }
      return (.complete, ["Range": "bytes=\(range.last + 1)-", "If-Range": tag])
    }
    let fields = response.head.conditionalFields
    return hasRange || fields.isEmpty ? (.replace, nil) : (.validate, fields)
  }

  private mutating func receive(_ head: HTTPResponse, _ receipt: Receipt) -> Action {
    if let found {
      let received = receipt.cachedHead(of: head)
      // If redirects led to another resource, its validator does not apply to the stored response.
      if head.statusCode == 304, goal == .validate {
        guard hasURL(of: found, head), found.response.head.confirmation(by: received) != .isAboutAnother else {
          return send(nil, .needsValidation)
        }
        phase = .confirmed(received, receipt)
        return .ignore
      }
      if CachedHead.isServerError(head.statusCode), !receipt.isOutdated,
        let action = fallBack(after: nil, receipt.receivedAt)
      {
        return action
      }
      // These statuses are about the range, which the request itself does not have, and transports do not decode the
      // body of a range request. Any other response, such as a 429, is what the request would get without the range.
      if goal == .complete,
        [206, 304, 412, 416].contains(head.statusCode) || received.isEncoded
          || received.headers.contains("Content-Range")
      {
        guard hasURL(of: found, head), let (whole, beginning) = found.completed(by: received, head) else {
          return send(nil, .expired)
        }
        return begin(whole, receipt, beginning)
      }
    }
    return begin(head, receipt, nil)
  }

  private mutating func begin(_ head: HTTPResponse, _ receipt: Receipt, _ beginning: Data?) -> Action {
    phase = .delivering
    missingByteCount = beginning.flatMap { beginning in head.expectedByteCount.map { $0 - beginning.count } }
    return .begin(head, beginning: beginning, storage(of: head, receipt, completesStored: beginning != nil))
  }

  /// Returns the delivery of the stored response after a failure; `nil` if stale responses are not allowed.
  private mutating func fallBack(after error: NetworkError?, _ now: Date) -> Action? {
    if case .delivering = phase { return nil }
    guard let found, mayServeStale(found, after: error, now) else { return nil }
    number += 1
    return .serve(delivery(of: found, now))
  }
}
