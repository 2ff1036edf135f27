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
/// | `attemptEnded` | ends the record; for an attempt that was never sent, it begins and ends at once |
/// | `ended` | the request has ended, after all of its records |
/// | others, and a `cache` event of storing after the end of the attempt | none |
struct ExchangeLog: Sendable {
  /// A change of the list of records.
  enum Change: Sendable {
    /// An exchange has begun.
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
  private var inFlight: [RequestID: ExchangeRecord] = [:]
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

  var inFlightCount: Int { inFlight.count }

  /// Processes an event; the events of one request must come in order.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - now: The time of the event.
  /// - Returns: The changes, in order; none for an event that changes no record.
  mutating func next(_ event: MonitorEvent, at now: Date) -> [Change] {
    switch event {
    case .sent(let request):
      return update(request, now) { [bodyLimit] record in
        record.replaceRequest(by: request, bodyLimit: bodyLimit)
        record.wasSent = true
        record.sentAt = now
      }
    case .cache(let request, let cacheEvent):
      if inFlight[request.id] == nil, cacheEvent.mayFollowEnd(of: request) { return [] }
      return update(request, now) { $0.cacheEvents.append(cacheEvent) }
    case .redirected(let request, let head, let successor): return follow(request, head, successor, now)
    case .responded(let request, let head):
      // Without progress, the head from the end of the attempt is sufficient.
      if !reportsProgress, inFlight[request.id] != nil { return [] }
      return update(request, now) { $0.response = head }
    case .received(let request, let response):
      return update(request, now) { [bodyLimit] record in
        record.response = response.head
        record.source = response.source
        record.metrics = response.metrics
        record.responseBody = response.value.isEmpty ? nil : .init(response.value, limit: bodyLimit)
        record.responseByteCount = response.value.count
      }
    case .attemptEnded(let report): return end(report, now)
    case .ended(let report):
      // The end of the attempt may have been dropped.
      let last = inFlight[report.id] == nil ? [] : end(report, now)
      inFlight[report.id] = nil
      return reportsProgress ? last + [.requestEnded(report)] : last
    default: return []
    }
  }

  private mutating func makeRecord(_ request: HTTPRequest, hop: Int = 0, _ now: Date) -> ExchangeRecord {
    lastNumber += 1
    return ExchangeRecord(number: lastNumber, request, hop: hop, bodyLimit: bodyLimit, at: now)
  }

  /// Updates the request's record in flight, after beginning one if there is none.
  private mutating func update(
    _ request: HTTPRequest, _ now: Date, _ update: (inout ExchangeRecord) -> Void
  ) -> [Change] {
    if let index = inFlight.index(forKey: request.id) {
      // In place: a record is large.
      update(&inFlight.values[index])
      return reportsProgress ? [.updated(inFlight.values[index])] : []
    }
    var record = makeRecord(request, now)
    update(&record)
    inFlight[request.id] = record
    return reportsProgress ? [.began(record)] : []
  }

  private mutating func follow(
    _ request: HTTPRequest, _ head: HTTPResponse, _ successor: HTTPRequest, _ now: Date
  ) -> [Change] {
    var record = inFlight.removeValue(forKey: request.id) ?? makeRecord(request, now)
    record.response = head
    record.source = .network
    record.successor = successor
    record.endedAt = now
    record.outcome = .success
    var next = makeRecord(successor, hop: record.hop + 1, now)
    next.wasSent = true
    next.sentAt = now
    inFlight[request.id] = next
    return reportsProgress ? [.ended(record), .began(next)] : [.ended(record)]
  }

  private mutating func end(_ report: RequestReport, _ now: Date) -> [Change] {
    guard let request = report.request else { return [] }
    var record = inFlight.removeValue(forKey: report.id) ?? makeRecord(request, now)
    record.end(report, bodyLimit: bodyLimit, at: now)
    return [.ended(record)]
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
  fileprivate mutating func end(_ report: RequestReport, bodyLimit: Int, at now: Date) {
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
    if error.isShared { source = .shared }
    if let failed = error.response {
      source = source ?? failed.source
      if responseBody == nil, !failed.value.isEmpty { responseBody = Body(failed.value, limit: bodyLimit) }
      // Without the body, which the record has.
      error.response = Response(value: Data(), head: failed.head, metrics: failed.metrics)
    }
    error.request = request
    outcome = .failure(error)
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
  var timeInterval: TimeInterval { self / .seconds(1) }
}
