import Foundation
import Heliograph

/// A state machine that turns the events of monitors into records of exchanges.
///
/// A plain value: its owner guards it, passes each event with its time to ``next(_:at:)``, and carries out the changes
/// outside the lock. It stores only exchanges in flight; the owner stores the complete records that it returns.
///
/// | event | change |
/// |---|---|
/// | `cache` before the end of the attempt, `sent`, `responded`, `received` | begins a record if the request has none in flight, or updates it |
/// | `redirected` | ends the record, and begins that of the request that follows |
/// | a further `sent` of an attempt that was sent | ends the record, and begins another one |
/// | one of the first four of a later attempt, if the end of the attempt was dropped | ends the record, and begins another one |
/// | `attemptEnded` | ends the record; for an attempt that was never sent, it begins and ends at once |
/// | `ended` | the request has ended, after all of its records |
/// | others, and a `cache` event of storing after the end of the attempt | none |
struct ExchangeLog: Sendable {
  enum Change: Sendable {
    case began(ExchangeRecord)
    /// A record in flight has changed; its number identifies it.
    case updated(ExchangeRecord)
    /// An exchange has ended: its record is complete and final.
    case ended(ExchangeRecord)
    /// A request has ended. Without an attempt it has no record: it could not be built.
    case requestEnded(RequestReport)
  }

  /// The maximum number of bytes that a record stores of each body.
  let bodyLimit: Int
  /// Whether changes other than ``Change/ended(_:)`` are returned.
  let reportsProgress: Bool
  private(set) var inFlight: [RequestID: ExchangeRecord] = [:]
  private var lastNumber = 0

  /// Creates an empty log.
  ///
  /// - Parameters:
  ///   - bodyLimit: The maximum number of bytes that a record stores of each body.
  ///   - reportsProgress: Whether exchanges in flight and the ends of requests are reported. Default: `true`.
  init(bodyLimit: Int, reportsProgress: Bool = true) {
    self.bodyLimit = bodyLimit
    self.reportsProgress = reportsProgress
  }

  /// Processes an event and reports the changes, if any, in order; the events of one request must come in order.
  mutating func next(_ event: MonitorEvent, at now: Date, _ report: (consuming Change) -> Void) {
    switch event {
    case .sent(let request):
      update(request, now, isSending: true, report) { [bodyLimit, reportsProgress] record in
        record.replaceRequest(by: request, bodyLimit: bodyLimit, copiesBody: reportsProgress)
        record.wasSent = true
        record.sentAt = now
      }
    case .cache(let request, let cacheEvent):
      if cacheEvent.mayFollowEnd(of: request), inFlight[request.id] == nil { return }
      update(request, now, report) { $0.cacheEvents.append(cacheEvent) }
    case .redirected(let request, let head, let successor): follow(request, head, successor, now, report)
    case .responded(let request, let head): update(request, now, report) { $0.response = head }
    case .received(let request, let response):
      update(request, now, report) { [bodyLimit, reportsProgress] record in
        // Without progress, those from the end of the attempt are sufficient.
        if reportsProgress { (record.response, record.metrics) = (response.head, response.metrics) }
        record.source = response.source
        record.responseBody =
          response.value.isEmpty ? nil : .init(response.value, limit: bodyLimit, copies: reportsProgress)
        record.responseByteCount = response.value.count
      }
    case .attemptEnded(let ended): end(ended, now, report)
    case .ended(let ended):
      // The end of the attempt may have been dropped.
      if inFlight.index(forKey: ended.id) != nil { end(ended, now, report) }
      if reportsProgress { report(.requestEnded(ended)) }
    default: break
    }
  }

  private mutating func makeRecord(_ request: HTTPRequest, hop: Int = 0, _ now: Date) -> ExchangeRecord {
    lastNumber += 1
    return ExchangeRecord(
      number: lastNumber, request, hop: hop, bodyLimit: bodyLimit, copiesBody: reportsProgress, at: now)
  }

