import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

extension FirstGuessTests {
  // Guesses about clients, errors and tests.

  @Test(".bearer { session.value?.token }") func bearer() {
    struct Session: Sendable { let token: String }
    let session = CurrentValue<Session?>(nil)
    let client = NetworkClient(baseURL: nil) { $0.middleware = [.bearer { session.value?.token }] }
    expectEqual(client.configuration.middleware.count, 1)
  }

  @Test("ConsoleMonitor(level:)") func consoleLevel() {
    expectEqual(ConsoleMonitor(level: .bodies).level, .bodies)
  }

  @Test("a client and its stub in one line") func testKit() async throws {
    let kit = TestKit()
    kit.stub.on(.get, "/x", .json("5"))
    try await expectEqual(kit.client.value(of: "/x", as: Int.self), 5)
  }

  @Test("NetworkClient()") func defaultClient() { expectNil(NetworkClient().configuration.baseURL) }

  @Test(".init(baseURL:retry:monitors:)") func commonSettings() {
    let url = URL(string: "https://a.example")
    let client = NetworkClient(.init(baseURL: url, retry: Retry(limit: 3), monitors: [ConsoleMonitor()]))
    expectEqual(client.configuration.monitors.count, 1)
  }

  @Test("error.isTimeout") func isTimeout() { expect(NetworkError(.timedOut).isTimeout) }

  @Test(".unauthorized") func unauthorized() {
    expect(NetworkError(.status(401)).isUnauthorized)
  }

  @Test("HTTPHeaders([.authorization(bearerToken:)])") func authorizationField() {
    expectEqual(HTTPHeaders([.authorization(bearerToken: "t")]), ["Authorization": "Bearer t"])
  }
}
