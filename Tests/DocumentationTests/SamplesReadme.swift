import Foundation
import Heliograph
import HeliographTesting
import Testing

/// The samples of the README; those about sessions and tests are samples of the guides.
@Suite struct ReadmeSamples {
  struct User: Codable, Sendable, Equatable { let name: String }

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
      print(error.message)  // a text for people; `error` is a `NetworkError`
    }
    // end sample
    #expect(server.log.requests.count == 1)
  }

  // sample: readme-search
  @MainActor final class SearchModel {
    let text = CurrentValue("")
    private(set) var users: [User] = []
    private let bag = DisposeBag()  // cancels with the model

    init(client: NetworkClient, clock: any SignalScheduler = .global) {
      text.signal.filter { !$0.isEmpty }.debounce(.milliseconds(300), on: clock)
        .flatMap(.latest) { text in  // cancels the request of the former text
          client.enqueue(request: Request(.get, "/users", parameters: ["q": text]), resultType: [User].self)
            .map(\.value).replaceFailure(with: [])
        }
        .subscribeOnMain(onValue: { [weak self] in self?.users = $0 })
        .disposed(by: bag)
    }
  }
  // end sample

  @MainActor @Test func aSearchIsASignal() async throws {
    let kit = TestKit()
    kit.stub.on(.get, "/users", query: ["q": "ada"], .json([User(name: "Ada")]))
    let model = SearchModel(client: kit.client, clock: kit.clock)
    for text in ["a", "ad", "ada"] { model.text.value = text }
    await kit.clock.advance(by: .milliseconds(300))
    #expect(model.users == [User(name: "Ada")])
    #expect(kit.stub.requests.count == 1)
  }
}
