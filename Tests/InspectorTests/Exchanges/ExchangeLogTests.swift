import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph
@testable import HeliographInspector

/// The machine that turns events into records, without a client.
struct ExchangeLogTests {
  private let request: HTTPRequest
  private let start = Date(timeIntervalSince1970: 1_000)
  private var log = ExchangeLog(bodyLimit: 4)

  init() throws { request = try Self.request("https://api.example/items") }

  private static func request(_ url: String, attempt: Int = 1, body: HTTPBody = .empty) throws -> HTTPRequest {
    var context = RequestContext(id: .next())
    context.attempt = attempt
    return HTTPRequest(
      method: .get, url: try require(URL(string: url)), headers: [:], body: body, idleTimeout: .seconds(60),
      totalTimeout: nil, limits: ResponseLimits(), isIdempotent: nil, priority: .normal, context: context)
  }

  private func head(_ status: Int = 200) -> HTTPResponse { HTTPResponse(statusCode: status, url: request.url) }

  private func report(
    _ outcome: RequestReport.Outcome = .success, duration: Duration = .seconds(1), wasSent: Bool = true,
    response: HTTPResponse? = nil, byteCount: Int = 0, metrics: Metrics? = nil
  ) -> RequestReport {
    RequestReport(
      id: request.id, attempt: 1, request: request, wasSent: wasSent, response: response, bodyByteCount: byteCount,
      duration: duration, metrics: metrics, outcome: outcome)
  }

  /// The changes of events that come one second after another.
  private mutating func changes(_ events: [MonitorEvent]) -> [ExchangeLog.Change] {
    var changes: [ExchangeLog.Change] = []
    for (offset, event) in events.enumerated() {
      log.next(event, at: start + Double(offset)) { changes.append($0) }
    }
    return changes
  }

  private func names(_ changes: [ExchangeLog.Change]) -> [String] {
    changes.map { change in
      switch change {
      case .began(let record): "began \(record.number)"
      case .updated(let record): "updated \(record.number)"
      case .ended(let record): "ended \(record.number)"
      case .requestEnded: "request ended"
      }
    }
  }

  private func ended(_ changes: [ExchangeLog.Change]) -> [ExchangeRecord] {
    changes.compactMap { if case .ended(let record) = $0 { record } else { nil } }
  }

  @Test mutating func anAttemptIsOneRecord() throws {
    let response = Response(value: Data("body".utf8), head: head())
    let changes = changes([
      .started(request.id, nil), .sent(request), .responded(request, head()), .received(request, response),
      .delivered(request, head()), .attemptEnded(report(duration: .seconds(5), response: head(), byteCount: 4)),
      .ended(report()),
    ])
    expectEqual(names(changes), ["began 1", "updated 1", "updated 1", "ended 1", "request ended"])
    let record = try require(ended(changes).first)
    expect(record.wasSent && !record.isInFlight)
    // The attempt began with the event `started`, one second before it was sent.
    expectEqual(record.startedAt, start)
    expectEqual(record.sentAt, start + 1)
    expectEqual(record.endedAt, start + 5)
    expectEqual(record.response?.statusCode, 200)
    expectEqual(record.responseBody?.beginning, Data("body".utf8))
    expectEqual(log.inFlight.count, 0)
  }

  @Test mutating func aResponseFromTheCacheIsOneRecord() throws {
    let changes = changes([
      .cache(request, .hit(age: .seconds(3))), .received(request, Response(value: Data(), head: head())),
      .attemptEnded(report(wasSent: false, response: head())),
    ])
    expectEqual(names(changes), ["began 1", "updated 1", "ended 1"])
    let record = try require(ended(changes).first)
    expectEqual(record.cacheEvents, [.hit(age: .seconds(3))])
    expect(!record.wasSent)
  }

  @Test mutating func whatIsStoredLaterBeginsNoRecord() {
    let events = changes([
      .cache(request, .miss(.absent)), .sent(request), .attemptEnded(report()), .cache(request, .stored(byteCount: 9)),
      .delivered(request, head()),
    ])
    expectEqual(names(events), ["began 1", "updated 1", "ended 1"])
  }

