import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph
@testable import HeliographInspector

/// The limits and revisions of the inspector's exchanges, without threads.
struct InspectorLogTests {
  private let url: URL

  init() throws { url = try require(URL(string: "https://api.example/items")) }

  private func request(_ body: HTTPBody = .empty) -> HTTPRequest {
    HTTPRequest(
      method: .get, url: url, headers: [:], body: body, idleTimeout: .seconds(60), totalTimeout: nil,
      limits: ResponseLimits(), isIdempotent: nil, priority: .normal, context: RequestContext(id: .next()))
  }

  private func report(
    _ request: HTTPRequest?, id: RequestID, attempt: Int = 1, _ outcome: RequestReport.Outcome = .success
  ) -> RequestReport {
    RequestReport(
      id: id, attempt: attempt, request: request, wasSent: true, response: nil, bodyByteCount: 0, duration: .zero,
      metrics: nil, outcome: outcome)
  }

  /// Records a whole exchange with a body of the response.
  private func exchange(_ log: inout InspectorLog, _ byteCount: Int = 0, of request: HTTPRequest) {
    let head = HTTPResponse(statusCode: 200, url: url)
    log.next(.sent(request), at: .now)
    log.next(.received(request, Response(value: Data(count: byteCount), head: head)), at: .now)
    log.next(.attemptEnded(report(request, id: request.id)), at: .now)
    log.next(.ended(report(request, id: request.id)), at: .now)
  }

  private func record(_ log: InspectorLog, _ key: Int) throws -> ExchangeRecord {
    let content = try require(log.entry(key)).content
    guard case .exchange(let record) = content else { throw CocoaError(.featureUnsupported) }
    return record
  }

  /// A body of 900 bytes that tells when it is freed.
  private func body(_ onFree: @escaping @Sendable () -> Void) -> Data {
    Data(
      bytesNoCopy: .allocate(byteCount: 900, alignment: 1), count: 900,
      deallocator: .custom { memory, _ in
        memory.deallocate()
        onFree()
      })
  }

  @Test func theDetailsCountTheResends() throws {
    var log = InspectorLog(exchangeLimit: 10, bodyByteLimit: 1_000)
    let request = request()
    log.next(.sent(request), at: .now)
    var metrics = Metrics()
    metrics.resendCount = 1
    let report = RequestReport(
      id: request.id, attempt: 1, request: request, wasSent: true, response: nil, bodyByteCount: 0, duration: .zero,
      metrics: metrics, outcome: .success)
    log.next(.attemptEnded(report), at: .now)
    let details = InspectorDetails(try require(log.entry(1)), InspectorText(isRedacted: true), at: .now)
    expectEqual(details.facts.filter { $0.first == "Resent" }, [["Resent", "1"]])
  }

  /// The report of a failed request has a body, which must be freed with that of the exchange.
  @Test func theBodyOfAnErrorIsFreedLikeAnyOther() throws {
    var log = InspectorLog(exchangeLimit: 10, bodyByteLimit: 1_000)
    let isFreed = CurrentValue(false)
    do {
      let body = body { isFreed.value = true }
      let request = request()
      let response = Response(value: body, head: HTTPResponse(statusCode: 502, url: url))
      let error = NetworkError(.status(502), request: request, response: response)
      let failed = report(request, id: request.id, .failure(error))
      expectEqual(MonitorEvent.attemptEnded(failed).bodyByteCount, 900)
      for event in [MonitorEvent.sent(request), .attemptEnded(failed), .ended(failed)] { log.next(event, at: .now) }
    }
    expectEqual(log.entry(1)?.bodyByteCount, 900)
    // The record has a copy.
    expect(isFreed.value)
    exchange(&log, 900, of: request())
    expectEqual(log.entry(1)?.bodyByteCount, 0)
    expect(log.entry(1)?.report?.explanation.contains("502") == true)
  }

