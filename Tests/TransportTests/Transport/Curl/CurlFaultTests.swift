import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

@Suite(.enabled(if: CurlTransport.isAvailable)) struct CurlFaultTests {
  let shop: Shop

  init() throws {
    // What cannot be found is not to be kept back on a machine without a network.
    shop = try Shop(transport: try CurlTransport()) { $0.reachability = UnwatchedReachability() }
  }

  private func outcome(
    of request: Request
  ) async -> SignalRecorder<Response<Data>, NetworkError> {
    let recorder = SignalRecorder(shop.client.exchange(request: request))
    await recorder.waitForEnd()
    expect(recorder.violations.isEmpty)
    return recorder
  }

  @Test(arguments: Fault.goodOnes) func takesWhatIsRight(_ fault: Fault) async throws {
    shop.server.route("GET", "/answer") { _ in fault.answer() }
    let recorder = await outcome(of: Request(.get, "/answer"))
    guard case .response(let status, let body) = fault.ending else { return }
    let response = try require(recorder.values.first, "\(recorder.events)")
    expectEqual(response.statusCode, status)
    expectEqual(response.value, Data(body.utf8))
    expect(recorder.isCompleted)
  }

  @Test("S1-6", arguments: Fault.badOnes) func refusesWhatIsWrong(_ fault: Fault) async throws {
    shop.server.route("GET", "/answer") { _ in fault.answer() }
    let recorder = await outcome(of: Request(.get, "/answer"))
    guard case .failure(let code, let kept) = fault.ending else { return }
    expect(recorder.values.isEmpty)
    let error = try require(recorder.failure)
    expectEqual(error.domain, .network)
    expectEqual(error.code, code, "\(error)")
    expectEqual(error.request?.url, shop.server.url("/answer"))
    expect(error.metrics != nil)
    // What had come stays, and nothing else: without a head there is no response.
    expectEqual(error.response?.value, kept.map { Data($0.utf8) })
  }

  /// RFC 9112 §6.3: the response ends with its head; what follows is no part of the next one.
  @Test(arguments: [("HEAD", "200 OK"), ("GET", "204 No Content"), ("GET", "304 Not Modified")])
  func dataAfterAResponseWithoutABodyClosesItsConnection(_ method: String, _ status: String) async throws {
    shop.server.route("*", "/answer") { _ in
      .script([.text("HTTP/1.1 \(status)\r\nContent-Length: 4\r\n\r\ntrue")])
    }
    shop.serve("/next", "{}")
    let transport = try CurlTransport()
    let first = HTTPRequest(method: HTTPMethod(rawValue: method), url: shop.server.url("/answer"))
    for request in [first, HTTPRequest(url: shop.server.url("/next"))] {
      let recorder = SignalRecorder(transport.send(request))
      await recorder.waitForEnd()
      expect(recorder.isCompleted, "\(recorder.events)")
      let bodies = recorder.values.compactMap { if case .body(let data) = $0 { data } else { nil } }
      expectEqual(bodies, request.url == first.url ? [] : [Data("{}".utf8)])
    }
    expectEqual(shop.server.log.acceptedCount, 2)
  }

  @Test func aHeadThatIsTooLongIsRefused() async throws {
    shop.server.route("GET", "/long") { _ in .status(200).header("X-Long", String(repeating: "a", count: 20_000)) }
    var request = HTTPRequest(url: shop.server.url("/long"))
    request.limits.headerByteCount = 10_000
    let recorder = SignalRecorder(try CurlTransport().send(request))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .responseTooLarge)
  }

  @Test func aBodyThatBecomesTooLongIsRefused() async throws {
    let bomb = try Compressed.bomb()
    shop.server.route("GET", "/bomb") { _ in
      .data(bomb).header("Content-Encoding", "gzip")
    }
    var configuration = NetworkClient.Configuration(baseURL: shop.server.baseURL, transport: try CurlTransport())
    configuration.limits.bodyByteCount = 1_000_000
    let recorder = SignalRecorder(NetworkClient(configuration).exchange(request: "/bomb"))
    await recorder.waitForEnd()
    let error = try require(recorder.failure)
    expectEqual(error.code, .responseTooLarge)
    expect((error.response?.value.count ?? 0) < 1_200_000)
    let whole = await outcome(of: Request(.get, "/bomb"))
    expectEqual(whole.values.first?.value, Data(count: 3_000_000))
  }

  @Test("S4-12") func silenceAndSlownessHaveLimits() async throws {
    shop.server.route("GET", "/stuck") { _ in .never }
    shop.server.route("GET", "/drip") { _ in
      .chunked(Array(repeating: Data("drop".utf8), count: 3_000), every: .milliseconds(20))
    }
    let recorder = await outcome(of: Request(.get, "/stuck", options: .with { $0.idleTimeout = .milliseconds(150) }))
    expectEqual(recorder.failure?.code, .timedOut)
    let request = HTTPRequest(url: shop.server.url("/drip"), idleTimeout: .seconds(5), totalTimeout: .milliseconds(200))
    let events = SignalRecorder(try CurlTransport().send(request))
    await events.waitForEnd()
    expectEqual(events.failure?.code, .timedOut)
    expect(events.values.count < 3_000, "it ended before all had come")
  }

  @Test("S1-6") func whatCannotBeReachedSaysWhy() async throws {
    let refused = try require(URL(string: "http://127.0.0.1:\(LoopbackSocket.closedPort())/"))
    let first = await outcome(of: Request(.get, refused))
    expectEqual(first.failure?.code, .cannotConnect)
    expectNil(first.failure?.statusCode)
    // Not of the system's resolver, which may be far away, or resolve every name.
    var settings = TransportSettings()
    settings.resolve = { _, _ in [] }
    let unknown = try HTTPRequest(url: require(URL(string: "https://does-not-exist.invalid/")))
    let second = SignalRecorder(try CurlTransport(settings).send(unknown))
    await second.waitForEnd()
    expectEqual(second.failure?.code, .cannotFindHost)
    expectNil(second.failure?.statusCode)
  }

  @Test(arguments: [
    HTTPHeaders([.init(name: "X-A\r\nX-B", value: "1")]), HTTPHeaders([.init(name: "X-A", value: "1\r\nX-B: 2")]),
    HTTPHeaders([.init(name: "Transfer-Encoding", value: "chunked")]),
    HTTPHeaders([.init(name: "Content-Length", value: "5")]),
  ])
  func nothingIsSmuggled(_ headers: HTTPHeaders) async throws {
    let recorder = SignalRecorder(
      try CurlTransport().send(HTTPRequest(url: shop.server.url("/"), headers: headers)))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .invalidHeader)
    expectEqual(shop.server.log.acceptedCount, 0)
  }
}
