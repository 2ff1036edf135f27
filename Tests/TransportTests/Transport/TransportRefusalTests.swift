import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Requests that cannot be sent: each is refused before a connection is made, over each transport.
struct TransportRefusalTests {
  let server: LoopbackServer

  init() throws {
    server = try LoopbackServer()
  }

  private func expectRefusal(
    _ kind: TransportKind, _ request: HTTPRequest, _ code: NetworkError.Code,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let recorder = SignalRecorder(try kind.transport().send(request))
    await recorder.waitForEnd()
    #expect(recorder.events.count == 1, sourceLocation: sourceLocation)
    #expect(recorder.failure?.domain == .client, sourceLocation: sourceLocation)
    #expect(recorder.failure?.code == code, sourceLocation: sourceLocation)
    #expect(server.log.acceptedCount == 0, sourceLocation: sourceLocation)
  }

  @Test(arguments: TransportKind.present) func aHeadWithABody(_ kind: TransportKind) async throws {
    let stream = BodyStream { BodyStream.pieces(of: [Data("a".utf8)]) }
    for body in [HTTPBody.data(Data("a".utf8)), .data(Data()), .stream(stream)] {
      try await expectRefusal(kind, HTTPRequest(method: .head, url: server.url("/"), body: body), .invalidBody)
    }
  }

  @Test(arguments: TransportKind.present) func anAddressOfNineMegabytes(_ kind: TransportKind) async throws {
    let path = "/" + String(repeating: "a", count: 9_000_000)
    try await expectRefusal(kind, HTTPRequest(url: server.url(path)), .requestTooLarge)
  }

  @Test(arguments: TransportKind.present) func anErrorHasTheRequest(_ kind: TransportKind) async throws {
    let url = try require(URL(string: "http://127.0.0.1:\(LoopbackSocket.closedPort())/"))
    let recorder = SignalRecorder(try kind.transport().send(HTTPRequest(url: url)))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .cannotConnect)
    expectEqual(recorder.failure?.request?.url, url)
  }

  @Test(.enabled(if: CurlTransport.isAvailable)) func aHeadOfAMegabyteIsSent() async throws {
    server.route("GET", "/*") { _ in .status(431) }
    let recorder = SignalRecorder(
      try CurlTransport().send(HTTPRequest(url: server.url("/" + String(repeating: "a", count: 1_000_000)))))
    await recorder.waitForEnd()
    expect(recorder.failure?.domain != .client, "\(String(describing: recorder.failure))")
    expectEqual(server.log.acceptedCount, 1)
  }
}
