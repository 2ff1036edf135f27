import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Redirects as `URLSession` reports them.
struct SessionRedirectTests {
  /// On Linux Foundation ends the process if it is answered about a redirect of a task that it has stopped.
  @Test func aRequestMayBeCancelledInTheMomentOfARedirect() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/door") { _ in .redirect(to: "/room") }
    server.route("GET", "/room") { _ in .text("in") }
    let transport = RedirectingTransport(URLSessionTransport())
    let request = HTTPRequest(url: server.url("/door"))
    for round in 0..<(Scale.isMedium ? 300 : 60) {
      let before = server.log.requests.count
      let recorders = (0..<8).map { _ in SignalRecorder(transport.send(request)) }
      // Its answer is on the way, and comes at one of the disposals.
      await server.wait { $0.requests.count > before + round % 8 }
      for recorder in recorders { recorder.dispose() }
      expect(recorders.allSatisfy { $0.violations.isEmpty })
    }
    let last = SignalRecorder(transport.send(request))
    await last.waitForEnd()
    expect(last.isCompleted)
  }

  /// The session joins repeated fields; browsers take one of these.
  @Test(
    arguments: TransportKind.present,
    [("/room", 2), ("/room?a=1, 2", 2), ("/room?a=1, 2", 1), ("/room?a=1, 2, 3", 1)])
  func aLocationThatIsSentOnceOrTwiceIsFollowed(
    _ kind: TransportKind, _ location: (target: String, count: Int)
  ) async throws {
    let server = try LoopbackServer()
    let (address, target) = ("http://127.0.0.1:\(server.port)" + location.target, location.target)
    let lines = String(repeating: "Location: \(address)\r\n", count: location.count)
    server.route("GET", "/door") { _ in
      .script([.text("HTTP/1.1 302 Found\r\n\(lines)Content-Length: 0\r\n\r\n")])
    }
    server.route("GET", "/room") { _ in .text("in") }
    let recorder = SignalRecorder(
      try RedirectingTransport(kind.transport()).send(HTTPRequest(url: server.url("/door"))))
    await recorder.waitForEnd()
    expectEqual(recorder.values.body, Data("in".utf8), "\(recorder.events)")
    expectEqual(server.log.requests.map(\.target), ["/door", target.replacing(" ", with: "%20")])
  }
}
