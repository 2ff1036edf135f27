import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// How long an exchange may be silent, take in all, and take to connect.
@Suite(.enabled(if: CurlTransport.isAvailable)) struct CurlTimeTests {
  let server: LoopbackServer

  init() throws {
    server = try LoopbackServer()
  }

  /// Checks that an exchange ends with `timedOut`, not before the limit and soon after it.
  private func expectTimeout(
    _ limit: Duration, _ request: HTTPRequest, _ settings: TransportSettings = TransportSettings(),
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> SignalRecorder<TransportEvent, NetworkError> {
    let start = ContinuousClock.now
    let recorder = SignalRecorder(try CurlTransport(settings).send(request))
    await recorder.waitForEnd()
    let time = ContinuousClock.now - start
    #expect(recorder.failure?.domain == .network, sourceLocation: sourceLocation)
    #expect(recorder.failure?.code == .timedOut, sourceLocation: sourceLocation)
    #expect(recorder.violations.isEmpty, sourceLocation: sourceLocation)
    #expect(time >= limit, sourceLocation: sourceLocation)
    return recorder
  }

  @Test(arguments: ["", "HTTP/1.1 200 OK\r\nX-A: "]) func silenceBeforeTheHeadEnds(_ text: String) async throws {
    server.route("GET", "/a") { _ in .script([.text(text), .hold]) }
    let request = HTTPRequest(url: server.url("/a"), idleTimeout: .milliseconds(150))
    try await expect(expectTimeout(.milliseconds(150), request).values.isEmpty)
    await expect(server.wait { $0.openConnectionCount == 0 })
  }

  @Test func silenceWithinABodyKeepsWhatHadCome() async throws {
    server.route("GET", "/a") { _ in
      .script([
        .text("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"), .text("one"), .delay(.milliseconds(30)), .text("two"),
        .hold,
      ])
    }
    let client = NetworkClient(.init(baseURL: server.baseURL, transport: try CurlTransport()))
    let request = Request(.get, "/a", options: .with { $0.idleTimeout = .seconds(1) })
    await expectInARound {
      let recorder = SignalRecorder(client.exchange(request: request))
      await recorder.waitForEnd()
      expect(recorder.values.isEmpty)
      expectEqual(recorder.failure?.code, .timedOut)
      // A busy server may be silent earlier.
      return recorder.failure?.statusCode == 200 && recorder.failure?.response?.value == Data("onetwo".utf8)
    }
  }

  @Test func aDropThatComesTooLateIsTooLate() async throws {
    server.route("GET", "/a") { _ in
      .chunked([Data("one".utf8), Data("two".utf8)], every: .seconds(3))
    }
    let request = HTTPRequest(url: server.url("/a"), idleTimeout: .seconds(1))
    try await expectInARound {
      let recorder = SignalRecorder(try CurlTransport().send(request))
      await recorder.waitForEnd()
      // On a busy machine the first may be late as well, or the second in time.
      return recorder.failure?.code == .timedOut && recorder.values.body == Data("one".utf8)
    }
  }

  @Test func theTotalTimeoutCountsThoughBytesKeepComing() async throws {
    server.route("GET", "/a") { _ in
      .chunked(Array(repeating: Data("drop".utf8), count: 10_000), every: .milliseconds(10))
    }
    let request = HTTPRequest(url: server.url("/a"), idleTimeout: .seconds(5), totalTimeout: .seconds(1))
    try await expectInARound {
      let recorder = try await expectTimeout(.seconds(1), request)
      return recorder.values.count { $0 == .body(Data("drop".utf8)) } > 1
    }
    await expect(server.wait { $0.openConnectionCount == 0 })
  }

  @Test func theTotalTimeoutCountsWhileAnExchangeWaitsForItsTurn() async throws {
    server.route("GET", "/stuck") { _ in .never }
    server.route("GET", "/a") { _ in .text("a") }
    let transport = try CurlTransport(TransportSettings(concurrencyLimit: 1))
    let stuck = SignalRecorder(transport.send(HTTPRequest(url: server.url("/stuck"), idleTimeout: .seconds(3_600))))
    await expect(server.wait { $0.requests.count == 1 })
    let late = SignalRecorder(transport.send(HTTPRequest(url: server.url("/a"), totalTimeout: .milliseconds(200))))
    let patient = SignalRecorder(transport.send(HTTPRequest(url: server.url("/a"))))
    await late.waitForEnd()
    expectEqual(late.failure?.code, .timedOut)
    expectNil(late.failure?.metrics?.startedAt)
    expect(!patient.hasEnded)
    stuck.dispose()
    await patient.waitForEnd()
    expect(patient.isCompleted)
    expectEqual(server.log.requests(to: "/a").count, 1)
  }

  @Test(.enabled(if: FullListener.isPossible)) func connectingHasALimitOfItsOwn() async throws {
    let listener = try require(FullListener())
    let url = try require(URL(string: "http://127.0.0.1:\(listener.port)/"))
    var settings = TransportSettings()
    settings.connectTimeout = .milliseconds(200)
    var recorder = try await expectTimeout(.milliseconds(200), HTTPRequest(url: url), settings)
    expectNil(recorder.failure?.metrics?.connectedAt)
    // What holds for the exchange holds for this part of it as well.
    recorder = try await expectTimeout(.milliseconds(150), HTTPRequest(url: url, idleTimeout: .milliseconds(150)))
    recorder = try await expectTimeout(.milliseconds(150), HTTPRequest(url: url, totalTimeout: .milliseconds(150)))
    expect(recorder.values.isEmpty)
  }
}