  @Test mutating func aBodyThatPreventsStoringIsReportedBeforeTheRequestIsSent() throws {
    var request = request
    request.body = .file(URL(fileURLWithPath: "/a"))
    let event = CacheEvent.notStored("the body of the request is a file or a stream")
    let changes = changes([.cache(request, event), .sent(request), .attemptEnded(report())])
    expectEqual(names(changes), ["began 1", "updated 1", "ended 1"])
    expectEqual(ended(changes).first?.cacheEvents, [event])
  }

  /// The metrics of the failure are those of the request that began the exchange.
  @Test mutating func aFailedSharedExchangeHasItsOwnTimes() throws {
    var metrics = Metrics(endedAt: .seconds(60))
    (metrics.startedAt, metrics.sentAt, metrics.sentByteCount, metrics.receivedByteCount) = (.zero, .zero, 99, 99)
    var error = NetworkError(.connectionLost, request: request, metrics: metrics)
    error.marks.isShared = true
    let report = report(.failure(error), duration: .seconds(1), wasSent: false, metrics: metrics)
    let record = try require(ended(changes([.attemptEnded(report)])).first)
    expectEqual(record.source, .shared)
    let phases = ExchangePhases(of: record, at: start)
    expectEqual(phases.total, .seconds(1))
    expectEqual(HARSizes(record).transfer, 0)
  }

  @Test mutating func aDroppedEventOfTheSendingIsKnownFromTheReport() {
    let error = NetworkError(.timedOut, request: request)
    expectEqual(ended(changes([.attemptEnded(report(.failure(error)))])).map(\.wasSent), [true])
  }

  @Test mutating func aRedirectIsARecord() throws {
    let target = try require(URL(string: "https://b.example/"))
    var next = request
    next.url = target
    let changes = changes([
      .sent(request), .redirected(request, head(302), next),
      .attemptEnded(report(duration: .seconds(9), response: HTTPResponse(statusCode: 200, url: target))),
    ])
    expectEqual(names(changes), ["began 1", "ended 1", "began 2", "ended 2"])
    let records = ended(changes)
    expectEqual(records.map(\.hop), [0, 1])
    expectEqual(records.map(\.attempt), [1, 1])
    expectEqual(records.map(\.response?.statusCode), [302, 200])
    expectEqual(records.first?.successor?.url, target)
    expectEqual(records.last?.request.url, target)
    // The duration is that of the whole attempt.
    expectEqual(records.last?.startedAt, start + 1)
  }

  /// The cache sends a request without its condition after a 304 that does not confirm its response.
  @Test(arguments: [true, false]) mutating func anAttemptThatIsSentAgainIsTwoRecords(_ reportsProgress: Bool) throws {
    log = ExchangeLog(bodyLimit: 4, reportsProgress: reportsProgress)
    let response = Response(value: Data("body".utf8), head: head())
    let changes = changes([
      .sent(request), .responded(request, head(304)), .cache(request, .miss(.expired)), .sent(request),
      .responded(request, head()), .received(request, response),
      .attemptEnded(report(duration: .seconds(9), response: head(), byteCount: 4)), .ended(report()),
    ])
    let records = ended(changes)
    expectEqual(records.map(\.number), [1, 2])
    expectEqual(records.map(\.hop), [0, 1])
    expectEqual(records.map(\.attempt), [1, 1])
    expectEqual(records.map(\.response?.statusCode), [304, 200])
    expectEqual(records.map(\.sentAt), [start, start + 3])
    expectEqual(records.map(\.endedAt), [start + 3, start + 6])
    expectEqual(records.map(\.isFollowed), [true, false])
    expectEqual(records.map(\.responseByteCount), [0, 4])
    if reportsProgress { expectEqual(names(changes).filter { $0.hasPrefix("began") }, ["began 1", "began 2"]) }
    expectEqual(log.inFlight.count, 0)
  }

