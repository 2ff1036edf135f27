import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// A 401 after a redirect from an origin that has got Digest credentials.
struct DigestRejectionTests {
  private let (server, other): (LoopbackServer, LoopbackServer)

  init() throws {
    (server, other) = (try LoopbackServer(), try LoopbackServer())
    let field = "Digest realm=\"r\", nonce=\"n\", qop=\"auth\""
    let challenge = LoopbackResponse.status(401).header("WWW-Authenticate", field)
    server.route("GET", "/film") { [url = other.url("/film").absoluteString] request in
      request.header("Authorization") == nil ? challenge : .redirect(to: url)
    }
    other.route("GET", "/film") { _ in challenge }
  }

  /// The other origin is an own one in both cases, and rejects all credentials.
  @Test(arguments: [false, true]) func onlyAServerThatHasSeenTheCredentialsRejectsThem(_ hasSeen: Bool) async throws {
    let origins = [try require(Origin(server.baseURL)), try require(Origin(other.baseURL))]
    let (refreshCount, signOutCount) = (CurrentValue(0), CurrentValue(0))
    let client = NetworkClient(baseURL: server.baseURL) {
      let answered = Set(hasSeen ? origins : [origins[0]])
      $0.transport = DigestTransport($0.transport, origins: answered) { (user: "ada", password: "sesame") }
      $0.trustedOrigins = Set(origins)
      $0.recoveries = [Recovery(scheduler: VirtualScheduler()) { _ in refreshCount.modify { $0 += 1 } }]
      $0.onUnauthorized = { _ in signOutCount.modify { $0 += 1 } }
    }
    let recorder = SignalRecorder(client.enqueue(request: "/film", resultType: NoContent.self))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .status(401))
    expectEqual(recorder.failure?.response?.url, other.url("/film"))
    // The closure runs after the failure was delivered.
    if hasSeen { await until { signOutCount.value > 0 } }
    expectEqual([refreshCount.value, signOutCount.value], hasSeen ? [1, 1] : [0, 0])
  }
}
