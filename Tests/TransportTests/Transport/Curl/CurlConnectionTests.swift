import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

@Suite(.enabled(if: CurlTransport.isAvailable)) struct CurlConnectionTests {
  let server: LoopbackServer

  init() throws {
    server = try LoopbackServer()
  }

  private func client(_ settings: TransportSettings = TransportSettings()) throws -> NetworkClient {
    var settings = settings
    settings.maximumConnectionIdleTime = .seconds(86_400)
    var configuration = NetworkClient.Configuration.open(try CurlTransport(settings))
    configuration.baseURL = server.baseURL
    configuration.idleTimeout = .seconds(3_600)
    return NetworkClient(configuration)
  }

  @Test("S1-34 S1-12") func twentyRequestsUseOneConnection() async throws {
    server.route("GET", "/a") { _ in .text("a") }
    let client = try client()
    for index in 0..<20 {
      let response = try require(try await client.exchange(request: "/a").first())
      expectEqual(response.metrics?.isConnectionReused, (index > 0))
    }
    expectEqual(server.log.acceptedCount, 1)
  }

  /// For devices that accept few connections: the next request may come late, or from another client.
  @Test(arguments: [Duration.zero, .seconds(-1)])
  func withoutAnIdleTimeEachConnectionIsClosedAfterItsExchange(_ idleTime: Duration) async throws {
    server.route("GET", "/a") { _ in .text("a") }
    var settings = TransportSettings()
    settings.maximumConnectionIdleTime = idleTime
    let transport = try CurlTransport(settings)
    for count in 1...3 {
      let recorder = SignalRecorder(transport.send(HTTPRequest(url: server.url("/a"))))
      await recorder.waitForEnd()
      expect(recorder.isCompleted)
      await expect(server.wait { $0.connections.count { $0.closedAt != nil } == count })
    }
  }

  @Test func aServerThatClosesAfterThreeAnswersLosesNothing() async throws {
    server.route("GET", "/a") { request in
      request.index % 3 == 2 ? .script([.text("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"), .close]) : .text("a")
    }
    let client = try client()
    let all = Signal<Signal<Response<Data>, NetworkError>, NetworkError>.from(
      (0..<1000).map { _ in client.exchange(request: "/a") })
    let recorder = SignalRecorder(all.flatMap(.merge(maxConcurrent: 16)) { $0 })
    await recorder.waitForEnd()
    expectNil(recorder.failure)
    expectEqual(recorder.values.count, 1000)
    expect(recorder.values.allSatisfy { $0.value == Data("a".utf8) })
  }

  /// The first request is answered; the second one, on the same connection, is read and then dropped.
  private func dropTheSecond() {
    server.route("*", "/a") { request in request.index == 1 ? .script([.close]) : .text("a") }
  }

  @Test func whatMayBeRepeatedIsRepeatedOnceOnANewConnection() async throws {
    dropTheSecond()
    let client = try client()
    _ = try await client.exchange(request: "/a").first()
    let response = try require(try await client.exchange(request: "/a").first())
    expectEqual(response.metrics?.resendCount, 1)
    expectEqual(server.log.requests.count, 3)
    expectEqual(server.log.acceptedCount, 2)
  }

  @Test("P13", arguments: [Data(), Data("once".utf8), Data(count: 200_000)])
  func nothingIsSentTwiceWithoutTheCallersWord(_ body: Data) async throws {
    dropTheSecond()
    let transport = try TransportKind.curl.transport()
    _ = try await transport.send(HTTPRequest(url: server.url("/a"))).last().first()
    var request = HTTPRequest(method: .post, url: server.url("/a"), body: .data(body))
    let refused = SignalRecorder(transport.send(request))
    await refused.waitForEnd()
    expectEqual(refused.failure?.code, .connectionLost)
    expectEqual(server.log.requests.map(\.method), ["GET", "POST"])

    server.forgetRequests()
    let again = try LoopbackServer()
    again.route("*", "/a") { request in request.index == 1 ? .script([.close]) : .text("a") }
    _ = try await transport.send(HTTPRequest(url: again.url("/a"))).last().first()
    request.url = again.url("/a")
    request.isIdempotent = true
    let repeated = SignalRecorder(transport.send(request))
    await repeated.waitForEnd()
    expect(repeated.isCompleted)
    expectEqual(again.log.requests.map(\.method), ["GET", "POST", "POST"])
    expectEqual(again.log.requests.last?.body, body)
  }

  @Test("S4-5") func noMoreAreUnderWayThanTheLimit() async throws {
    server.route("POST", "/upload") { _ in .text("a").delayed(by: .milliseconds(20)) }
    let client = try client(TransportSettings(concurrencyLimit: 5))
    let recorders = (0..<20).map { index in
      SignalRecorder(
        client.exchange(request: Request(.post, "/upload", body: .data(Data("\(index)".utf8), contentType: "a/b"))))
    }
    for recorder in recorders {
      await recorder.waitForEnd()
      expect(recorder.isCompleted)
    }
    expect(server.log.acceptedCount <= 5)
    expectEqual(Set(server.log.requests.map(\.bodyText)), Set((0..<20).map(String.init)))
  }

  @Test func aHostThatIsFullLetsOthersOvertake() async throws {
    server.route("GET", "/stuck") { _ in .never }
    server.route("GET", "/a") { _ in .text("a") }
    let client = try client(TransportSettings(concurrencyLimit: 10, concurrencyLimitPerHost: 2))
    let stuck = (0..<4).map { _ in client.exchange(request: "/stuck").subscribe { _ in } }
    await expect(server.wait { $0.requests.count == 2 })
    let other = "http://localhost:\(server.port)/a"
    try await expectEqual(client.exchange(request: Request(.get, RequestPath(other))).first()?.value, Data("a".utf8))
    // The same machine at another port is another server.
    let neighbour = try LoopbackServer()
    neighbour.route("GET", "/a") { _ in .text("b") }
    try await expectEqual(client.exchange(request: neighbour.url("/a")).first()?.value, Data("b".utf8))
    expectEqual(server.log.requests(to: "/stuck").count, 2)
    stuck[0].dispose()
    await expect(server.wait { $0.requests(to: "/stuck").count == 3 })
    for handle in stuck { handle.dispose() }
    await expect(server.wait { $0.connections.filter { $0.closedAt == nil }.count <= 1 })
  }

  @Test("S1-34") func theCallerMayResolveHosts() async throws {
    server.route("GET", "/a") { request in .text(request.header("Host") ?? "") }
    var settings = TransportSettings()
    let asked = Peak()
    settings.resolve = { host, _ in
      asked.see(1)
      return host == "shop.example" ? ["127.0.0.1"] : nil
    }
    let client = try client(settings)
    let host = "shop.example:\(server.port)"
    try await expectEqual(client.exchange(request: "http://\(raw: host)/a").first()?.value, Data(host.utf8))
    expectEqual(asked.value, 1)
  }
}

/// The largest number that was seen.
final class Peak: Sendable {
  private let seen = Guarded(0)

  var value: Int { seen.withLock { $0 } }

  func see(_ number: Int) { seen.withLock { $0 = max($0, number) } }
}