  /// Also the report of the request, and the events that no page has asked for.
  @Test(arguments: [false, true]) func aLimitOfZeroKeepsNoBody(_ isFailure: Bool) throws {
    let server = InspectorServer(
      PendingEvents(limit: 100, byteLimit: 0), InspectorLog(exchangeLimit: 10, bodyByteLimit: 0),
      InspectorGate(port: 1, token: "t"), InspectorText(isRedacted: true))
    var log = InspectorLog(exchangeLimit: 10, bodyByteLimit: 0)
    let isFreed = CurrentValue(false)
    do {
      let body = body { isFreed.value = true }
      let request = request(.data(body))
      let outcome = isFailure ? RequestReport.Outcome.failure(NetworkError(.status(502), request: request)) : .success
      let ended = report(request, id: request.id, outcome)
      for event in [MonitorEvent.sent(request), .attemptEnded(ended), .ended(ended)] {
        log.next(event, at: .now)
        server.observe(event)
      }
    }
    expect(isFreed.value)
    let details = InspectorDetails(try require(log.entry(1)), InspectorText(isRedacted: true), at: .now)
    expectEqual(details.requestBody?.comment, "900 bytes, not stored: over the limit for bodies")
    expectNil(details.curl)
    expect(details.explanation?.isEmpty == false)
    withExtendedLifetime(server) {}
  }

  /// An object of the app may stop the inspector when it is freed: that of a body with its event, that of an error with
  /// its overwritten entry.
  @Test(arguments: [1, 2], [false, true])
  func anObjectIsFreedOutsideTheLock(_ exchangeLimit: Int, isOfBody: Bool) {
    final class Owner: Error, Sendable {
      private let server: InspectorServer

      init(_ server: InspectorServer) { self.server = server }

      deinit { server.stop() }
    }
    let server = InspectorServer(
      PendingEvents(limit: 100, byteLimit: isOfBody ? 1_000 : 0),
      InspectorLog(exchangeLimit: exchangeLimit, bodyByteLimit: 1_000), InspectorGate(port: 1, token: "t"),
      InspectorText(isRedacted: true))
    weak var trace: Owner?
    do {
      let owner = Owner(server)
      trace = owner
      let request = request(isOfBody ? .data(body { [owner] in withExtendedLifetime(owner) {} }) : .empty)
      let error = NetworkError(.unreachable, request: request, underlying: isOfBody ? nil : owner)
      server.observe(.sent(request))
      server.observe(.attemptEnded(report(request, id: request.id, .failure(error))))
    }
    if !isOfBody { expect(trace != nil) }
    for _ in 0..<2 { server.observe(.sent(request(.data(Data(count: 900))))) }
    expect(trace == nil)
  }

  /// The last exchange after a 303 has no body, and the report has that of the first one.
  @Test func theBodyThatARedirectDropsIsFreedWithItsOwnExchange() throws {
    var log = InspectorLog(exchangeLimit: 10, bodyByteLimit: 1_000)
    let isFreed = CurrentValue(false)
    do {
      let request = request(.data(body { isFreed.value = true }))
      var next = request
      next.body = .empty
      log.next(.sent(request), at: .now)
      log.next(.redirected(request, HTTPResponse(statusCode: 303, url: url), next), at: .now)
      log.next(.attemptEnded(report(request, id: request.id)), at: .now)
      log.next(.ended(report(request, id: request.id)), at: .now)
    }
    expectEqual([1, 2].map { log.entry($0)?.bodyByteCount }, [900, 0])
    // The record has a copy.
    expect(isFreed.value)
    exchange(&log, 900, of: request())
    expectEqual(log.entry(1)?.bodyByteCount, 0)
    expect(log.entry(2)?.report?.explanation.isEmpty == false)
  }

