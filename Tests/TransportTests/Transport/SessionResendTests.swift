// Apple's session decides by itself what it sends again.
#if canImport(FoundationNetworking)
import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Connections that a server closes, over `URLSession` on Linux: a body cannot be sent again there.
struct SessionResendTests {
  let server: LoopbackServer
  let transport = URLSessionTransport()

  init() throws {
    server = try LoopbackServer()
    server.route("GET", "/warm") { _ in .text("a") }
    server.route("*", "/echo") { .data($0.body) }
  }

  private func outcome(of request: HTTPRequest) async -> SignalRecorder<TransportEvent, NetworkError> {
    let recorder = SignalRecorder(transport.send(request))
    // Longer than on the busiest machine, and far less than the idle timeout.
    await recorder.waitForEnd()
    expect(recorder.violations.isEmpty)
    return recorder
  }

  /// Leaves a connection open that ends like this when it is used again; on any other there is an answer.
  private func keepConnection(endingWith last: LoopbackResponse.Step) async {
    server.route("*", "/a") { request in request.connection == 0 ? .script([last]) : .text("a") }
    let recorder = await outcome(of: HTTPRequest(url: server.url("/warm")))
    expect(recorder.isCompleted, "\(recorder.events)")
    expectEqual(server.log.connections.map(\.id), [0])
  }

  /// libcurl would send the head again and no body, and both sides would wait for the other.
  @Test(arguments: [10, 300_000], [LoopbackResponse.Step.close, .reset])
  func aLostBodyIsAnErrorAtOnce(_ byteCount: Int, _ last: LoopbackResponse.Step) async {
    await keepConnection(endingWith: last)
    let body = Data(repeating: 0x61, count: byteCount)
    let recorder = await outcome(
      of: HTTPRequest(method: .post, url: server.url("/a"), body: .data(body), idleTimeout: .seconds(30)))
    expectEqual(recorder.failure?.code, .connectionLost, "\(recorder.events)")
    expectNil(recorder.values.head)
    let requests = server.log.requests(to: "/a")
    expect((1...2).contains(requests.count))
    expectEqual(requests.first?.connection, 0)
    expect(requests.allSatisfy { $0.body == body })
    for method in [HTTPMethod.get, .post] {
      let content = method == .get ? HTTPBody.empty : .data(body)
      let next = await outcome(of: HTTPRequest(method: method, url: server.url("/echo"), body: content))
      expect(next.isCompleted, "\(String(describing: next.failure))")
      expectEqual(next.values.body, (method == .get ? Data() : body))
    }
  }

  @Test(arguments: [LoopbackResponse.Step.close, .reset])
  func whatHasNoBodyIsSentAgain(_ last: LoopbackResponse.Step) async {
    await keepConnection(endingWith: last)
    let recorder = await outcome(of: HTTPRequest(url: server.url("/a"), idleTimeout: .seconds(30)))
    expect(recorder.isCompleted, "\(recorder.events)")
    expectEqual(recorder.values.body, Data("a".utf8))
    expectEqual(server.log.requests(to: "/a").map(\.connection), [0, 1])
  }

  /// Where the name has an IPv6 address as well, nobody listens there, and libcurl remembers that to the end.
  @Test func aLossAfterTheHeadIsNoFailureToConnect() async throws {
    server.route("GET", "/cut") { _ in .script([.text("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\na"), .close]) }
    let url = try require(URL(string: "http://localhost:\(server.port)/cut"))
    let recorder = await outcome(of: HTTPRequest(url: url))
    expectEqual(recorder.values.head?.statusCode, 200, "\(recorder.events)")
    expectEqual(recorder.failure?.domain, .network)
    expect(recorder.failure?.code != .cannotConnect)
  }
}
#endif
