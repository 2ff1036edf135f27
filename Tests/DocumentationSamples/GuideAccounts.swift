import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// sample: accounts-monitor
struct SignOutMonitor: Monitor {
  let signOut: @Sendable () -> Void

  func observe(_ event: MonitorEvent) {
    if case .ended(let report) = event, report.error?.meaning == .needsLogin { signOut() }
  }
}
// end sample

/// The samples of the article AccountsAndCookies.
struct AccountSamples {
  private let server: LoopbackServer
  private let apiURL: URL

  init() throws {
    server = try LoopbackServer()
    server.route("*", "*") { _ in .json("{}") }
    apiURL = server.baseURL
  }

  @Test func signingOut() async throws {
    server.route("GET", "/slow") { _ in .never }
    // sample: accounts-sign-out
    let account = CurrentValue<String?>("ada")
    let token = CurrentValue<String?>("dGhlIHRva2Vu")
    let presenter = ErrorPresenter()
    let client = NetworkClient(baseURL: apiURL) {
      $0.account = account
      $0.middleware = [.bearer { token.value }]
      $0.monitors = [presenter]
    }
    @Sendable nonisolated func signOut() {
      if account.value == nil { return }  // already signed out
      account.value = nil  // requests in flight fail with `contextChanged`; cookies are removed
      token.value = nil  // later requests have no token
      presenter.dismissAll()  // dialogs that wait may have messages for the former account
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
    @Sendable nonisolated func signOut() {
      account.value = nil
      token.value = nil
    }
    // sample: accounts-unauthorized
    let shop = NetworkClient(baseURL: apiURL) {
      $0.account = account
      $0.middleware = [.bearer { token.value }]
      $0.onUnauthorized = { error in
        print(error.code, error.reason)  // as the requests get it
        signOut()
      }
    }
    // end sample
    let error = await #expect(throws: NetworkError.self) { try await shop.value(of: "/orders", as: NoContent.self) }
    expectEqual(error?.code, .status(401))
    await until { token.value == nil }
  }

  @Test func aCodeOfAnEnvelope() async throws {
    server.route("GET", "/orders") { _ in .json(#"{"code": 302, "msg": "Sign in."}"#) }
    let count = CurrentValue(0)
    let client = NetworkClient(baseURL: apiURL) {
      var envelope = KeyedEnvelope.codeMessageData
      envelope.meanings = [.api(302): .needsLogin]
      $0.stages.envelope = envelope
      $0.monitors = [SignOutMonitor { count.modify { $0 += 1 } }]
      $0.onUnauthorized = { _ in Issue.record("the status is 200") }
    }
    let error = await #expect(throws: NetworkError.self) { try await client.value(of: "/orders", as: NoContent.self) }
    expectEqual(error?.isUnauthorized, true)
    expectEqual(count.value, 1)
  }

  @Test func aRefusedRefresh() async throws {
    server.route("GET", "/orders") { _ in .status(401) }
    let isReached = CurrentValue(false)
    server.route("POST", "/token") { _ in
      isReached.value ? .json(#"{"error": "invalid_grant"}"#, status: 400) : .text("<h1>Bad Request</h1>", status: 400)
    }
    let account = CurrentValue<String?>("ada")
    let token = CurrentValue<String?>("old")
    @Sendable nonisolated func signOut() {
      account.value = nil
      token.value = nil
    }
    // sample: accounts-refused
    let recovery = Recovery { client in
      let old = token.value
      let fresh = try await client.value(of: Request(.post, "/token"), as: String.self)
      token.modify { if $0 == old { $0 = fresh } }  // not after a sign-out meanwhile
    } onFailure: { error in
      let reason = try? error.decode(as: JSON.self)["error"].string
      if reason == "invalid_grant" { signOut() }  // no network is not a reason, nor is a proxy's 400
    }
    // end sample
    let client = NetworkClient(baseURL: apiURL) {
      $0.account = account
      $0.middleware = [.bearer { token.value }]
      $0.recoveries = [recovery]
    }
    for answer in [false, true] {
      isReached.value = answer
      let error = await #expect(throws: NetworkError.self) { try await client.value(of: "/orders", as: NoContent.self) }
      expectEqual(error?.code, .status(400), "\(String(describing: error))")
      if !answer { expectEqual(account.value, "ada") }
    }
    // The requests fail first.
    await until { account.value == nil && token.value == nil }
    expectEqual(server.log.requests(to: "/token").count, 2)
  }

  @Test func cookies() async throws {
    server.route("GET", "/login") { _ in .json("{}").header("Set-Cookie", "session=1") }
    // sample: accounts-cookies
    let storage = URLSessionConfiguration.ephemeral.httpCookieStorage  // in memory
    let client = NetworkClient(baseURL: apiURL) { $0.cookies = storage }
    _ = try await client.value(of: "/login", as: NoContent.self)  // the response sets a cookie
    _ = try await client.value(of: "/orders", as: NoContent.self)  // this request sends it
    // end sample
    expectEqual(server.log.requests.last?.header("Cookie"), "session=1")
  }
}
