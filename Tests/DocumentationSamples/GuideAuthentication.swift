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
    let once = Request(
      .get, "/admin", headers: ["Authorization": basic.headerValue],  // for one request
      options: .with { $0.allowsRecovery = false })  // its 401 does not concern the session
    // end sample
    let member = NetworkClient(baseURL: apiURL) {
      $0.recoveries = [Recovery { _ in Issue.record("not the session's credentials") }]
    }
    server.route("GET", "/admin") { _ in .status(401) }
    await #expect(throws: NetworkError.self) { try await member.value(of: once, as: NoContent.self) }
    server.route("GET", "/admin") { _ in .json("{}") }
    _ = try await admin.value(of: "/admin", as: NoContent.self)
    expectEqual(server.log.requests.suffix(2).map { $0.header("Authorization") == basic.headerValue }, [true, true])
  }

  @Test func refreshingEarly() async throws {
    server.route("GET", "/orders") { $0.header("Authorization") == "Bearer second" ? .json("[7]") : .status(401) }
    server.route("POST", "/orders") { $0.header("Authorization") == "Bearer second" ? .json("8") : .status(401) }
    let (held, release) = AsyncStream.makeStream(of: Void.self)
    server.route("POST", "/token") { request in
      switch request.bodyText {
      case #"{"refreshToken":"r0"}"#: return .json(#"{"token": "zero", "refreshToken": "r1", "expiresIn": 0}"#)
      case #"{"refreshToken":"r1"}"#: return .json(#"{"token": "second", "refreshToken": "r2", "expiresIn": 3600}"#)
      case #"{"refreshToken":"r3"}"#: for await _ in held { break }
      default: break
      }
      return .status(401)
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
    let account = CurrentValue<String?>(nil)
    let session = CurrentValue<Session?>(nil)
    var configuration = NetworkClient.Configuration(baseURL: apiURL)
    configuration.account = account
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
    configuration.onUnauthorized = { error in
      guard error.response != nil else { return }  // not sent by the server, but by the middleware or the recovery
      account.value = nil
      session.value = nil
    }
    let client = NetworkClient(configuration)
    // end sample
    account.value = "ada"
    session.value = Session(Token(token: "none", refreshToken: "r0", expiresIn: 0))
    // The middleware refuses the fresh token, too, without a sign-out.
    let refusal = await #expect(throws: NetworkError.self) { try await client.value(of: "/orders", as: [Int].self) }
    expectEqual(refusal?.code, .status(401))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask { try await expectEqual(client.value(of: "/orders", as: [Int].self), [7]) }
      }
      // Nothing of it was sent, so it is sent after the refresh.
      group.addTask { try await expectEqual(client.value(of: Request(.post, "/orders"), as: Int.self), 8) }
      try await group.waitForAll()
    }
    expectEqual(server.log.requests(to: "/token").map { $0.header("Authorization") }, [nil, nil])
    expectEqual(Set(server.log.requests(to: "/orders").map { $0.header("Authorization") }), ["Bearer second"])
    expectEqual(server.log.requests(to: "/orders").count, 21)
    expectEqual(session.value?.token.token, "second")
    // The server refuses the refresh token of a user who is no longer signed in.
    session.value = Session(Token(token: "third", refreshToken: "r3", expiresIn: 0))
    let former = Task { try await client.value(of: "/orders", as: [Int].self) }
    await server.wait { $0.requests(to: "/token").count == 3 }
    account.value = "ben"
    session.value = Session(Token(token: "second", refreshToken: "r2", expiresIn: 3600))
    release.finish()
    let error = await #expect(throws: NetworkError.self) { try await former.value }
    expectEqual(error?.code, .contextChanged)
    try await expectEqual(client.value(of: "/orders", as: [Int].self), [7])
    expectEqual(account.value, "ben")
    // The server refuses the refresh token: signed out.
    session.value = Session(Token(token: "second", refreshToken: "r2", expiresIn: 0))
    await #expect(throws: NetworkError.self) { try await client.value(of: "/orders", as: [Int].self) }
    await until { account.value == nil && session.value == nil }
    expectEqual(server.log.requests(to: "/token").count, 4)
    expectEqual(server.log.requests(to: "/orders").count, 22)
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

    // Sign in. This client has the account's identity, and sends no token of another one
    let ada = NetworkClient(baseURL: apiURL) { $0.account = CurrentValue("ada") }
    let signIn = Request(.post, "/session", body: .json(["name": "ada"]))
    try tokens.set(try await ada.value(of: signIn, as: Session.self), for: ada)
    account.value = "ada"  // `client` finds the token in the store
    let orders = try await client.value(of: "/orders", as: [Int].self)

    // Sign out
    account.value = nil  // first: then no refresh in flight stores a token
    try tokens.set(nil, for: ada)  // or `removeAll()`, which signs out all accounts
    // end sample
    expectEqual(orders, [7])
    account.value = "ada"
    expectNil(try tokens.token(for: client)?.token)

    // The session of another account remains.
    let ben = NetworkClient(baseURL: apiURL) { $0.account = CurrentValue("ben") }
    try tokens.set(Session(token: "ben's", refreshToken: "t"), for: ben)
    account.value = "ben"
    // The sign-in of the second account has no token, and needs no entry that can be read.
    let second = try await ada.value(of: signIn, as: Session.self)
    expectNil(server.log.requests(to: "/session").last?.header("Authorization"))
    try tokens.set(second, for: ada)
    account.value = "ada"
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      try Data("damaged".utf8).write(to: folder.appendingPathComponent(name))
    }
    #expect(throws: NetworkError.self) { try tokens.token(for: client) }
    await #expect(throws: NetworkError.self) { try await client.value(of: "/orders", as: [Int].self) }
    try tokens.set(try await ada.value(of: signIn, as: Session.self), for: ada)
    try await expectEqual(client.value(of: "/orders", as: [Int].self), [7])
    try tokens.set(Session(token: "ben's", refreshToken: "t"), for: ben)
    account.value = nil
    try tokens.set(nil, for: ada)
    expectNil(try tokens.token(for: ada)?.token)
    expectEqual(try tokens.token(for: ben)?.token, "ben's")
  }

  /// A process that only reads what another one has refreshed.
  @Test func aReadingProcess() async throws {
    nonisolated struct Session: Codable, Sendable { let token: String }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tokens-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    server.route("GET", "/orders") { $0.header("Authorization") == "Bearer new" ? .json("[7]") : .status(401) }
    let (app, tokens) = (TokenStore<Session>.file(in: folder), TokenStore<Session>.file(in: folder))
    let client = NetworkClient(baseURL: apiURL) {
      $0.middleware = [.bearer(from: tokens, \.token)]
      $0.recoveries = [Recovery { client in _ = try tokens.token(for: client) }]
    }
    try tokens.set(Session(token: "old"), for: client)
    let error = await #expect(throws: NetworkError.self) { try await client.value(of: "/orders", as: [Int].self) }
    expectEqual(error?.code, .status(401))
    try app.set(Session(token: "new"), for: client)
    try await expectEqual(client.value(of: "/orders", as: [Int].self), [7])
    expectEqual(server.log.requests.map(\.path), ["/orders", "/orders", "/orders", "/orders"])
  }

  @Test func anOAuthServer() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tokens-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let account = CurrentValue<String?>("ada")
    server.route("POST", "/token") { request in
      switch request.bodyText {
      case "grant_type=refresh_token&refresh_token=r1&client_id=shop":
        let token = server.log.requests(to: "/token").count == 1 ? "second" : "third"
        return .json(#"{"access_token": "\#(token)", "token_type": "Bearer", "expires_in": 60}"#)
      default: return .json(#"{"error": "invalid_grant"}"#, status: 400)
      }
    }
    // sample: authentication-oauth
    nonisolated struct Session: Codable, Sendable {
      let token: String
      var refreshToken: String?

      enum CodingKeys: String, CodingKey {
        case token = "access_token"
        case refreshToken = "refresh_token"
      }
    }
    let tokens = TokenStore<Session>.file(in: folder)
    let recovery = Recovery { client in
      guard let key = try tokens.token(for: client)?.refreshToken else { throw NetworkError(.status(401)) }
      let form: Parameters = ["grant_type": "refresh_token", "refresh_token": key, "client_id": "shop"]
      var fresh = try await client.value(of: Request(.post, "/token", body: .form(form)), as: Session.self)
      fresh.refreshToken = fresh.refreshToken ?? key  // a response without one keeps the old one valid
      try tokens.set(fresh, for: client)
    } onFailure: { error in
      // The server refuses the refresh token, or there is none; a proxy's 400 is no reason.
      let reason = try? error.decode(as: JSON.self)["error"].string
      if reason == "invalid_grant" || error.code == .status(401) { account.value = nil }
    }
    // end sample
    let client = NetworkClient(baseURL: apiURL) {
      $0.account = account
      $0.middleware = [.bearer(from: tokens, \.token)]
      $0.recoveries = [recovery]
    }
    // Without a refresh token.
    server.route("GET", "/orders") { _ in .status(401) }
    try tokens.set(Session(token: "zero"), for: client)
    let refusal = await #expect(throws: NetworkError.self) { try await client.value(of: "/orders", as: [Int].self) }
    expectEqual(refusal?.code, .status(401))
    await until { account.value == nil }
    account.value = "ada"
    let first = #"{"access_token": "first", "token_type": "Bearer", "expires_in": 60, "refresh_token": "r1"}"#
    try tokens.set(try JSONDecoder().decode(Session.self, from: Data(first.utf8)), for: client)
    // The refresh token is not repeated by the server, and remains.
    for valid in ["second", "third"] {
      server.route("GET", "/orders") { $0.header("Authorization") == "Bearer \(valid)" ? .json("[7]") : .status(401) }
      try await expectEqual(client.value(of: "/orders", as: [Int].self), [7])
      expectEqual(try tokens.token(for: client)?.refreshToken, "r1")
    }
    try tokens.set(Session(token: "third", refreshToken: "r2"), for: client)
    server.route("GET", "/orders") { _ in .status(401) }
    let error = await #expect(throws: NetworkError.self) { try await client.value(of: "/orders", as: [Int].self) }
    expectEqual(error?.code, .status(400))
    await until { account.value == nil }
  }
}
