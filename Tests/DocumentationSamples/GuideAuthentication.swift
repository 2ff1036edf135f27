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
    let token = CurrentValue<String?>("dGhlIHRva2Vu")
    let client = NetworkClient(baseURL: apiURL) {
      $0.middleware = [.bearer { token.value }]
    }
    _ = try await client.value(of: "/orders", as: NoContent.self)  // Authorization: Bearer dGhlIHRva2Vu
    token.value = nil  // later requests have no token
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

  @Test func refreshingEarly() async throws {
    server.route("GET", "/orders") { $0.header("Authorization") == "Bearer second" ? .json("[7]") : .status(401) }
    server.route("POST", "/orders") { $0.header("Authorization") == "Bearer second" ? .json("8") : .status(401) }
    server.route("POST", "/token") { request in
      let isNew = String(decoding: request.body, as: UTF8.self) == #"{"refreshToken":"r1"}"#
      return isNew ? .json(#"{"token": "second", "refreshToken": "r2", "expiresIn": 3600}"#) : .status(401)
    }
    // sample: authentication-early
    nonisolated struct Token: Decodable, Sendable {
      let token: String
      let refreshToken: String
      let expiresIn: Double  // seconds
    }
    nonisolated struct Session: Sendable {
      let token: Token
      let renewal: Date

      init(_ token: Token) {
        self.token = token
        renewal = Date() + max(token.expiresIn - 60, token.expiresIn / 2)
      }
    }
    let session = CurrentValue<Session?>(nil)
    var configuration = NetworkClient.Configuration(baseURL: apiURL)
    let tokenClient = NetworkClient(configuration)  // has neither the middleware nor the recovery
    configuration.middleware = [
      .authorization {
        guard let current = session.value else { return .just(nil) }
        // Sends nothing: the recovery renews the token, and then the request is sent.
        if current.renewal <= Date() { return .fail(NetworkError(.status(401))) }
        return Signal.just(current.token.token).tryMap { (token) throws(NetworkError) in try .bearer(token: token) }
      }
    ]
    configuration.recoveries = [
      Recovery { _ in
        guard let old = session.value?.token.refreshToken else { throw NetworkError(.status(401)) }  // not signed in
        let renew = Request(.post, "/token", body: .json(["refreshToken": old]))
        let fresh = Session(try await tokenClient.value(of: renew, as: Token.self))
        session.modify { if $0?.token.refreshToken == old { $0 = fresh } }  // not after a sign-out meanwhile
      }
    ]
    configuration.onUnauthorized = { _ in session.value = nil }  // the server refuses the refresh token
    let client = NetworkClient(configuration)
    // end sample
    session.value = Session(Token(token: "first", refreshToken: "r1", expiresIn: 0))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask { try await expectEqual(client.value(of: "/orders", as: [Int].self), [7]) }
      }
      // Nothing of it was sent, so it is sent after the refresh.
      group.addTask { try await expectEqual(client.value(of: Request(.post, "/orders"), as: Int.self), 8) }
      try await group.waitForAll()
    }
    expectEqual(server.log.requests(to: "/token").map { $0.header("Authorization") }, [nil])
    expectEqual(Set(server.log.requests(to: "/orders").map { $0.header("Authorization") }), ["Bearer second"])
    expectEqual(server.log.requests(to: "/orders").count, 21)
    expectEqual(session.value?.token.token, "second")
    // The server refuses the refresh token: signed out.
    session.value = Session(Token(token: "second", refreshToken: "r2", expiresIn: 0))
    await #expect(throws: NetworkError.self) { try await client.value(of: "/orders", as: [Int].self) }
    await until { session.value == nil }
    expectEqual(server.log.requests(to: "/token").count, 2)
    expectEqual(server.log.requests(to: "/orders").count, 21)
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

  @Test func signatures() async throws {
    let key = Data("a secret that the server has, too".utf8)
    // sample: authentication-signature
    struct Payments: Service {
      let signer: (any Signer)?
      let url: URL
      func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? { ServiceAddresses(url) }
    }
    let payments = Payments(signer: HMACSigner(key: key, location: .header), url: apiURL)
    let client = NetworkClient(.init(services: [payments]))
    let pay = Request(.post, "/pay", service: "Payments", body: .json(["order": 7, "cents": 4900]))
    _ = try await client.send(pay)  // with X-Timestamp, X-Nonce and X-Signature
    // end sample
    let received = try require(server.log.requests.last)
    let time = Date(timeIntervalSince1970: try require(received.header("X-Timestamp").flatMap { Double($0) }))
    let nonce = try require(received.header("X-Nonce"))
    // As the article says of servers in Swift.
    let signer = HMACSigner(key: key, location: .header, now: { time }, nonce: { nonce })
    var draft = RequestDraft(method: .post, url: server.url(received.target), body: .data(received.body))
    try signer.sign(&draft)
    expectEqual(draft.headers["X-Signature"], received.header("X-Signature"))
  }

  @Test func ownSigner() async throws {
    // sample: authentication-signer
    struct WebhookSigner: Signer {
      let hmac: @Sendable (Data) -> String  // HMAC<SHA256> of CryptoKit or swift-crypto, as hexadecimal text

      func sign(_ draft: inout RequestDraft) throws(NetworkError) {
        guard case .data(let body) = draft.body else {
          throw NetworkError(.invalidSignature, reason: "only a body of bytes can be signed")
        }
        let time = Int(Date().timeIntervalSince1970)
        draft.headers["Webhook-Signature"] = "t=\(time),v1=\(hmac(Data("\(time).".utf8) + body))"
      }
    }
    // end sample
    let client = NetworkClient(baseURL: apiURL)
    let options = RequestOptions.with { $0.signer = WebhookSigner { "\($0.count)" } }
    _ = try await client.send(Request(.post, "/hook", body: .json([1]), options: options))
    let received = try require(server.log.requests.last)
    expectEqual(received.header("Webhook-Signature").map { $0.hasPrefix("t=") && $0.hasSuffix(",v1=14") }, true)
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

    // Sign in
    try tokens.set(nil, for: client)  // removes an entry that cannot be read, which would fail the sign-in
    let signIn = Request(
      .post, "/session", body: .json(["name": "ada"]), options: .with { $0.allowsRecovery = false })
    let session = try await client.value(of: signIn, as: Session.self)
    account.value = "ada"  // first, because the token is stored for the current account
    try tokens.set(session, for: client)
    let orders = try await client.value(of: "/orders", as: [Int].self)

    // Sign out
    account.value = nil  // first: then no refresh in flight stores a token
    try tokens.removeAll()
    // end sample
    expectEqual(orders, [7])
    account.value = "ada"
    expectNil(try tokens.token(for: client)?.token)
  }
}
