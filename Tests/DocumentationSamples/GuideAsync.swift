import Foundation
import Heliograph
import HeliographTesting
import Observation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The samples of the article AsyncAwait.
struct AsyncAwaitSamples {
  nonisolated struct User: Codable, Sendable { let name: String }
  nonisolated struct Session: Codable, Sendable { let token: String }
  nonisolated struct Profile: Codable, Sendable { let name: String }
  nonisolated struct Order: Codable, Sendable, Equatable { let id: Int }

  private let server: LoopbackServer
  private let client: NetworkClient

  init() throws {
    server = try LoopbackServer()
    client = NetworkClient(baseURL: server.baseURL)
    server.route("GET", "/users/*") { _ in .json(#"{"name": "Ada"}"#) }
    server.route("POST", "/users") { _ in .json(#"{"name": "Ada"}"#, status: 201) }
  }

  @Test func valuesAndResponses() async throws {
    // sample: async-send
    let user = try await client.value(of: "/users/1", as: User.self)
    let created = try await client.send(Request(.post, "/users", body: .json(user)), as: User.self)
    print(user.name, created.statusCode)  // Ada 201
    // end sample
    expectEqual(created.statusCode, 201)
  }

  // sample: async-api
  nonisolated enum API {
    static func user(_ id: Int) -> TypedRequest<User> {
      Request(.get, "/users/\(id)").returning(User.self)
    }
    static func create(_ user: User) -> TypedRequest<User> {
      Request(.post, "/users", body: .json(user)).returning(User.self)
    }
  }
  // end sample

  @Test func typedRequests() async throws {
    let user = try await client.value(of: API.user(1))
    let created = try await client.send(API.create(user))
    expectEqual(created.value.name, "Ada")
  }

  @Test func cancellation() async throws {
    server.route("GET", "/slow") { _ in .never }
    // sample: async-cancel
    let task = Task { try await client.value(of: "/slow", as: User.self) }
    task.cancel()  // the connection is closed
    do {
      _ = try await task.value
    } catch let error as NetworkError where error.isCancelled {
      print("cancelled")
    }
    // end sample
    expect(task.isCancelled)
  }

  private func user() async throws -> User {
    // sample: async-cancellation-error
    do {
      return try await client.value(of: API.user(1))
    } catch let error where error.isCancelled {
      throw CancellationError()
    }
    // end sample
  }

  @Test func aCancellationAsOfOtherLibraries() async throws {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await user()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    try await expectEqual(user().name, "Ada")
  }

  @Test func taskGroups() async throws {
    // sample: async-group
    let names = try await withThrowingTaskGroup(of: (Int, String).self) { group in
      for id in 1...3 {
        group.addTask { (id, try await client.value(of: API.user(id)).name) }
      }
      var names: [Int: String] = [:]
      for try await (id, name) in group { names[id] = name }
      return names
    }
    // end sample
    expectEqual(names.count, 3)
  }

  @Test func progress() async throws {
    server.route("GET", "/film") { _ in .data(Data(count: 300_000)) }
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).mov")
    defer { try? FileManager.default.removeItem(at: file) }
    let film = try await client.download("/film", to: file) { progress in
      print(progress.byteCount, progress.fractionCompleted ?? 0)
    }
    print(film.value)  // the file, with status and header fields in `film`
    try expectEqual(Data(contentsOf: file).count, 300_000)
  }

  @Test func bridges() async throws {
    // sample: async-from-signal
    let signal = client.enqueue(request: API.user(1)).map(\.value.name)
    let name = try await signal.value()  // the first value; without one, throws noValue
    let maybe = try await signal.first()  // nil if there is none
    for try await name in signal.values { print(name) }
    // end sample
    expectEqual(name, "Ada")
    expectEqual(maybe, "Ada")
    // sample: async-to-signal
    let friends = Signal<[String], NetworkError>.task {
      let user = try await client.value(of: API.user(1))
      let friend = try await client.value(of: API.user(2))
      return [user.name, friend.name]
    }
    // end sample
    try await expectEqual(friends.value().count, 2)
    // sample: async-sequence
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let ids = Signal<Int, Never>(stream)
    // end sample
    continuation.yield(1)
    continuation.finish()
    await expectEqual(ids.first(), 1)
  }

  // sample: async-account
  @MainActor @Observable final class AccountModel {
    private(set) var isLoading = false
    private(set) var message: String?
    private(set) var name = ""
    private(set) var orders: [Order] = []
    private let client: NetworkClient

    init(client: NetworkClient) { self.client = client }

    func signIn(_ user: String, _ password: String) async {
      if isLoading { return }  // a second tap
      (isLoading, message, name, orders) = (true, nil, "", [])  // nothing of the former user
      defer { isLoading = false }
      do {
        let signIn = Request(.post, "/session", body: .json(["user": user, "password": password]))
        let session = try await client.value(of: signIn, as: Session.self)
        let token: HTTPHeaders = ["Authorization": "Bearer \(session.token)"]
        async let profile = client.value(of: Request(.get, "/profile", headers: token), as: Profile.self)
        async let list = client.value(of: Request(.get, "/orders", headers: token), as: [Order].self)
        (name, orders) = try await (profile.name, list)
      } catch {
        if (error as? NetworkError)?.isCancelled == true { return }
        message = error.localizedDescription  // the message of a NetworkError
      }
    }
  }
  // end sample

  // compared: the account with URLSession alone
  @MainActor final class PlainAccountModel {
    private(set) var isLoading = false
    private(set) var message: String?
    private(set) var name = ""
    private(set) var orders: [Order] = []
    private let base: URL

    init(base: URL) { self.base = base }

    func signIn(_ user: String, _ password: String) async {
      isLoading = true
      defer { isLoading = false }
      do {
        let body = try JSONEncoder().encode(["user": user, "password": password])
        let session = try await load(Session.self, "session", method: "POST", body: body)
        async let profile = load(Profile.self, "profile", token: session.token)
        async let list = load([Order].self, "orders", token: session.token)
        (name, orders) = try await (profile.name, list)
      } catch {
        message = "Something went wrong. Please try again."
      }
    }

    private func load<Output: Decodable & Sendable>(
      _ type: Output.Type, _ path: String, method: String = "GET", token: String? = nil, body: Data? = nil
    ) async throws -> Output {
      var request = URLRequest(url: base.appendingPathComponent(path))
      request.httpMethod = method
      request.httpBody = body
      if body != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
      if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
      let (data, response) = try await URLSession.shared.data(for: request)
      guard let status = (response as? HTTPURLResponse)?.statusCode, (200..<300).contains(status) else {
        throw URLError(.badServerResponse)
      }
      return try JSONDecoder().decode(type, from: data)
    }
  }
  // end compared

  @MainActor @Test func theSameModelTwice() async throws {
    server.route("POST", "/session") { request in
      request.bodyText.contains("secret") ? .json(#"{"token": "t"}"#) : .status(403)
    }
    server.route("GET", "/profile") { _ in .json(#"{"name": "Ada"}"#) }
    server.route("GET", "/orders") { _ in .json(#"[{"id": 1}]"#) }
    let model = AccountModel(client: client)
    await model.signIn("ada", "secret")
    expectEqual(model.name, "Ada")
    expectEqual(model.orders, [Order(id: 1)])
    expectNil(model.message)
    await model.signIn("ada", "wrong")
    expectEqual(model.message, NetworkError(.status(403)).message)
    expect(!model.isLoading)
    let plain = PlainAccountModel(base: server.baseURL)
    await plain.signIn("ada", "secret")
    expectEqual(plain.name, "Ada")
    expectEqual(plain.orders, [Order(id: 1)])
  }
}
