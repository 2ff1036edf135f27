import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Requests over `URLSession` that are cancelled in the moment in which a redirect arrives.
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
}
