import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// The samples of the article Authentication.
struct AuthenticationSamples {
  private let server: LoopbackServer
  private let apiURL: URL

  init() throws {
    server = try LoopbackServer()
    server.route("*", "*") { _ in .json("{}") }
    apiURL = server.baseURL
  }

  @Test func bearerAndBasic() async throws {
    // sample: authentication-bearer
    let token = CurrentValue<String?>("dGhlIHRva2Vu")
    let client = NetworkClient(baseURL: apiURL) {
      $0.middleware = [.bearer { token.value }]
    }
    _ = try await client.value(of: "/orders", as: NoContent.self)  // Authorization: Bearer dGhlIHRva2Vu
    token.value = nil  // later requests have no token
    // end sample
    expectEqual(server.log.requests.last?.header("Authorization"), "Bearer dGhlIHRva2Vu")
    let password = "secret"
    // sample: authentication-basic
    let admin = NetworkClient(baseURL: apiURL) {
      $0.middleware = [.basic(user: "ada", password: password)]  // for all requests of a client
    }
    let basic = try Authorization.basic(user: "ada", password: password)
    let once = Request(.get, "/admin", headers: ["Authorization": basic.headerValue])  // for one request
    // end sample
    _ = try await client.value(of: once, as: NoContent.self)
    _ = try await admin.value(of: "/admin", as: NoContent.self)
    expectEqual(server.log.requests.suffix(2).map { $0.header("Authorization") == basic.headerValue }, [true, true])
  }

  @Test func digest() async throws {
    let password = "secret"
    // sample: authentication-digest
    let origins = Set([Origin(apiURL)].compactMap { $0 })
    var configuration = NetworkClient.Configuration(baseURL: apiURL)
    configuration.transport = DigestTransport(configuration.transport, origins: origins) {
      (user: "ada", password: password)
    }
    let client = NetworkClient(configuration)
    // end sample
    try await expectEqual(client.send("/status", as: NoContent.self).statusCode, 200)
  }

  @Test func signingOut() async throws {
    server.route("GET", "/slow") { _ in .never }
    // sample: authentication-sign-out
    let account = CurrentValue<String?>("ada")
    let token = CurrentValue<String?>("dGhlIHRva2Vu")
    let client = NetworkClient(baseURL: apiURL) {
      $0.account = account
      $0.middleware = [.bearer { token.value }]
    }
    @Sendable func signOut() {
      account.value = nil  // requests in flight fail with `contextChanged`; cookies are removed
      token.value = nil  // later requests have no token
    }
    // end sample
    let task = Task { try await client.value(of: "/slow", as: NoContent.self) }
    await server.wait { $0.requests.count == 1 }
    signOut()
    let error = await #expect(throws: NetworkError.self) { try await task.value }
    expectEqual(error?.code, .contextChanged)
    _ = try await client.value(of: "/orders", as: NoContent.self)
    expectEqual(server.log.requests.map { $0.header("Authorization") != nil }, [true, false])
  }

  @Test func rejectedCredentials() async throws {
    server.route("GET", "/orders") { _ in .status(401) }
    let account = CurrentValue<String?>("ada")
    let token = CurrentValue<String?>("old")
    @Sendable func signOut() {
      account.value = nil
      token.value = nil
    }
    // sample: authentication-unauthorized
    let shop = NetworkClient(baseURL: apiURL) {
      $0.account = account
      $0.middleware = [.bearer { token.value }]
      $0.onUnauthorized = { error in
        print(error.code, error.reason)  // the server's own, as the requests get it
        signOut()
      }
    }
    // end sample
    let error = await #expect(throws: NetworkError.self) { try await shop.value(of: "/orders", as: NoContent.self) }
    expectEqual(error?.code, .status(401))
    await until { token.value == nil }
  }

  @Test func aRefusedRefresh() async throws {
    server.route("GET", "/orders") { _ in .status(401) }
    server.route("POST", "/token") { _ in .status(400) }
    let account = CurrentValue<String?>("ada")
    let token = CurrentValue<String?>("old")
    @Sendable func signOut() {
      account.value = nil
      token.value = nil
    }
    // sample: authentication-refused
    let recovery = Recovery { client in
      token.value = try await client.value(of: Request(.post, "/token"), as: String.self)
    } onFailure: { error in
      if error.code == .status(400) { signOut() }  // no network is not a reason
    }
    // end sample
    let client = NetworkClient(baseURL: apiURL) {
      $0.account = account
      $0.middleware = [.bearer { token.value }]
      $0.recoveries = [recovery]
    }
    let error = await #expect(throws: NetworkError.self) { try await client.value(of: "/orders", as: NoContent.self) }
    expectEqual(error?.code, .status(400), "\(String(describing: error))")
    expectNil(account.value)
    expectNil(token.value)
    expectEqual(server.log.requests(to: "/token").count, 1)
  }

  @Test func storing() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tokens-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    server.route("POST", "/session") { _ in .json(#"{"token": "old", "refreshToken": "r"}"#) }
    server.route("POST", "/token") { _ in .json(#"{"token": "new", "refreshToken": "s"}"#) }
    server.route("GET", "/orders") { $0.header("Authorization") == "Bearer new" ? .json("[7]") : .status(401) }
    // sample: authentication-store
    nonisolated struct Session: Codable, Sendable {
      let token: String
      let refreshToken: String
    }
    let account = CurrentValue<String?>(nil)
    let tokens = TokenStore<Session>.file(in: folder)  // on Apple's platforms: .keychain(service: "com.example.shop")
    let client = NetworkClient(baseURL: apiURL) {
      $0.account = account
      $0.middleware = [.bearer(from: tokens, \.token)]
      $0.recoveries = [
        Recovery { client in
          guard let old = try tokens.token(for: client) else { throw NetworkError(.status(401)) }  // not signed in
          let renew = Request(.post, "/token", body: .json(["refreshToken": old.refreshToken]))
          try tokens.set(try await client.value(of: renew, as: Session.self), for: client)
        }
      ]
    }

    let signIn = Request(
      .post, "/session", body: .json(["name": "ada"]), options: .with { $0.allowsRecovery = false })
    let session = try await client.value(of: signIn, as: Session.self)
    account.value = "ada"  // first, because the token is stored for the account of now
    try tokens.set(session, for: client)
    let orders = try await client.value(of: "/orders", as: [Int].self)

    account.value = nil  // then no refresh stores a token
    try tokens.removeAll()
    // end sample
    expectEqual(orders, [7])
    account.value = "ada"
    expectNil(try tokens.token(for: client)?.token)
  }
}
