import Foundation
import HeliographTesting
import TestSupport
import Testing

@testable import Heliograph

struct EvidenceCollectorTests {
  private let clock = VirtualScheduler()
  private let collector: EvidenceCollector

  init() { collector = EvidenceCollector(.unwatched, clock) }

  private func otherHosts(_ address: String, responding hasResponse: Bool = false) throws -> Evidence.OtherHosts? {
    let request = HTTPRequest(url: try require(URL(string: address)))
    var error = NetworkError(.connectionLost, request: request)
    if hasResponse { error.response = Response(value: Data(), head: HTTPResponse(statusCode: 200, url: request.url)) }
    return collector.attributing(error, since: .unknown).attribution.evidence?.otherHosts
  }

  @Test("P6") func aResponseIsEvidenceForThirtySeconds() throws {
    collector.record(try require(URL(string: "https://other.example/")))
    clock.advance(by: .seconds(30))
    expectEqual(try otherHosts("https://api.example.com/a"), .answered)
    clock.advance(by: .milliseconds(1))
    expectEqual(try otherHosts("https://api.example.com/a"), .unknown)
  }

  @Test(arguments: ["https://api.example.com/b?c", "https://api.example.com", "HTTPS://API.example.com:443/"])
  func anOriginIsTheSameHoweverItIsWritten(_ address: String) throws {
    collector.record(try require(URL(string: "https://api.example.com/a")))
    expectEqual(try otherHosts(address), .unknown)
  }

  /// Another port shows that the path to the machine works; plain http may be answered on the way.
  @Test("P6", arguments: [("https://api.example.com:444/a", true), ("http://api.example.com/a", false)])
  func anotherPortOrSchemeIsTheSameHost(_ address: String, _ isProof: Bool) throws {
    let api = try require(URL(string: "https://api.example.com/a"))
    collector.record(api)
    expectEqual(try otherHosts(address), isProof ? .answered : .unknown)
    expectEqual(try otherHosts("https://other.example/"), .answered)
    clock.advance(by: .seconds(31))
    expectEqual(try otherHosts("https://api.example.com/a"), .unknown)
    expectEqual(try otherHosts(address), .unknown)
    expectEqual(try otherHosts("https://other.example/"), .failed)
  }

  /// Such as an analytics host that is blocked on this device.
  @Test("S1-10 P6") func hostsThatFailedBeforeThisOneAnsweredAreNoEvidence() throws {
    let address = "https://api.example.com/a"
    let blocked = ["https://blocked.example/", "https://tracker.example/"]
    for address in blocked { _ = try otherHosts(address) }
    expectEqual(try otherHosts(address), .failed)
    expectEqual(try otherHosts(address, responding: true), .unknown, "in the middle of its response")
    expectEqual(try otherHosts(address), .unknown)
    clock.advance(by: .seconds(20))
    // They still fail for their own reasons.
    for address in blocked { _ = try otherHosts(address) }
    expectEqual(try otherHosts(address), .unknown)
    clock.advance(by: .seconds(11))
    expectEqual(try otherHosts(address), .failed, "its response is too old")
  }

  /// A connection to it was established, and its certificate concerns no other host.
  @Test func aHostWithAnUntrustedCertificateIsNoEvidenceAgainstThePath() throws {
    let expired = HTTPRequest(url: try require(URL(string: "https://expired.example/")))
    _ = collector.attributing(NetworkError(.untrustedCertificate, request: expired), since: .unknown)
    expectEqual(try otherHosts("https://api.example.com/a"), .unknown)
  }

  /// The device may sleep, and change its network meanwhile.
  @Test func theAgeOfEvidenceIncludesSleep() {
    let scheduler = DispatchScheduler.global
    let collector = EvidenceCollector(.unwatched, scheduler)
    let first = scheduler.continuousNow
    let now = collector.now
    expect(first <= now && now <= scheduler.continuousNow, "\(now), \(scheduler.now)")
  }

  @Test("S1-10 P6") func aResponseBeforeAnOutageIsNoEvidence() throws {
    let hosts = ["https://api.example.com/", "https://cdn.example/", "https://other.example/"]
    for host in hosts { collector.record(try require(URL(string: host))) }
    clock.advance(by: .seconds(10))
    expectEqual(try hosts.map { try otherHosts($0) }, [.answered, .answered, .failed])
    expectEqual(try otherHosts(hosts[0]), .failed)
    collector.record(try require(URL(string: hosts[1])))
    expectEqual(try otherHosts(hosts[0]), .answered, "the outage is over")
  }

