import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The measurements of one request and its response by `URLSession`.
protocol MeasuredTransaction {
  var fetchStartDate: Date? { get }
  var domainLookupEndDate: Date? { get }
  var secureConnectionStartDate: Date? { get }
  var secureConnectionEndDate: Date? { get }
  /// The end of the TLS handshake, if there is one.
  var connectEndDate: Date? { get }
  var requestStartDate: Date? { get }
  var responseStartDate: Date? { get }
  /// The name of the protocol in ALPN (RFC 7301 §6).
  var networkProtocolName: String? { get }
  var isReusedConnection: Bool { get }
  var countOfRequestHeaderBytesSent: Int64 { get }
  var countOfRequestBodyBytesSent: Int64 { get }
  var countOfResponseHeaderBytesReceived: Int64 { get }
  var countOfResponseBodyBytesReceived: Int64 { get }
}

extension URLSessionTaskTransactionMetrics: MeasuredTransaction {}

/// The measurements of a task by `URLSession`, in the terms of ``Metrics``.
struct SessionMeasurement: Sendable {
  private let contents: Metrics
  private let countsBody: Bool

  init(_ metrics: URLSessionTaskMetrics) {
    self.init(
      metrics.transactionMetrics, from: metrics.taskInterval.start, redirectCount: metrics.redirectCount)
  }

  /// `transactions` include requests that the session resent by itself and, in a background session, redirects.
  init(_ transactions: [some MeasuredTransaction], from start: Date, redirectCount: Int = 0) {
    var contents = Metrics(resendCount: max(0, transactions.count - 1 - redirectCount))
    contents.redirectCount = redirectCount
    for transaction in transactions {
      contents.sentByteCount += Int(
        clamping: transaction.countOfRequestHeaderBytesSent + transaction.countOfRequestBodyBytesSent)
      contents.receivedByteCount += Int(
        clamping: transaction.countOfResponseHeaderBytesReceived + transaction.countOfResponseBodyBytesReceived)
    }
    if let last = transactions.last {
      func instant(_ date: Date?) -> Duration? { date.map { .seconds(max(0, $0.timeIntervalSince(start))) } }
      let reusedStart = last.isReusedConnection ? last.fetchStartDate : nil
      contents.startedAt = instant(last.fetchStartDate)
      contents.resolvedAt = instant(last.domainLookupEndDate ?? reusedStart)
      contents.connectedAt = instant(last.secureConnectionStartDate ?? last.connectEndDate ?? reusedStart)
      contents.securedAt = instant(last.secureConnectionEndDate)
      contents.sentAt = instant(last.requestStartDate)
      contents.firstByteAt = instant(last.responseStartDate)
      contents.isConnectionReused = last.requestStartDate == nil ? nil : last.isReusedConnection
      contents.protocolVersion =
        switch last.networkProtocolName {
        case "http/1.0": "HTTP/1.0"
        case "http/1.1": "HTTP/1.1"
        case "h2": "HTTP/2"
        case "h3": "HTTP/3"
        case let other: other
        }
    }
    self.contents = contents
    countsBody = transactions.contains { $0.countOfResponseBodyBytesReceived > 0 }
  }

  /// Merges the measurements into an exchange's metrics.
  ///
  /// The end, and instants that the system did not measure, remain as the exchange recorded them; all instants remain
  /// for a task of an earlier process, which has counted them from its start.
  func merge(_ other: inout Metrics, keepingInstants keepsInstants: Bool = false) {
    var all = keepsInstants ? other : contents
    if !keepsInstants {
      all.endedAt = other.endedAt
      all.startedAt = contents.startedAt ?? other.startedAt
      all.firstByteAt = contents.firstByteAt ?? other.firstByteAt
    }
    all.protocolVersion = contents.protocolVersion
    all.isConnectionReused = contents.isConnectionReused
    all.resendCount = contents.resendCount
    all.redirectCount = contents.redirectCount
    // A failed session may not have counted all bytes. Those that the exchange has received are decoded.
    all.sentByteCount = max(contents.sentByteCount, other.sentByteCount)
    all.receivedByteCount =
      countsBody ? contents.receivedByteCount : max(contents.receivedByteCount, other.receivedByteCount)
    other = all
  }
}
