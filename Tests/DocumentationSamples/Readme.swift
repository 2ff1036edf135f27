import Foundation
import Heliograph
import HeliographTesting
import Observation
import TestSupport
import Testing

/// The samples of the README; those about sessions and tests are samples of the guides.
struct ReadmeSamples {
  nonisolated struct User: Codable, Sendable, Equatable { let name: String }

  @Test func aRequestIsACall() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/users/1") { _ in .json(#"{"name": "Ada"}"#) }
    let url = server.baseURL
    let id = 1
    // sample: readme-call
    struct User: Codable, Sendable { let name: String }
    let client = NetworkClient(baseURL: url) { $0.retry = Retry(limit: 2) }
    do {
      let user = try await client.value(of: "/users/\(id)", as: User.self)
      print(user.name)
    } catch {
      print(error.message)  // a user-facing message; `error` is a `NetworkError`
    }
    // end sample
    expectEqual(server.log.requests.count, 1)
  }

  // sample: readme-search
  @MainActor @Observable final class SearchModel {
    var text = "" {
      didSet { if text != oldValue { search(text).load(into: \.users, on: self) } }
    }
    private(set) var users = Loadable<[User]>.idle  // the screen shows users.error, or else users.value
    private let client: NetworkClient
    private let searching: Lane

    init(client: NetworkClient, scheduler: any SignalScheduler = .global) {
      self.client = client
      searching = Lane(.latestWins(debounce: .milliseconds(300)), scheduler: scheduler)
    }

    private func search(_ text: String) -> Signal<[User], NetworkError> {
      if text.isEmpty { return .just([]) }  // sends nothing
      let request = Request(.get, "/users", parameters: ["q": text])
      return searching.enqueue(client.enqueue(request: request, resultType: [User].self).map(\.value))
    }
  }
  // end sample

  @MainActor @Test func aSearchIsASignal() async throws {
    let kit = TestKit()
    kit.stub.on(.get, "/users", query: ["q": "ada"], .json([User(name: "Ada")]))
    let model = SearchModel(client: kit.client, scheduler: kit.clock)
    for text in ["a", "ad", "ada"] { model.text = text }
    await kit.clock.advance(by: .milliseconds(300))
    expectEqual(model.users, .loaded([User(name: "Ada")]))
    expectEqual(kit.stub.requests.count, 1)
  }
}