  /// As a server in the app, which needs no network.
  @Test("P6") func thisMachineIsEvidenceForItselfOnly() throws {
    for host in ["http://127.0.0.1:80/", "https://localhost/"] {
      collector.record(try require(URL(string: host)))
    }
    try expectEqual(otherHosts("http://api.example.com/a"), .unknown)
    try expectEqual(otherHosts("http://[::1]/a"), .answered)
    clock.advance(by: .seconds(31))
    _ = try otherHosts("http://localhost/")
    try expectEqual(otherHosts("http://api.example.com/a"), .unknown)
    try expectEqual(otherHosts("http://127.0.0.1/a"), .failed)
    clock.advance(by: .seconds(31))
    _ = try otherHosts("http://other.example/")
    try expectEqual(otherHosts("http://127.0.0.1/a"), .unknown)
  }

  /// As that of a captive portal.
  @Test("S1-10 P6") func aResponseOverPlainHTTPIsNoEvidenceForHTTPS() throws {
    let address = "https://api.example.com/a"
    for host in ["https://cdn.example/", "https://other.example/"] { _ = try otherHosts(host) }
    for host in ["http://api.example.com/", "http://portal.example/"] {
      collector.record(try require(URL(string: host)))
    }
    expectEqual(try otherHosts(address), .failed)
    expectEqual(try otherHosts("http://api.example.com/a"), .answered)
  }

  @Test(arguments: ["https://api.example.com.test/a", "https://api.example.community/"])
  func aHostThatBeginsAlikeIsAnother(_ address: String) throws {
    collector.record(try require(URL(string: "https://api.example.com/a")))
    expectEqual(try otherHosts(address), .answered)
  }

  @Test func aURLWithoutAPathHasNoPrefix() throws {
    collector.record(try require(URL(string: "https://api.example.com")))
    expectEqual(try otherHosts("https://other.example/"), .answered)
    expectEqual(try otherHosts("https://api.example.com/a"), .unknown)
  }

  private func phase(
    _ code: NetworkError.Code, _ metrics: Metrics? = nil, _ body: HTTPBody = .empty
  ) throws -> Evidence.Phase? {
    let request = HTTPRequest(method: .post, url: try require(URL(string: "https://api.example.com/a")), body: body)
    let error = NetworkError(code, request: request, metrics: metrics)
    return collector.attributing(error, since: .unknown).attribution.evidence?.phase
  }

  @Test(
    "P6",
    arguments: [
      (.cannotFindHost, .resolving), (.cannotConnect, .connecting), (.secureConnectionFailed, .tlsHandshake),
      (.untrustedCertificate, .tlsHandshake), (.rejectedClientCertificate, .tlsHandshake), (.connectionLost, nil),
    ] as [(NetworkError.Code, Evidence.Phase?)])
  func aCodeMayTellThePhase(_ code: NetworkError.Code, _ expected: Evidence.Phase?) throws {
    try expectEqual(phase(code), expected)
  }

  /// A request is sent in full if more bytes were sent than its body has: the rest is the head.
  @Test("S1-10 P6") func theInstantsTellThePhaseOfATimeout() throws {
    var metrics = Metrics()
    try expectEqual(phase(.timedOut, metrics), .waiting)
    metrics.startedAt = .zero
    try expectNil(phase(.timedOut, metrics))
    metrics.resolvedAt = .milliseconds(1)
    try expectEqual(phase(.timedOut, metrics), .connecting)
    metrics.connectedAt = .milliseconds(2)
    try expectEqual(phase(.timedOut, metrics), .tlsHandshake)
    metrics.sentAt = .milliseconds(3)
    let stream = HTTPBody.stream(BodyStream { { .never } })
    for (count, body, isSent) in [
      (0, .empty, false), (99, .empty, true), (99, .data(Data(count: 100)), false),
      (100, .data(Data(count: 100)), false), (199, .data(Data(count: 100)), true), (199, stream, false),
    ] as [(Int, HTTPBody, Bool)] {
      metrics.sentByteCount = count
      try expectEqual(phase(.timedOut, metrics, body), isSent ? .awaitingResponse : .sending, "\(count), \(body)")
    }
    // A transport that reports it itself counts: here, bytes are missing although the head makes up for them.
    metrics.hasSentAll = false
    try expectEqual(phase(.timedOut, metrics, .data(Data(count: 100))), .sending)
    metrics.hasSentAll = true
    try expectEqual(phase(.timedOut, metrics, stream), .awaitingResponse)
    metrics.sentAt = nil
    try expectEqual(phase(.timedOut, metrics, stream), .awaitingResponse)
    metrics.firstByteAt = .milliseconds(4)
    try expectEqual(phase(.timedOut, metrics), .receiving)
  }
}
