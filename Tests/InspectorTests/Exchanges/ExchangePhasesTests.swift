import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph
@testable import HeliographInspector

struct ExchangePhasesTests {
  private let start = Date(timeIntervalSince1970: 1_000)
  private var record: ExchangeRecord

  init() throws {
    let url = try require(URL(string: "https://api.example/"))
    record = ExchangeRecord(number: 1, HTTPRequest(url: url), bodyLimit: 0, at: start)
    record.sentAt = start
    record.endedAt = start + 2
  }

  private mutating func phases(_ change: (inout Metrics) -> Void) -> ExchangePhases {
    var metrics = Metrics(endedAt: .milliseconds(100))
    metrics.startedAt = .milliseconds(10)
    change(&metrics)
    record.metrics = metrics
    return ExchangePhases(of: record, at: start)
  }

  @Test mutating func ofANewConnection() {
    let phases = phases { metrics in
      metrics.resolvedAt = .milliseconds(15)
      metrics.connectedAt = .milliseconds(25)
      metrics.securedAt = .milliseconds(45)
      metrics.sentAt = .milliseconds(46)
      metrics.firstByteAt = .milliseconds(90)
    }
    expectEqual(phases.blocked, .milliseconds(10))
    expectEqual(phases.dns, .milliseconds(5))
    expectEqual(phases.connect, .milliseconds(10))
    expectEqual(phases.tls, .milliseconds(20))
    expectEqual(phases.send, .milliseconds(1))
    expectEqual(phases.wait, .milliseconds(44))
    expectEqual(phases.receive, .milliseconds(10))
    expectEqual(phases.total, .milliseconds(100))
  }

  @Test mutating func ofAReusedConnection() {
    let phases = phases { metrics in
      metrics.isConnectionReused = true
      metrics.resolvedAt = .milliseconds(10)
      metrics.sentAt = .milliseconds(11)
      metrics.firstByteAt = .milliseconds(60)
    }
    expectNil(phases.dns)
    expectNil(phases.connect)
    expectNil(phases.tls)
    expectEqual(phases.send, .milliseconds(1))
    expectEqual(phases.total, .milliseconds(100))
  }

  @Test mutating func theRestBelongsToThePhaseThatFailed() {
    record.outcome = .failure(NetworkError(.cannotFindHost))
    expectEqual(phases { $0.resolvedAt = nil }.dns, .milliseconds(90))
    expectEqual(phases { $0.resolvedAt = .milliseconds(20) }.total, .milliseconds(100))
    record.outcome = .failure(NetworkError(.cannotConnect))
    expectEqual(phases { $0.resolvedAt = .milliseconds(20) }.connect, .milliseconds(80))
    let handshake = phases { metrics in
      metrics.resolvedAt = .milliseconds(20)
      metrics.connectedAt = .milliseconds(30)
    }
    expectEqual(handshake.tls, .milliseconds(70))
    expectEqual(handshake.total, .milliseconds(100))
  }

  /// As over `URLSession` on Linux, with a server that sends nothing.
  @Test mutating func aTimeoutWithoutPhasesIsWait() {
    record.outcome = .failure(NetworkError(.timedOut))
    let phases = phases { $0.resolvedAt = nil }
    expectNil(phases.dns)
    expectEqual(phases.wait, .milliseconds(90))
    expectEqual(phases.total, .milliseconds(100))
  }

  @Test mutating func theTimeBeforeTheExchangeIsBlocked() {
    record.sentAt = start + 1
    let phases = phases { $0.sentAt = .milliseconds(20) }
    expectEqual(phases.blocked, .milliseconds(1_010))
  }

  @Test mutating func ofTheLastExchangeOfARedirectChain() throws {
    record = ExchangeRecord(number: 2, record.request, hop: 1, bodyLimit: 0, at: start)
    record.endedAt = start + 1
    record.sentAt = start
    let phases = phases { $0.firstByteAt = .milliseconds(70) }
    expectNil(phases.blocked)
    expectEqual(phases.total, .milliseconds(90))
  }

  @Test func withoutMetricsAllTimeIsWait() {
    expectEqual(ExchangePhases(of: record, at: start).wait, .seconds(2))
    var cached = record
    cached.source = .cache(age: .seconds(1))
    cached.metrics = Metrics(endedAt: .seconds(50))
    expectEqual(ExchangePhases(of: cached, at: start).total, .seconds(2))
  }
}

extension ExchangePhases {
  /// The sum of all phases.
  var total: Duration {
    [dns, connect, tls].reduce((blocked ?? .zero) + send + wait + receive) { $0 + ($1 ?? .zero) }
  }
}
