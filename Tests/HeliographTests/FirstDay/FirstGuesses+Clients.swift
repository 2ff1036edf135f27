import Foundation
import Heliograph
import HeliographTesting
import Testing

extension FirstGuessTests {
  // Guesses about clients, errors and tests.

  @Test("configuration.retry = .exponential(3)") func exponential() throws {
    let client = NetworkClient(baseURL: nil) { $0.retry = .exponential(3) }
    #expect(client.configuration.retry.limit == 3)
  }

  @Test(".bearer { session.value?.token }") func bearer() {
    struct Session: Sendable { let token: String }
    let session = CurrentValue<Session?>(nil)
    let client = NetworkClient(baseURL: nil) { $0.middleware = [.bearer { session.value?.token }] }
    #expect(client.configuration.middleware.count == 1)
  }

  @Test("ConsoleMonitor(level:)") func consoleLevel() {
    #expect(ConsoleMonitor(level: .bodies).level == .bodies)
  }

  @Test("a client and its stub in one line") func testKit() async throws {
    let kit = TestKit()
    kit.stub.on(.get, "/x", .json("5"))
    #expect(try await kit.client.value(of: "/x", as: Int.self) == 5)
  }

  @Test("NetworkClient()") func defaultClient() { #expect(NetworkClient().configuration.baseURL == nil) }

  @Test(#"NetworkClient(baseURL: "https://…")"#) func baseURLText() {
    #expect(NetworkClient(baseURL: "https://a.example").configuration.baseURL?.host == "a.example")
  }

  @Test(".init(baseURL:retry:monitors:)") func commonSettings() {
    let url = URL(string: "https://a.example")
    let clients = [
      NetworkClient(baseURL: url, retry: .exponential(3), monitors: [ConsoleMonitor()]),
      NetworkClient(.init(baseURL: url, retry: .exponential(3), monitors: [ConsoleMonitor()])),
    ]
    for client in clients { #expect(client.configuration.monitors.count == 1) }
  }

  @Test("error.isTimeout") func isTimeout() { #expect(NetworkError(.network, .timedOut).isTimeout) }

  @Test(".unauthorized") func unauthorized() {
    #expect(NetworkError(.server, .unauthorized).isUnauthorized)
  }

  @Test("case .timeout") func caseTimeout() {
    switch NetworkError(.network, .timedOut).code {
    case .timeout: break
    default: Issue.record("it is a timeout")
    }
  }

  @Test("HTTPHeaders([.authorization(bearerToken:)])") func authorizationField() {
    #expect(HTTPHeaders([.authorization(bearerToken: "t")]) == ["Authorization": "Bearer t"])
  }
}
