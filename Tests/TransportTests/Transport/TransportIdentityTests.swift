import Foundation
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

@testable import Heliograph

/// Requests of an identity that was left before they could be sent.
struct TransportIdentityTests {
  private final class Left: RequestIdentity {
    let hasAccounts = true
    let text = ""
    func changedComponent(needsEnvironment: Bool) -> String? { "account" }
  }

  @Test("P9", arguments: TransportKind.present) func nothingOfThemIsSent(_ kind: TransportKind) async throws {
    let server = try LoopbackServer()
    server.route("GET", "/*") { _ in .text("a") }
    let transport = try kind.transport()
    var request = HTTPRequest(url: server.url("/left"))
    request.binding.identity = Left()
    let left = SignalRecorder(transport.send(request))
    // Sent after it, and answered.
    let next = SignalRecorder(transport.send(HTTPRequest(url: server.url("/next"))))
    await next.waitForEnd()
    expect(next.isCompleted)
    expect(left.events.isEmpty)
    expectEqual(server.log.requests.map(\.path), ["/next"])
    left.dispose()
  }
}
