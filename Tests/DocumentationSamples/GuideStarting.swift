import Foundation
import Heliograph
import HeliographTesting
import Observation
import TestSupport
import Testing

/// The samples of the article GettingStarted, over a real socket.
struct StartingSamples {
  private let server: LoopbackServer
  private let apiURL: URL

  init() throws {
    server = try LoopbackServer()
    apiURL = server.baseURL
  }

  // sample: starting-user
  nonisolated struct User: Codable, Identifiable, Sendable {
    let id: Int
    let name: String
  }
  // end sample

  @Test func aValueIsRead() async throws {
    server.route("GET", "/users/1") { _ in .json(#"{"id": 1, "name": "Ada"}"#) }
    // sample: starting-client
    let client = NetworkClient(baseURL: apiURL) {
      $0.headers["Accept"] = "application/json"  // without it, some servers answer with HTML
      $0.retry = Retry(limit: 2)
    }
    // end sample
    let id = 1
    // sample: starting-get
    let user = try await client.value(of: "/users/\(id)", as: User.self)
    print(user.name)  // Ada
    // end sample
    expectEqual(user.name, "Ada")
    expectEqual(server.log.requests.last?.header("Accept"), "application/json")
  }

  @Test func aValueIsSent() async throws {
    server.route("POST", "/users") { _ in .json(#"{"id": 7, "name": "Ada"}"#, status: 201) }
    let client = NetworkClient(baseURL: apiURL)
    let date = Date(timeIntervalSince1970: 0)
    // sample: starting-post
    struct NewUser: Encodable, Sendable {
      let name: String
      let joined: Date
    }
    let create = Request(.post, "/users", body: .json(NewUser(name: "Ada", joined: date)))
    let created = try await client.send(create, as: User.self)
    print(created.statusCode, created.value.id)  // 201 7
    // end sample
    expectEqual(created.statusCode, 201)
    expectEqual(server.log.requests.last?.bodyText, #"{"joined":"1970-01-01T00:00:00Z","name":"Ada"}"#)
  }

  @Test func aListIsSearched() async throws {
    server.route("GET", "/users") { _ in .json(#"[{"id": 1, "name": "Ada"}]"#) }
    let client = NetworkClient(baseURL: apiURL)
    let (text, page, team) = ("a&b", 2, String?.none)
    // sample: starting-list
    let search = Request(.get, "/users", parameters: ["q": text, "page": page, "team": team])
    let users = try await client.value(of: search, as: [User].self)
    print(users.count)
    // end sample
    expectEqual(users.count, 1)
    expectEqual(server.log.requests.last?.target, "/users?q=a%26b&page=2")
  }

  // sample: starting-screen
  @MainActor @Observable final class ProfileModel {
    private(set) var user = Loadable<User>.idle  // user.value, .error?.message, .isLoading: what the screen shows
    private var id: Int?
    private let client: NetworkClient

    init(client: NetworkClient) { self.client = client }

    func load(_ id: Int) {
      if id != self.id { (self.id, user) = (id, .idle) }  // another user: the former one is not shown meanwhile
      client.enqueue(request: "/users/\(id)", resultType: User.self).map(\.value).load(into: \.user, on: self)
    }
  }
  // end sample

  @MainActor @Test func aValueIsShown() async throws {
    // sample: starting-test
    let kit = TestKit()
    kit.stub.on(.get, "/users/1", .json(User(id: 1, name: "Ada")))
    let model = ProfileModel(client: kit.client)
    model.load(1)
    await kit.clock.advance()
    #expect(model.user.value?.name == "Ada")
    try kit.stub.verify()
    // end sample
    kit.stub.on(.get, "/users/1", .status(500))
    model.load(1)
    await kit.clock.advance()
    expectEqual(model.user.value?.name, "Ada", "a reload that fails keeps the value")
    kit.stub.on(.get, "/users/2", .status(404))
    model.load(2)
    expectNil(model.user.value)
    await kit.clock.advance()
    expectEqual(model.user.error?.message, "This couldn't be found.")
    expectNil(model.user.value, "not the user before")
  }

  @MainActor @Test func aListIsShownInPages() async throws {
    let kit = TestKit()
    let client = kit.client
    kit.stub.on(.get, "/users", .json(#"{"items": [{"id": 1, "name": "Ada"}], "page": 1, "pageCount": 2}"#))
    // sample: starting-pages
    nonisolated struct UserPage: Decodable, Sendable {
      let items: [User]
      let page: Int
      let pageCount: Int

      static func request(_ page: Int) -> Request { Request(.get, "/users", query: ["page": page]) }
    }
    let pages = client.pages(request: UserPage.request(1), as: UserPage.self) { response in
      let page = response.value.page
      return page < response.value.pageCount ? UserPage.request(page + 1) : nil
    }
    let pager = Pager(pages) { $0.value.items }  // pager.items, .hasMore, .error: what the screen shows
    await pager.refresh()
    // end sample
    await kit.clock.advance()
    expectEqual(pager.items.map(\.name), ["Ada"])
    expectEqual(pager.hasMore, true)
    pager.loadMore()
    await kit.clock.advance()
    expectEqual(kit.stub.requests.map { $0.url.query }, ["page=1", "page=2"])
  }

  @Test func aSessionIsRenewed() async throws {
    server.route("POST", "/session") { _ in .json(#"{"token": "first", "refreshToken": "r1"}"#) }
    server.route("POST", "/token") { request in
      request.bodyText == #"{"refreshToken":"r1"}"#
        ? .json(#"{"token": "second", "refreshToken": "r2"}"#) : .status(400)
    }
    server.route("GET", "/orders") { request in
      request.header("Authorization") == "Bearer second" ? .json("[1, 2]") : .status(401)
    }
    let password = "secret"
    // sample: starting-session
    nonisolated struct Session: Codable, Sendable {
      let token: String
      let refreshToken: String
    }
    let account = CurrentValue<String?>(nil)
    let session = CurrentValue<Session?>(nil)
    let client = NetworkClient(baseURL: apiURL) {
      $0.account = account  // at a change, requests and refreshes of the former user end
      $0.middleware = [.bearer { session.value?.token }]  // `Authorization`, once there is a session
      $0.recoveries = [
        // Runs once after a 401, for all requests that wait; then each of them is sent again.
        Recovery { client in
          guard let old = session.value?.refreshToken else { throw NetworkError(.status(401)) }  // not signed in
          let renew = Request(.post, "/token", body: .json(["refreshToken": old]))
          let fresh = try await client.value(of: renew, as: Session.self)
          session.modify { if $0?.refreshToken == old { $0 = fresh } }  // not after a sign-out meanwhile
        }
      ]
    }
    // end sample
    // sample: starting-sign-in
    let signIn = Request(
      .post, "/session", body: .json(["name": "ada", "password": password]),
      options: .with { $0.allowsRecovery = false })  // a 401 here is a wrong password
    let fresh = try await client.value(of: signIn, as: Session.self)
    account.value = "ada"  // first, and then the token
    session.value = fresh
    let orders = try await client.value(of: "/orders", as: [Int].self)
    print(orders)
    // end sample
    expectEqual(orders, [1, 2])
    expectEqual(session.value?.token, "second")
    expectEqual(server.log.requests.map(\.path), ["/session", "/orders", "/token", "/orders"])
    // A sign-out during a refresh is not undone.
    let (held, release) = AsyncStream.makeStream(of: Void.self)
    server.route("POST", "/token") { _ in
      for await _ in held { break }
      return .json(#"{"token": "third", "refreshToken": "r3"}"#)
    }
    server.route("GET", "/orders") { _ in .status(401) }
    let task = Task { try await client.value(of: "/orders", as: [Int].self) }
    await server.wait { $0.requests(to: "/token").count == 2 }
    account.value = nil
    session.value = nil
    // The next user's requests are their own, and the former one's are not sent again.
    account.value = "ben"
    session.value = Session(token: "ben's", refreshToken: "r4")
    release.finish()
    let error = await #expect(throws: NetworkError.self) { try await task.value }
    expectEqual(error?.code, .contextChanged)
    server.route("GET", "/orders") { $0.header("Authorization") == "Bearer ben's" ? .json("[3]") : .status(401) }
    try await expectEqual(client.value(of: "/orders", as: [Int].self), [3])
    expectEqual(session.value?.refreshToken, "r4")
    expectEqual(server.log.requests(to: "/orders").count, 4)
  }

  @Test func aPhotoIsUploaded() async throws {
    server.route("POST", "/photos") { _ in .json(#"{"id": 3}"#, status: 201) }
    let client = NetworkClient(baseURL: apiURL)
    let photoURL = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).jpg")
    try Data(count: 200_000).write(to: photoURL)
    defer { try? FileManager.default.removeItem(at: photoURL) }
    // sample: starting-upload
    struct Photo: Decodable, Sendable { let id: Int }
    let form: Multipart = [.text("title", "Lamp"), .file("photo", photoURL)]
    let photo = try await client.upload(Request(.post, "/photos", body: .multipart(form)), as: Photo.self) { progress in
      if progress.direction == .sending { print(progress) }  // sent 65536 of 200312 bytes
    }
    print(photo.value.id)
    // end sample
    expectEqual(photo.value.id, 3)
    expect((server.log.requests.last?.body.count ?? 0) > 200_000)
    server.route("PUT", "/photo") { _ in .status(204) }
    // sample: starting-mixed-errors
    do {
      let photo = try Data(contentsOf: photoURL)
      _ = try await client.send(Request(.put, "/photo", body: .data(photo, contentType: "image/jpeg")))
    } catch let error as NetworkError {
      print(error.message)
    } catch {
      print("The photo cannot be read.")
    }
    // end sample
    expectEqual(server.log.requests.last?.body.count, 200_000)
  }
}
