import Foundation
import Heliograph
import HeliographTesting
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
    let recorder = SignalRecorder(shop.client.enqueue(request: request))
    await recorder.waitForEnd()
    #expect(recorder.violations.isEmpty)
    return recorder
  }

  @Test("S1-6", arguments: Fault.goodOnes) func takesWhatIsRight(_ fault: Fault) async throws {
    shop.server.route("GET", "/answer") { _ in fault.answer() }
    let recorder = await outcome(of: Request(.get, "/answer"))
    guard case .response(let status, let body) = fault.ending else { return }
    let response = try #require(recorder.values.first, "\(recorder.events)")
    #expect(response.statusCode == status)
    #expect(response.value == Data(body.utf8))
    #expect(recorder.isCompleted)
  }

  @Test("S1-6", arguments: Fault.badOnes) func refusesWhatIsWrong(_ fault: Fault) async throws {
    shop.server.route("GET", "/answer") { _ in fault.answer() }
    let recorder = await outcome(of: Request(.get, "/answer"))
    guard case .failure(let code, let kept) = fault.ending else { return }
    #expect(recorder.values.isEmpty)
    let error = try #require(recorder.failure)
    #expect(error.domain == .network)
    #expect(error.code == code, "\(error)")
    #expect(error.request?.url == shop.server.url("/answer"))
    #expect(error.metrics != nil)
    // What had come stays, and nothing else: without a head there is no response.
    #expect(error.response?.value == kept.map { Data($0.utf8) })
  }

  @Test func aHeadThatIsTooLongIsRefused() async throws {
    shop.server.route("GET", "/long") { _ in .status(200).header("X-Long", String(repeating: "a", count: 20_000)) }
    var request = HTTPRequest(url: shop.server.url("/long"))
    request.limits.headerByteCount = 10_000
    let recorder = SignalRecorder(try CurlTransport().send(request))
    await recorder.waitForEnd()
    #expect(recorder.failure?.code == .responseTooLarge)
  }

  @Test func aBodyThatBecomesTooLongIsRefused() async throws {
    let bomb = try Compressed.bomb()
    shop.server.route("GET", "/bomb") { _ in
      .data(bomb).header("Content-Encoding", "gzip")
    }
    var configuration = NetworkClient.Configuration(baseURL: shop.server.baseURL, transport: try CurlTransport())
    configuration.limits.bodyByteCount = 1_000_000
    let recorder = SignalRecorder(NetworkClient(configuration).enqueue(request: "/bomb"))
    await recorder.waitForEnd()
    let error = try #require(recorder.failure)
    #expect(error.code == .responseTooLarge)
    #expect((error.response?.value.count ?? 0) < 1_200_000)
    let whole = await outcome(of: Request(.get, "/bomb"))
    #expect(whole.values.first?.value == Data(count: 3_000_000))
  }

  @Test("S4-12") func silenceAndSlownessHaveLimits() async throws {
    shop.server.route("GET", "/stuck") { _ in .never }
    shop.server.route("GET", "/drip") { _ in
      .chunked(Array(repeating: Data("drop".utf8), count: 200), every: .milliseconds(20))
    }
    var recorder = await outcome(of: Request(.get, "/stuck", options: .with { $0.idleTimeout = .milliseconds(150) }))
    #expect(recorder.failure?.code == .timedOut)
    let request = HTTPRequest(url: shop.server.url("/drip"), idleTimeout: .seconds(5), totalTimeout: .milliseconds(200))
    let events = SignalRecorder(try CurlTransport().send(request))
    await events.waitForEnd()
    #expect(events.failure?.code == .timedOut)
    #expect(events.values.count < 201, "it ended before all had come")
    // Bytes that keep coming are no silence.
    shop.server.route("GET", "/slow") { _ in
      .chunked(Array(repeating: Data("drop".utf8), count: 15), every: .milliseconds(100))
    }
    recorder = await outcome(of: Request(.get, "/slow", options: .with { $0.idleTimeout = .seconds(1) }))
    #expect(recorder.isCompleted)
  }

  @Test func whatCannotBeReachedSaysWhy() async throws {
    let closed = try LoopbackServer()
    let refused = closed.url("/")
    closed.stop()
    let first = await outcome(of: refused.asRequest())
    #expect(first.failure?.code == .cannotConnect)
    #expect(first.failure?.statusCode == nil)
    let second = await outcome(of: "https://does-not-exist.invalid/".asRequest())
    #expect(second.failure?.code == .cannotFindHost)
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
    #expect(recorder.failure?.domain == .client)
    #expect(recorder.failure?.code == .invalidHeader)
    #expect(shop.server.log.acceptedCount == 0)
  }
}