  @Test func eachChangeHasARevision() {
    var log = InspectorLog(exchangeLimit: 10, bodyByteLimit: 1_000)
    expectEqual(log.changes(after: 0).entries.count, 0)
    let request = request()
    log.next(.started(request.id, nil), at: .now)
    log.next(.sent(request), at: .now)
    let first = log.changes(after: 0)
    expectEqual(first.entries.map(\.key), [1])
    expect(log.changes(after: first.revision).entries.isEmpty)
    log.next(.attemptEnded(report(request, id: request.id)), at: .now)
    let second = log.changes(after: first.revision)
    expectEqual(second.entries.map(\.key), [1])
    expect(second.revision > first.revision)
    // What changed twice is sent once.
    expectEqual(log.changes(after: 0).entries.count, 1)
  }

  @Test func theOldestExchangesAreForgotten() {
    var log = InspectorLog(exchangeLimit: 3, bodyByteLimit: 1_000)
    let early = request()
    log.next(.sent(early), at: .now)
    for _ in 0..<7 { exchange(&log, of: request()) }
    let changes = log.changes(after: 0)
    expectEqual(changes.entries.map(\.key), [6, 7, 8])
    expectEqual(changes.firstKey, 6)
    expect(log.entry(5) == nil && log.entry(6) != nil && log.entry(8) != nil && log.entry(9) == nil)
    // Its place belongs to another exchange by now.
    log.next(.attemptEnded(report(early, id: early.id)), at: .now)
    expectEqual(log.changes(after: changes.revision).entries.count, 0)
    expectEqual(log.all.map(\.key), [6, 7, 8])
  }

  @Test func theOldestBodiesAreForgotten() throws {
    var log = InspectorLog(exchangeLimit: 100, bodyByteLimit: 25)
    let large = request(.data(Data(count: 10)))
    exchange(&log, 5, of: large)
    exchange(&log, 10, of: request())
    expectEqual(log.entry(1)?.bodyByteCount, 15)
    exchange(&log, 20, of: request())
    expectEqual((1...3).map { log.entry($0)?.bodyByteCount }, [0, 0, 20])
    let entry = try require(log.entry(1))
    expectEqual(try record(log, 1).request.body, .data(Data()))
    expectEqual(try [record(log, 1), record(log, 2)].map { $0.requestBody?.byteCount }, [10, nil])
    let details = InspectorDetails(entry, InspectorText(isRedacted: true), at: .now)
    expectEqual(details.requestBody?.comment, "10 bytes, not stored: over the limit for bodies")
    expectEqual(details.responseBody?.comment, "5 bytes, not stored: over the limit for bodies")
    expectNil(details.curl)
    let sizes = HARSizes(try record(log, 1))
    expectEqual([sizes.requestBody, sizes.responseBody], [10, 5])
  }

  /// A batch that removes bodies passes many entries that have none.
  @Test func onlyEntriesWithBodiesAreCopied() throws {
    var log = InspectorLog(exchangeLimit: 100, bodyByteLimit: 100)
    let early = request()
    log.next(.sent(early), at: .now)
    for _ in 0..<20 { exchange(&log, of: request()) }
    exchange(&log, 60, of: request())
    let response = Response(value: Data(count: 30), head: HTTPResponse(statusCode: 200, url: url))
    log.next(.received(early, response), at: .now)
    let event = MonitorEvent.sent(request(.data(Data(count: 90))))
    let replaced = try require(log.process([.init(event: event, time: .now, byteCount: 90)]))
    expectEqual(replaced.entries.map(\.key), [1, 22])
    expectEqual([1, 22, 23].map { log.entry($0)?.bodyByteCount }, [0, 0, 90])
  }

  @Test func nothingKeepsARemovedBody() throws {
    var log = InspectorLog(exchangeLimit: 100, bodyByteLimit: 10)
    let failed = request(.data(Data(count: 8)))
    log.next(.sent(failed), at: .now)
    let error = NetworkError(.unreachable, request: failed)
    log.next(.attemptEnded(report(failed, id: failed.id, .failure(error))), at: .now)
    var next = request(.data(Data(count: 9)))
    next.context = failed.context
    log.next(.sent(failed), at: .now)
    log.next(.redirected(failed, HTTPResponse(statusCode: 307, url: url), next), at: .now)
    log.next(.attemptEnded(report(next, id: next.id)), at: .now)
    expectEqual(try record(log, 1).error?.request?.body, .empty)
    expectEqual(try record(log, 2).successor?.body, .empty)
    expectEqual(try record(log, 2).request.body, .data(Data()))
    expectEqual(try record(log, 3).requestBody?.byteCount, 9)
  }

