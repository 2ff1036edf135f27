import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// What is too much, what is not sent at all, and in which order the rest is.
@Suite(.enabled(if: CurlTransport.isAvailable)) struct CurlLimitTests {
  let server: LoopbackServer

  init() throws {
    server = try LoopbackServer()
  }

  @Test(arguments: [true, false]) func aBodyMayBeAsLongAsTheLimit(_ isChunked: Bool) async throws {
    server.route("GET", "/*") { request in
      let body = Data(count: Int(request.path.dropFirst()) ?? 0)
      return isChunked ? .chunked([body.prefix(60_000), body.dropFirst(60_000)]) : .data(body)
    }
    var configuration = NetworkClient.Configuration(baseURL: server.baseURL, transport: try CurlTransport())
    configuration.limits.bodyByteCount = 100_000
    let client = NetworkClient(configuration)
    try await expectEqual(client.exchange(request: "/100000").first()?.value.count, 100_000)
    let recorder = SignalRecorder(client.exchange(request: "/100001"))
    await recorder.waitForEnd()
    expect(recorder.values.isEmpty)
    expectEqual(recorder.failure?.code, .responseTooLarge)
    expectEqual(recorder.failure?.statusCode, 200)
    expect(recorder.violations.isEmpty)
  }

  @Test func aRequestSetsItsOwnLimits() async throws {
    server.route("GET", "/*") { request in
      .data(Data(count: Int(request.path.dropFirst()) ?? 0)).header("X-Long", String(repeating: "a", count: 500))
    }
    for kind in TransportKind.present {
      var configuration = NetworkClient.Configuration(baseURL: server.baseURL, transport: try kind.transport())
      configuration.limits.bodyByteCount = 1000
      let client = NetworkClient(configuration)
      func code(_ limits: ResponseLimits?) async -> NetworkError.Code? {
        let recorder = SignalRecorder(
          client.exchange(request: Request(.get, "/2000", options: .with { $0.limits = limits })))
        await recorder.waitForEnd()
        expect(recorder.hasEnded)
        return recorder.failure?.code
      }
      await expectEqual(code(nil), .responseTooLarge)
      await expectNil(code(ResponseLimits(bodyByteCount: 2000)))
      await expectEqual(code(ResponseLimits(headerByteCount: 300)), .responseTooLarge)
    }
  }

  @Test func aHeadMayBeAsLongAsTheLimit() async throws {
    let head = "HTTP/1.1 200 OK\r\nX-A: \(String(repeating: "a", count: 500))\r\nContent-Length: 0\r\n\r\n"
    server.route("GET", "/a") { _ in .script([.text(head)]) }
    let transport = try CurlTransport()
    for spare in [0, -1] {
      var request = HTTPRequest(url: server.url("/a"))
      request.limits.headerByteCount = head.utf8.count + spare
      let recorder = SignalRecorder(transport.send(request))
      await recorder.waitForEnd()
      expectEqual(recorder.failure?.code, (spare < 0 ? .responseTooLarge : nil))
    }
  }

  @Test func aHeadWithoutAnEndIsRefused() async throws {
    let lines = String(repeating: "X-A: \(String(repeating: "a", count: 1000))\r\n", count: 400)
    let hints = String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", count: 20_000)
    // Beyond the second, libcurl has a limit of its own.
    for (text, limit) in ["HTTP/1.1 200 OK\r\n" + lines, hints].flatMap({ [($0, 262_144), ($0, 1_000_000)] }) {
      server.route("GET", "/a") { _ in .script([.text(text), .hold]) }
      var request = HTTPRequest(url: server.url("/a"))
      request.limits.headerByteCount = limit
      let recorder = SignalRecorder(try CurlTransport().send(request))
      await recorder.waitForEnd()
      expectEqual(recorder.failure?.code, .responseTooLarge, "\(limit): \(recorder.events)")
      expect(recorder.values.isEmpty)
    }
  }

  @Test(arguments: ["", "GE T", "GET\r\nX-A: 1", "GET / HTTP/1.1\r\n\r\nGET", "G\0T"])
  func whatIsNoMethodIsNotSent(_ name: String) async throws {
    let request = HTTPRequest(method: HTTPMethod(rawValue: name), url: server.url("/"))
    let recorder = SignalRecorder(try CurlTransport().send(request))
    await recorder.waitForEnd()
    expectEqual(recorder.events.count, 1)
    expectEqual(recorder.failure?.code, .invalidMethod)
    expectEqual(server.log.acceptedCount, 0)
  }

  @Test(arguments: ["", "  ", "\t"]) func aFieldWithoutAValueIsSent(_ value: String) async throws {
    let request = HTTPRequest(url: server.url("/"), headers: ["X-Blank": value])
    let recorder = SignalRecorder(try CurlTransport().send(request))
    await recorder.waitForEnd()
    expectEqual(server.log.requests.first?.header("X-Blank"), "")
  }

  @Test(arguments: [1, 5]) func uploadsGoOutInTheOrderInWhichTheyWereAskedFor(_ limit: Int) async throws {
    server.route("POST", "/upload") { _ in .text("a").delayed(by: .milliseconds(5)) }
    let transport = try CurlTransport(TransportSettings(concurrencyLimit: limit))
    let recorders = (0..<20).map { index in
      SignalRecorder(
        transport.send(HTTPRequest(method: .post, url: server.url("/upload"), body: .data(Data("\(index)".utf8)))))
    }
    for recorder in recorders {
      await recorder.waitForEnd()
      expect(recorder.isCompleted)
    }
    let arrivals = server.log.requests.compactMap { Int($0.bodyText) }
    expectEqual(arrivals.sorted(), Array(0..<20))
    // None starts before all but the last few of those in front of it have ended.
    expect(arrivals.enumerated().allSatisfy { $0.element - $0.offset < limit }, "\(arrivals)")
    expect(server.log.acceptedCount <= limit)
  }
}
