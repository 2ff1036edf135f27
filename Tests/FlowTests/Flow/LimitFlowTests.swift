import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Our own limits, which are no server's fault, over real sockets.
struct LimitFlowTests {
  @Test(arguments: TransportKind.present) func aBodyThatIsTooLargeLeavesItsBeginning(_ kind: TransportKind) async throws
  {
    let server = try LoopbackServer()
    let body = Data((0..<400_000).map { UInt8(truncatingIfNeeded: $0) })
    server.route("GET", "/large") { _ in .json(body) }
    var configuration = NetworkClient.Configuration(baseURL: server.baseURL, transport: try kind.transport())
    configuration.limits.bodyByteCount = 200_000
    let recorder = SignalRecorder(NetworkClient(configuration).enqueue(request: "/large", resultType: Int.self))
    await recorder.waitForEnd()
    let error = try require(recorder.failure)
    expectEqual(error.code, .responseTooLarge)
    expectEqual(error.attribution.party, .client)
    expectEqual(error.message(in: .english), "This is too large to load.")
    expectEqual(error.response?.value, body.prefix(65_536))
    expectEqual(error.statusCode, 200)
  }

  @Test(arguments: TransportKind.present) func whatIsTooMuchInARequestIsTheClients(_ kind: TransportKind) async throws {
    let server = try LoopbackServer()
    let client = NetworkClient(.init(baseURL: server.baseURL, transport: try kind.transport()))
    let long = String(repeating: "a", count: 1_100_000)
    for request in [Request(.get, "/a", headers: ["X-Long": long]), Request(.get, "/\(long)")] {
      let recorder = SignalRecorder(client.exchange(request: request))
      await recorder.waitForEnd()
      let error = try require(recorder.failure)
      expectEqual(error.code, .requestTooLarge)
      expectEqual(error.attribution.party, .client)
      expect(error.reason.utf8.count < 200)
    }
    // A transport looks for itself, too.
    let direct = SignalRecorder(
      try kind.transport().send(HTTPRequest(url: server.url("/a"), headers: ["X-Long": long])))
    await direct.waitForEnd()
    expectEqual(direct.failure?.code, .requestTooLarge)
    expectEqual(server.log.acceptedCount, 0)
  }

  /// One request holds the only place; the time of others runs out while they wait.
  @Test("P6", arguments: ["limit", "curl"]) func aQueueOfOursOpensNoCircuit(_ place: String) async throws {
    if place == "curl", !CurlTransport.isAvailable { return }
    let server = try LoopbackServer()
    server.route("GET", "/stuck") { _ in .never }
    server.route("GET", "/a") { _ in .json("1") }
    let limited: any Transport =
      place == "curl"
      ? try CurlTransport(TransportSettings(concurrencyLimit: 1))
      : LimitingTransport(URLSessionTransport(), concurrencyLimit: 1)
    // The time runs out when the request is in the queue, however slow the machine is.
    let clock = VirtualScheduler()
    var configuration = NetworkClient.Configuration(
      baseURL: server.baseURL, transport: CircuitBreaker(limited, failureLimit: 2))
    configuration.scheduler = clock
    let client = NetworkClient(configuration)
    // However slow the machine is, it keeps the place.
    let patient = Request(.get, "/stuck", options: .with { $0.idleTimeout = .seconds(3_600) })
    let stuck = SignalRecorder(client.exchange(request: patient))
    await expect(server.wait { $0.requests.count == 1 })
    for _ in 0..<5 {
      let request = Request(.get, "/a", options: .with { $0.totalTimeout = .milliseconds(20) })
      let late = SignalRecorder(client.exchange(request: request))
      clock.advance(by: .milliseconds(20))
      await late.waitForEnd()
      expectEqual(late.failure?.code, .timedOut)
      expectEqual(late.failure?.attribution.party, .client)
    }
    stuck.dispose()
    let next = SignalRecorder(client.enqueue(request: "/a", resultType: Int.self))
    await next.waitForEnd()
    expectEqual(next.values.map(\.value), [1], "\(next.events)")
  }
}
