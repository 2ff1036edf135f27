import Foundation
import Heliograph
import HeliographTesting
import Testing

/// A refresh that is an async function, with tokens by `.bearer`.
@Suite struct AsyncRecoveryTests {
  private struct Session: Codable, Sendable { let token: String }
  private let session = CurrentValue<String?>("old")

  private func shop() throws -> (server: LoopbackServer, client: NetworkClient) {
    let server = try LoopbackServer()
    server.route("GET", "/orders") { $0.header("Authorization") == "Bearer new" ? .json("[1]") : .status(401) }
    server.route("POST", "/token") { _ in .json(#"{"token":"new"}"#).delayed(by: .milliseconds(20)) }
    let client = NetworkClient(baseURL: server.baseURL) { [session] in
      $0.middleware = [.bearer { session.value }]
      $0.recoveries = [
        Recovery { client in
          session.value = try await client.value(of: Request(.post, "/token"), as: Session.self).token
        }
      ]
    }
    return (server, client)
  }

  @Test func tenRequestsShareOneRefresh() async throws {
    let (server, client) = try shop()
    try await withThrowingTaskGroup(of: [Int].self) { group in
      for _ in 0..<10 { group.addTask { try await client.value(of: "/orders", as: [Int].self) } }
      for try await orders in group { #expect(orders == [1]) }
    }
    #expect(server.log.requests(to: "/token").count == 1)
  }

  @Test func itsFailureIsTheRequestsOwn() async throws {
    let (server, client) = try shop()
    server.route("POST", "/token") { _ in .status(403) }
    do throws(NetworkError) {
      _ = try await client.value(of: "/orders", as: [Int].self)
      Issue.record("no failure")
    } catch {
      #expect(error.domain == .server && error.code == 401 || error.code == 403)
    }
  }

  @Test func aBadTokenIsAnErrorAndNoRequestWithoutOne() async throws {
    let (server, client) = try shop()
    session.value = "two words"
    do throws(NetworkError) {
      _ = try await client.value(of: "/orders", as: [Int].self)
      Issue.record("no failure")
    } catch {
      #expect(error.code == .invalidCredentials)
    }
    #expect(server.log.requests.isEmpty)
  }

  @Test func basicCredentialsAreSentToTheOwnOriginOnly() async throws {
    let (server, other) = (try LoopbackServer(), try LoopbackServer())
    for server in [server, other] { server.route("GET", "/a") { .text($0.header("Authorization") ?? "none") } }
    let client = NetworkClient(baseURL: server.baseURL) {
      $0.middleware = [.basic(user: "ada", password: "lovelace")]
      $0.allowsInsecureHTTP = true
    }
    #expect(try await client.value(of: "/a", as: String.self) == "Basic YWRhOmxvdmVsYWNl")
    #expect(try await client.value(of: other.url("/a"), as: String.self) == "none")
  }
}