  /// Updates the request's record in flight, after beginning one if there is none, or none of the same exchange.
  private mutating func update(
    _ request: HTTPRequest, _ now: Date, isSending: Bool = false, _ report: (consuming Change) -> Void,
    _ update: (inout ExchangeRecord) -> Void
  ) {
    var hop = 0
    if let index = inFlight.index(forKey: request.id) {
      // In place: a record is large.
      let isSameAttempt = inFlight.values[index].attempt >= request.attempt
      if isSameAttempt, !(isSending && inFlight.values[index].wasSent) {
        update(&inFlight.values[index])
        if reportsProgress { report(.updated(inFlight.values[index])) }
        return
      }
      var former = inFlight.values[index]
      former.endedAt = now
      if isSameAttempt {
        // The cache has not accepted the response to a condition, and sends the request without it, or middleware sends
        // it again, perhaps after a failure that no event reports.
        former.isFollowed = true
        if former.response != nil { (former.source, former.outcome) = (.network, .success) }
        hop = former.hop + 1
      }
      report(.ended(former))
    }
    var record = makeRecord(request, hop: hop, now)
    update(&record)
    if reportsProgress { report(.began(record)) }
    inFlight[request.id] = record
  }

  private mutating func follow(
    _ request: HTTPRequest, _ head: HTTPResponse, _ successor: HTTPRequest, _ now: Date,
    _ report: (consuming Change) -> Void
  ) {
    var record = inFlight.removeValue(forKey: request.id) ?? makeRecord(request, now)
    record.response = head
    record.source = .network
    // Its body is in its own record.
    record.successor = successor.withoutBody(over: 0)
    record.isFollowed = true
    record.endedAt = now
    record.outcome = .success
    var next = makeRecord(successor, hop: record.hop + 1, now)
    next.wasSent = true
    next.sentAt = now
    inFlight[request.id] = next
    report(.ended(record))
    if reportsProgress { report(.began(next)) }
  }

  private mutating func end(_ ended: RequestReport, _ now: Date, _ report: (consuming Change) -> Void) {
    let known = inFlight.removeValue(forKey: ended.id)
    guard let request = ended.request else { return }
    var record = known ?? makeRecord(request, now)
    record.end(ended, bodyLimit: bodyLimit, copiesBody: reportsProgress, at: now)
    report(.ended(consume record))
  }
}

extension MonitorEvent {
  /// Whether an ``ExchangeLog`` processes the event; the others change no record.
  var concernsExchanges: Bool {
    switch self {
    case .sent, .cache, .redirected, .responded, .received, .attemptEnded, .ended: true
    case .started, .waiting, .delivered, .notice: false
    }
  }
}

extension ExchangeRecord {
  /// Completes the record with the report of its attempt.
  fileprivate mutating func end(_ report: RequestReport, bodyLimit: Int, copiesBody: Bool, at now: Date) {
    endedAt = now
    // The record was created at the first event, which is later than the start of the attempt.
    if hop == 0 { startedAt = min(startedAt, now - report.duration.timeInterval) }
    response = report.response ?? response
    metrics = report.metrics ?? metrics
    responseByteCount = max(responseByteCount, report.bodyByteCount)
    // The event of the sending may have been dropped.
    wasSent = wasSent || report.wasSent
    outcome = report.outcome
    guard case .failure(var error) = report.outcome else { return }
    // Its metrics are those of the request that began the exchange.
    if error.marks.isShared { source = .shared }
    if let failed = error.response {
      source = source ?? failed.source
      if responseBody == nil, !failed.value.isEmpty {
        responseBody = Body(failed.value, limit: bodyLimit, copies: copiesBody)
      }
    }
    error.request = request
    // The record has those of its own attempt.
    outcome = .failure(error.withoutBodies(over: 0))
  }
}

extension CacheEvent {
  /// Whether the event may follow the end of its attempt; a body that cannot be part of a key is reported before.
  fileprivate func mayFollowEnd(of request: HTTPRequest) -> Bool {
    switch (self, request.body) {
    case (.stored, _), (.notStored, .empty), (.notStored, .data): true
    default: false
    }
  }
}

extension Duration {
  /// The duration in seconds, for arithmetic with dates.
  var timeInterval: TimeInterval {
    // Not a division, which would convert numbers of 128 bits.
    let (seconds, attoseconds) = components
    return TimeInterval(seconds) + TimeInterval(attoseconds) / 1e18
  }
}