  /// The ring has lost the ends of one request that the log knows and of many that it does not.
  @Test func aLostEndIsNotForgotten() throws {
    var pending = PendingEvents(limit: 4, byteLimit: 1_000)
    var log = InspectorLog(exchangeLimit: 10, bodyByteLimit: 1_000)
    var exchanges = ExchangeLog(bodyLimit: 0)
    func observe(_ event: MonitorEvent) -> Bool {
      pending.append(.init(event: event, time: .now, byteCount: event.bodyByteCount)) == nil
    }
    func read() -> Int {
      let elements = pending.takeAll()
      for element in elements {
        log.next(element.event, at: element.time)
        exchanges.next(element.event, at: element.time) { _ in }
      }
      return elements.count
    }
    let early = request()
    expect(observe(.sent(early)))
    expectEqual(read(), 1)
    expect(try record(log, 1).isInFlight)
    let ended = report(early, id: early.id)
    for event in [MonitorEvent.attemptEnded(ended), .ended(ended)] { _ = observe(event) }
    for _ in 0..<5 {
      let other = request()
      for event in [MonitorEvent.sent(other), .ended(report(other, id: other.id))] { _ = observe(event) }
    }
    expectEqual(read(), 5)
    expect(try !record(log, 1).isInFlight)
    expect(log.entry(1)?.report?.explanation != nil)
    expectEqual(exchanges.inFlight.count, 0)
    expectEqual(read(), 0)
  }

  @Test func aBodyLargerThanTheLimitIsForgottenAtOnce() {
    var log = InspectorLog(exchangeLimit: 100, bodyByteLimit: 0)
    for _ in 0..<3 { exchange(&log, 20, of: request()) }
    expectEqual(log.all.map(\.bodyByteCount), [0, 0, 0])
  }

  @Test func longListsComeInPieces() {
    let count = InspectorLog.replyLimit + 5
    var log = InspectorLog(exchangeLimit: 10_000, bodyByteLimit: 1_000)
    let early = request()
    log.next(.sent(early), at: .now)
    for _ in 1..<count { exchange(&log, of: request()) }
    log.next(.attemptEnded(report(early, id: early.id)), at: .now)
    let first = log.changes(after: 0)
    expect(first.hasMore)
    expectEqual(first.entries.count, InspectorLog.replyLimit)
    let second = log.changes(after: first.revision)
    expect(!second.hasMore)
    // The early one has changed last.
    expectEqual(second.entries.last?.key, 1)
    expectEqual(Set((first.entries + second.entries).map(\.key)), Set(1...count))
  }

  @Test func aRequestThatWasNotBuiltIsShown() throws {
    var log = InspectorLog(exchangeLimit: 10, bodyByteLimit: 1_000)
    let id = RequestID.next()
    let error = NetworkError(.invalidURL, reason: "invalid URL")
    log.next(.started(id, nil), at: .now)
    log.next(.ended(report(nil, id: id, attempt: 0, .failure(error))), at: .now)
    let row = InspectorRow(try require(log.entry(1)), InspectorText(isRedacted: true), at: .now)
    expectEqual(row.request, id.rawValue)
    expectEqual(row.state, "failed")
    expectEqual(log.changes(after: 0).entries.count, 1)
  }

  @Test func anExchangeThatMiddlewareRepeatedHasFailed() throws {
    var log = InspectorLog(exchangeLimit: 10, bodyByteLimit: 1_000)
    let request = request()
    log.next(.sent(request), at: .now)
    exchange(&log, of: request)
    let states = try (1...2).map {
      InspectorRow(try require(log.entry($0)), InspectorText(isRedacted: true), at: .now).state
    }
    expectEqual(states, ["failed", "success"])
  }
}
