import Foundation
import Heliograph

/// One exchange as monitors report it: an attempt of a request, or one exchange of its redirect chain.
///
/// A request has a record for each attempt: the first one, retries, and replays after a token refresh. A redirect
/// ends the record of its exchange and begins another one with the same ``attempt``, and so does a cache that sends a
/// request again without its condition; the exchanges of a Digest challenge are one record. A response from the cache has one record, in which ``wasSent`` is `false`. Secrets are redacted only
/// when a record is shown.
struct ExchangeRecord: Sendable {
  /// The beginning of a body.
  struct Body: Sendable, Equatable {
    /// The bytes up to the limit of the log.
    let beginning: Data
    /// The number of bytes of the whole body.
    let byteCount: Int

    var isCut: Bool { beginning.count < byteCount }

    /// Creates the beginning of a body, with storage of its own if `copies`: the data may be a slice of a file's
    /// content, all of which it would retain.
    init(_ data: Data, limit: Int, copies: Bool = false) {
      let isWhole = data.isEmpty || data.count <= limit && !copies
      beginning = isWhole ? data : data.prefix(limit).withUnsafeBytes { Data($0) }
      byteCount = data.count
    }

    var withoutBytes: Body { Body(beginning: Data(), byteCount: byteCount) }

    private init(beginning: Data, byteCount: Int) { (self.beginning, self.byteCount) = (beginning, byteCount) }
  }

  /// The number of the record in its log, counted from 1 in the order in which exchanges begin.
  let number: Int
  /// The identity of the request, common to its attempts and redirects.
  let requestID: RequestID
  /// The number of the attempt, counted from 1; both steps of `cacheThenNetwork` have the same one.
  let attempt: Int
  /// The number of exchanges before this one in the same attempt.
  let hop: Int
  /// The request as sent, or as built if it was not sent.
  ///
  /// Its body in memory is cut at the limit of the log. It has neither the source of a stream nor a closure for redirects,
  /// which may retain anything.
  var request: HTTPRequest
  /// The body of the request; `nil` if it is empty, a file or a stream.
  var requestBody: Body?
  /// The time at which the exchange began; it may become earlier at the end, when the duration of the attempt is known.
  var startedAt: Date
  /// The time at which the request was passed to the transport, after the cache and middleware; `nil` if it was not.
  var sentAt: Date?
  /// The time at which the exchange ended; `nil` while it is in flight.
  var endedAt: Date?
  /// Whether the request was passed to the transport; `false` for a response from the cache or from another request's
  /// exchange, and if the offline gate or middleware rejected the request.
  var wasSent = false
  /// The head of the response, or of the redirect.
  var response: HTTPResponse?
  /// The body of the response; `nil` if none was received, or if it was streamed.
  var responseBody: Body?
  /// The number of bytes of the response's body after decoding of content codings, also of one that was streamed.
  var responseByteCount = 0
  /// The source of the response, or of the failure; `nil` before it is known.
  var source: ResponseSource?
  /// The metrics of the attempt, with sums over its redirects; `nil` in flight, and if the transport reports none.
  var metrics: Metrics?
  /// The events of the cache, in order, up to the end of the exchange.
  var cacheEvents: [CacheEvent] = []
  /// Whether another exchange of the same attempt follows.
  var isFollowed = false
  /// The request that follows a redirect, without its body; `nil` without a redirect.
  var successor: HTTPRequest?
  /// The outcome of the attempt; `nil` while it is in flight, and if the event of its end was dropped.
  ///
  /// It is also `nil` if middleware has sent the request again after a failure. The error of a failure has no body.
  var outcome: RequestReport.Outcome?

  var isInFlight: Bool { endedAt == nil }
  /// The number of bytes of bodies that the record has in memory.
  var bodyByteCount: Int { (requestBody?.beginning.count ?? 0) + (responseBody?.beginning.count ?? 0) }
  var error: NetworkError? { if case .failure(let error) = outcome { error } else { nil } }

  init(
    number: Int, _ request: HTTPRequest, hop: Int = 0, bodyLimit: Int, copiesBody: Bool = false, at now: Date
  ) {
    self.number = number
    self.hop = hop
    requestID = request.id
    attempt = request.attempt
    startedAt = now
    self.request = request
    replaceRequest(by: request, bodyLimit: bodyLimit, copiesBody: copiesBody)
  }

  mutating func replaceRequest(by request: HTTPRequest, bodyLimit: Int, copiesBody: Bool) {
    self.request = request
    if request.asksAboutRedirects { self.request.redirects = nil }
    // It has the same body.
    if request.context.unsigned != nil { self.request.context.unsigned = nil }
    requestBody = nil
    switch request.body {
    case .empty, .file: break
    case .data(let data):
      let body = Body(data, limit: bodyLimit, copies: copiesBody)
      requestBody = body
      if body.isCut || copiesBody { self.request.body = .data(body.beginning) }
    case .stream(let stream): self.request.body = .stream(BodyStream(byteCount: stream.byteCount) { { .empty } })
    }
  }

  /// Removes the bytes of the bodies; their sizes remain.
  mutating func removeBodies() {
    if let body = requestBody?.withoutBytes {
      requestBody = body
      request.body = .data(body.beginning)
    }
    responseBody = responseBody?.withoutBytes
  }
}
