import Foundation
import Heliograph
import HeliographTesting

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An app with a cookie log-in, a token and two clients, and the server that it talks to.
///
/// Each period, the time in which one account (or nobody) is signed in, has a name of its own. A request says in `X-Owner` in which
/// period it was wanted; session and token say in which period they were given.
package final class IdentityApp: Sendable {
  /// What a server answers: whose the request was by its own words, and by its cookie and token.
  package struct Answer: Decodable, Sendable {
    package let owner: String
    package let session: String
    package let token: String

    package init(owner: String, session: String, token: String) {
      self.owner = owner
      self.session = session
      self.token = token
    }
  }

  package struct Token: Decodable, Sendable {
    package let token: String

    package init(token: String) {
      self.token = token
    }
  }

  package let server: LoopbackServer
  package let account = CurrentValue<String?>(nil)
  /// The token with the account and the period that it is for: a refresh renews only that of its own.
  package let token = CurrentValue<(account: String?, period: String, token: String)>((nil, "", "none"))
  package let client: NetworkClient
  /// Sends one request at a time, so that others wait.
  package let narrow: NetworkClient
  /// Whether the server answers a refresh.
  package let answersRefreshes = CurrentValue(false)
  /// The name of the present period.
  package let period = CurrentValue("nobody-0")

  package init(_ kind: TransportKind) throws {
    server = try LoopbackServer()
    var configuration = NetworkClient.Configuration(
      baseURL: server.baseURL, services: [], transport: try kind.transport())
    configuration.account = account
    configuration.cookies = URLSessionConfiguration.ephemeral.httpCookieStorage
    configuration.retry = Retry(
      limit: .max, backoff: .exponential(initialDelay: .milliseconds(1), maximumDelay: .milliseconds(2)))
    configuration.retryBudget = nil
    configuration.middleware = [
      // Account and token change one after the other: a token goes with its own account only.
      .authorization { [token, account] in
        let latest = token.value
        return .just(latest.account == account.value ? try? .bearer(token: latest.token) : nil)
      }
    ]
    configuration.recoveries = [
      Recovery(limit: .max, totalTimeout: .seconds(600)) { [token, period] client in
        let owner = period.value
        return client.enqueue(
          request: Request(.post, "/token", headers: ["X-Owner": owner]), resultType: Token.self
        )
        .on(value: { answer in
          token.modify { if $0.period == owner { $0.token = answer.value.token } }
        })
      }
    ]
    client = NetworkClient(configuration)
    configuration.concurrencyLimit = 1
    configuration.cookies = nil
    narrow = NetworkClient(configuration)
    routeAll()
  }

  /// What the app does when somebody else is signed in: first the account, then what is the account's.
  package func enter(_ name: String, account: String?) {
    self.account.value = account
    token.value = (account, name, "\(name).old")
    period.value = name
  }

  private func routeAll() {
    server.route("*", "*") { request in .json(IdentityApp.words(of: request)) }
    server.route("GET", "/held/**") { _ in .never }
    server.route("GET", "/late/**") { .json(IdentityApp.words(of: $0)).delayed(by: .milliseconds(5)) }
    server.route("GET", "/parked/**") { _ in LoopbackResponse.status(503).header("Retry-After", "60") }
    server.route("GET", "/flaky/**") { _ in LoopbackResponse.status(503).header("Retry-After", "0") }
    server.route("GET", "/hop/**") { request in .redirect(to: request.path.replacing("hop", with: "late")) }
    server.route("GET", "/expired/**") { request in
      request.token.hasSuffix(".new") ? .json(IdentityApp.words(of: request)) : .status(401)
    }
    server.route("POST", "/token") { [answersRefreshes] request in
      if !answersRefreshes.value { return .never }
      return .json(#"{"token":"\#(request.owner).new"}"#)
    }
    server.route("POST", "/login") { request in
      LoopbackResponse.json(IdentityApp.words(of: request)).header("Set-Cookie", "session=\(request.owner); Path=/")
    }
  }

  private static func words(of request: LoopbackRequest) -> String {
    #"{"owner":"\#(request.owner)","session":"\#(request.session)","token":"\#(request.token)"}"#
  }
}

extension LoopbackRequest {
  package var owner: String { header("X-Owner") ?? "none" }
  package var session: String { header("Cookie").map { String($0.dropFirst("session=".count)) } ?? "none" }
  package var token: String { header("Authorization").map { String($0.dropFirst("Bearer ".count)) } ?? "none" }
  /// The period that a token was given in.
  package var tokenOwner: String { String(token.prefix { $0 != "." }) }
}
