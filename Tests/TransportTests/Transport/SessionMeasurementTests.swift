import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

/// What Apple's systems measure, in the terms of ``Metrics``.
struct SessionMeasurementTests {
  private struct Transaction: MeasuredTransaction {
    var fetchStartDate: Date?
    var domainLookupEndDate: Date?
    var secureConnectionStartDate: Date?
    var secureConnectionEndDate: Date?
    var connectEndDate: Date?
    var requestStartDate: Date?
    var responseStartDate: Date?
    var networkProtocolName: String?
    var isReusedConnection = false
    var countOfRequestHeaderBytesSent: Int64 = 0
    var countOfRequestBodyBytesSent: Int64 = 0
    var countOfResponseHeaderBytesReceived: Int64 = 0
    var countOfResponseBodyBytesReceived: Int64 = 0
  }

  private let start = Date(timeIntervalSinceReferenceDate: 1000)

  private func date(_ milliseconds: Int) -> Date { start + Double(milliseconds) / 1000 }

  private func metrics(_ transactions: Transaction...) -> Metrics {
    var contents = Metrics(
      startedAt: .zero, firstByteAt: .milliseconds(90), endedAt: .milliseconds(100), sentByteCount: 3,
      receivedByteCount: 7)
    SessionMeasurement(transactions, from: start).merge(&contents)
    return contents
  }

  /// Milliseconds, as dates are not exact.
  private func instants(_ metrics: Metrics) -> [Int?] {
    [
      metrics.startedAt, metrics.resolvedAt, metrics.connectedAt, metrics.securedAt, metrics.sentAt,
      metrics.firstByteAt, metrics.endedAt,
    ].map { $0.map { Int(($0 / .milliseconds(1)).rounded()) } }
  }

  @Test("S1-12") func aNewConnectionHasAllPhases() {
    let metrics = metrics(
      Transaction(
        fetchStartDate: date(1), domainLookupEndDate: date(10), secureConnectionStartDate: date(20),
        secureConnectionEndDate: date(30), connectEndDate: date(31), requestStartDate: date(32),
        responseStartDate: date(50), networkProtocolName: "h2", countOfRequestHeaderBytesSent: 100,
        countOfRequestBodyBytesSent: 20, countOfResponseHeaderBytesReceived: 300, countOfResponseBodyBytesReceived: 4000
      ))
    expectEqual(instants(metrics), [1, 10, 20, 30, 32, 50, 100])
    expectEqual(metrics.protocolVersion, "HTTP/2")
    expectEqual(metrics.isConnectionReused, false)
    expectEqual(metrics.sentByteCount, 120)
    expectEqual(metrics.receivedByteCount, 4300)
    expectEqual(metrics.resendCount, 0)
  }

  /// The bytes that an exchange counts are decoded.
  @Test("S1-12") func theSizeOnTheWireReplacesTheDecodedOne() {
    var metrics = Metrics(receivedByteCount: 1_000_000)
    let transaction = Transaction(
      countOfResponseHeaderBytesReceived: 300, countOfResponseBodyBytesReceived: 100_000)
    SessionMeasurement([transaction], from: start).merge(&metrics)
    expectEqual(metrics.receivedByteCount, 100_300)
  }

  /// As of a task that failed while its body arrived.
  @Test("S1-12") func aBodyThatTheSystemHasNotCountedCounts() {
    var metrics = Metrics(receivedByteCount: 50_000)
    SessionMeasurement([Transaction(countOfResponseHeaderBytesReceived: 300)], from: start).merge(&metrics)
    expectEqual(metrics.receivedByteCount, 50_000)
  }

  @Test("S1-12") func theInstantsOfAnEarlierProcessAreNotThoseOfTheExchange() {
    var metrics = Metrics(startedAt: .zero, firstByteAt: .milliseconds(90), endedAt: .milliseconds(100))
    let transaction = Transaction(
      fetchStartDate: date(1), requestStartDate: date(32), responseStartDate: date(10_800_000),
      networkProtocolName: "h2", countOfResponseHeaderBytesReceived: 300)
    SessionMeasurement([transaction], from: start).merge(&metrics, keepingInstants: true)
    expectEqual(instants(metrics), [0, nil, nil, nil, nil, 90, 100])
    expectEqual(metrics.protocolVersion, "HTTP/2")
    expectEqual(metrics.receivedByteCount, 300)
  }

  @Test("S1-12") func withoutTLSTheConnectionIsMadeWhenItIsConnected() {
    let metrics = metrics(
      Transaction(fetchStartDate: date(1), domainLookupEndDate: date(2), connectEndDate: date(5)))
    expectEqual(instants(metrics), [1, 2, 5, nil, nil, 90, 100])
    // It failed before anything was sent.
    expectNil(metrics.isConnectionReused)
    expectEqual(metrics.receivedByteCount, 7)
  }

  @Test("S1-12") func aKeptConnectionIsThereAtOnce() {
    let metrics = metrics(
      Transaction(
        fetchStartDate: date(4), requestStartDate: date(5), responseStartDate: date(9), networkProtocolName: "http/1.1",
        isReusedConnection: true))
    expectEqual(instants(metrics), [4, 4, 4, nil, 5, 9, 100])
    expectEqual(metrics.protocolVersion, "HTTP/1.1")
    expectEqual(metrics.isConnectionReused, true)
  }

  @Test("S1-12") func whatWasSentAgainCounts() {
    let first = Transaction(fetchStartDate: date(1), requestStartDate: date(2), countOfRequestHeaderBytesSent: 50)
    let metrics = metrics(
      first,
      Transaction(fetchStartDate: date(8), requestStartDate: date(9), countOfRequestHeaderBytesSent: 50))
    expectEqual(metrics.resendCount, 1)
    expectEqual(metrics.sentByteCount, 100)
    expectEqual(instants(metrics)[0], 8)
  }

  /// A background session follows redirects itself, also in an earlier process.
  @Test(arguments: [false, true]) func redirectsAreNoResends(_ isAdopted: Bool) {
    let transactions = (1...3).map { Transaction(fetchStartDate: date($0)) }
    var metrics = Metrics()
    SessionMeasurement(transactions, from: start, redirectCount: 1).merge(&metrics, keepingInstants: isAdopted)
    expectEqual(metrics.redirectCount, 1)
    expectEqual(metrics.resendCount, 1)
  }

  @Test func aMeasurementOfNothingChangesNothing() {
    expectEqual(instants(metrics()), [0, nil, nil, nil, nil, 90, 100])
    expectEqual(metrics().sentByteCount, 3)
  }

  /// The clock on the wall may be set back meanwhile.
  @Test func noInstantIsBeforeTheBeginning() {
    expectEqual(instants(metrics(Transaction(fetchStartDate: date(-5), requestStartDate: date(-3))))[0], 0)
  }
}
