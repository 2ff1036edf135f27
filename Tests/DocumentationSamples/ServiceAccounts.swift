import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The samples of Docs/Services.md about accounts.
struct AccountSamples {
  private let server: LoopbackServer
  private let shopURL: URL

  init() throws {
    server = try LoopbackServer()
    shopURL = server.baseURL
  }

  @Test func aCookieLogIn() async throws {
    server.route("POST", "/session") { _ in .json("{}").header("Set-Cookie", "session=a1; Path=/; HttpOnly") }
    server.route("GET", "/cart") { $0.header("Cookie") == "session=a1" ? .json(#"["lamp"]"#) : .status(401) }
    // sample: cookie-log-in
    let account = CurrentValue<String?>(nil)
    var configuration = NetworkClient.Configuration(baseURL: shopURL)
    configuration.account = account
    configuration.cookies = URLSessionConfiguration.ephemeral.httpCookieStorage  // in memory; `.shared` is on disk
    let client = NetworkClient(configuration)

    let logIn = Request(.post, "/session", parameters: ["name": "ann", "password": "secret"])
    _ = try await client.enqueue(request: logIn, resultType: JSON.self).value()  // sets the cookie of a session
    account.value = "ann"  // the session is hers from now on

    let cart = try await client.enqueue(request: "/cart", resultType: [String].self).value()  // with the cookie
    print(cart.value)

    account.value = nil  // requests in flight fail with `contextChanged`, and the cookies are removed
    // end sample
    expectEqual(cart.value, ["lamp"])
    expectEqual(configuration.cookies?.cookies?.isEmpty, true)
    let after = SignalRecorder(client.enqueue(request: "/cart", resultType: [String].self))
    await after.waitForEnd()
    expectEqual(after.failure?.code, .status(401))
  }

  @Test func aTokenBelongsToItsAccount() async throws {
    struct Token: Decodable, Sendable { let token: String }
    server.route("GET", "/cart") { $0.header("Authorization") == "Bearer new" ? .json("1") : .status(401) }
    server.route("POST", "/token") { _ in .json(#"{"token":"new"}"#) }
    let account = CurrentValue<String?>("ann")
    // sample: account-token
    struct Credential: Sendable {
      let account: String
      var token: String
    }
    let credential = CurrentValue<Credential?>(nil)
    let authorization = HeaderMiddleware.authorization {
      guard let own = credential.value, own.account == account.value else { return .just(nil) }
      return .just(try? .bearer(token: own.token))
    }
    let recovery = Recovery { client in
      let name = account.value
      return client.enqueue(request: Request(.post, "/token"), resultType: Token.self)
        .on(value: { answer in
          credential.modify { if $0?.account == name { $0?.token = answer.value.token } }
        })
    }
    // end sample
    credential.value = Credential(account: "ann", token: "old")
    var configuration = NetworkClient.Configuration(baseURL: shopURL)
    configuration.account = account
    configuration.middleware = [authorization]
    configuration.recoveries = [recovery]
    let client = NetworkClient(configuration)
    try await expectEqual(client.enqueue(request: "/cart", resultType: Int.self).value().value, 1)
    account.value = "ben"
    _ = try await client.exchange(request: "/cart").value()
    expectNil(server.log.requests.last?.header("Authorization"))
    expectEqual(credential.value?.token, "new")
  }
}