  @Test mutating func anExchangeThatMiddlewareRepeatsAfterAFailureIsNoSuccess() {
    let events: [MonitorEvent] = [.sent(request), .sent(request), .responded(request, head())]
    let records = ended(changes(events + [.attemptEnded(report())]))
    expectEqual(records.map(\.isFollowed), [true, false])
    expectEqual(records.map { $0.outcome == nil }, [true, false])
    expectEqual(records.map(\.source), [nil, nil])
  }

  /// The ring of events has lost the end of the first attempt.
  @Test mutating func aLaterAttemptIsARecordOfItsOwn() throws {
    var second = request
    second.context.attempt = 2
    let changes = changes([.sent(request), .sent(second), .attemptEnded(report(response: head())), .ended(report())])
    expectEqual(names(changes), ["began 1", "ended 1", "began 2", "ended 2", "request ended"])
    let records = ended(changes)
    expectEqual(records.map(\.attempt), [1, 2])
    expectEqual(records.map(\.hop), [0, 0])
    expectEqual(records.map(\.startedAt), [start, start + 1])
    expectEqual(records.map(\.response?.statusCode), [nil, 200])
  }

  /// A response that is stored late belongs to the attempt before.
  @Test mutating func anEventOfAnEarlierAttemptEndsNoRecord() throws {
    var second = request
    second.context.attempt = 2
    let changes = changes([.sent(second), .cache(request, .stored(byteCount: 9)), .attemptEnded(report())])
    expectEqual(names(changes), ["began 1", "updated 1", "ended 1"])
  }

  @Test mutating func anAttemptThatWasNeverSentIsARecord() throws {
    let error = NetworkError(.unreachable, request: request)
    let changes = changes([.attemptEnded(report(.failure(error), duration: .zero, wasSent: false))])
    expectEqual(names(changes), ["ended 1"])
    expectEqual(ended(changes).first?.error?.code, .unreachable)
    expectEqual(ended(changes).first?.wasSent, false)
  }

  @Test mutating func bodiesAreCutAtTheLimit() throws {
    var request = request
    request.body = .data(Data("123456".utf8))
    let response = Response(value: Data("abcdef".utf8), head: head())
    let error = NetworkError(.status(500), request: request, response: response)
    let changes = changes([.sent(request), .attemptEnded(report(.failure(error), response: head(500), byteCount: 6))])
    let record = try require(ended(changes).first)
    expectEqual(record.request.body, .data(Data("1234".utf8)))
    expectEqual(record.requestBody, .init(Data("123456".utf8), limit: 4))
    expectEqual(record.requestBody?.isCut, true)
    expectEqual(record.responseBody?.beginning, Data("abcd".utf8))
    expectEqual(record.responseBody?.byteCount, 6)
    expectEqual(record.error?.response?.value, Data())
  }

  @Test mutating func withoutProgressOnlyEndsAreReported() {
    log = ExchangeLog(bodyLimit: 4, reportsProgress: false)
    let changes = changes([.sent(request), .responded(request, head()), .attemptEnded(report()), .ended(report())])
    expectEqual(names(changes), ["ended 1"])
  }

  @Test mutating func eventsThatConcernNoExchangeChangeNothing() {
    let events: [MonitorEvent] = [
      .started(request.id, nil), .waiting(request), .delivered(request, head()), .notice("a notice"),
    ]
    expect(!events.contains { $0.concernsExchanges })
    expect(changes(events).isEmpty)
  }

  @Test mutating func theEndOfARequestEndsItsLastExchange() {
    let changes = changes([.sent(request), .ended(report())])
    expectEqual(ended(changes).count, 1)
  }

  @Test mutating func aRequestThatWasNotBuiltHasNoRecord() {
    let report = RequestReport(
      id: request.id, attempt: 0, request: nil, wasSent: false, response: nil, bodyByteCount: 0, duration: .zero,
      metrics: nil, outcome: .cancelled)
    expectEqual(names(changes([.started(request.id, nil), .ended(report)])), ["request ended"])
  }
}
