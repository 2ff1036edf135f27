import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// The samples of the article WhichOne.
struct ChoosingSamples {
  nonisolated struct User: Codable, Sendable, Equatable { let name: String }

  @MainActor final class UserModel { var user = Loadable<User>.idle }

  // Those of the article on services.
  nonisolated struct Shop: Service {
    func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? { nil }
  }

  nonisolated struct Payments: Service {
    func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
      URL(string: "https://pay.\(environment).example.com").map { ServiceAddresses($0) }
    }
  }

  private let kit = TestKit()
  private var client: NetworkClient { kit.client }

  @MainActor @Test func asyncOrSignal() async throws {
    kit.stub.on(.get, "/users/7", .json(User(name: "Ada")))
    let model = UserModel()
    // sample: choosing-async
    let user = try await client.value(of: "/users/7", as: User.self)  // a function: the value or an error
    print(user.name)
    client.enqueue(request: "/users/7", resultType: User.self).map(\.value)
      .load(into: \.user, on: model)  // a screen: loading, the value or the error
    // end sample
    await kit.clock.advance()
    expectEqual(model.user, .loaded(user))
  }

  // sample: choosing-function
  nonisolated enum API {
    static func users(_ text: String) -> TypedRequest<[User]> {
      Request(.get, "/users", parameters: ["q": text]).returning([User].self)
    }
  }

  nonisolated enum Users: Endpoint {
    case all
    case one(Int)
    var request: Request { if case .one(let id) = self { "/users/\(id)" } else { "/users" } }
  }

  nonisolated final class ProfileCall: Call<User> {
    override var path: RequestPath { "/profile" }
    override func didSucceed() { print(value?.name ?? "") }
  }
  // end sample

  @MainActor @Test func functionEndpointOrCall() async throws {
    kit.stub.on(.get, "/users", .json([User(name: "Ada")]))
    kit.stub.on(.get, "/users/7", .json(User(name: "Grace")))
    kit.stub.on(.get, "/profile", .json(User(name: "Ada")))
    try await expectEqual(client.value(of: API.users("a")), [User(name: "Ada")])
    try await expectEqual(client.value(of: API.users("a").with { $0.cache = .reload }), [User(name: "Ada")])
    try await expectEqual(client.value(of: Users.all, as: [User].self), [User(name: "Ada")])
    try await expectEqual(client.value(of: Users.one(7), as: User.self), User(name: "Grace"))
    try await expectEqual(ProfileCall(client: client).send().value, User(name: "Ada"))
  }

  @MainActor @Test func laneOrOperator() async throws {
    let (client, model) = (client, UserModel())
    // sample: choosing-lane
    let searching = Lane(.latestWins())
    func search(_ text: String) -> Signal<[User], NetworkError> {
      searching.enqueue(client.enqueue(request: API.users(text)).map(\.value))
    }

    func results(for texts: Signal<String, NetworkError>) -> Signal<[User], NetworkError> {
      texts.flatMap(.latest) { client.enqueue(request: API.users($0)).map(\.value) }  // sent once: `.exhaust`
    }

    func submit(_ form: Request) {
      if model.user.isLoading { return }  // sent once
      client.enqueue(request: form, resultType: User.self).map(\.value).load(into: \.user, on: model)
    }
    // end sample
    kit.stub.on(.get, "/users", query: ["q": "a"], .never)
    kit.stub.on(.get, "/users", query: ["q": "ad"], .json([User(name: "Ada")]))
    let (former, last) = (SignalRecorder(search("a")), SignalRecorder(search("ad")))
    await last.waitForEnd()
    expect(former.values.isEmpty)
    expectEqual(last.values, [[User(name: "Ada")]])
    try await expectEqual(results(for: .from(["a", "ad"])).value(), [User(name: "Ada")])
    expectEqual(kit.stub.cancelledCount, 2)
    kit.stub.on(.post, "/users", .json(User(name: "Ada")).delayed(by: .seconds(1)))
    for _ in 0..<2 { submit(Request(.post, "/users")) }
    await kit.clock.advance(by: .seconds(1))
    expectEqual(model.user, .loaded(User(name: "Ada")))
    expectEqual(kit.stub.requests(to: "/users", method: .post).count, 1)
  }

  /// Hence the guard of the sample; a lane alone is enough for any other subscription.
  @MainActor @Test func aSecondLoadFreesAnExclusiveLane() async {
    kit.stub.on(.post, "/users", .json(User(name: "Ada")).delayed(by: .seconds(1)))
    let (model, lane) = (UserModel(), Lane(.exclusive()))
    let form = lane.enqueue(client.enqueue(request: Request(.post, "/users"), resultType: User.self).map(\.value))
    for _ in 0..<2 { form.subscribeOnMain(onValue: { _ in }, onFailure: { _ in }) }
    expectEqual(kit.stub.requests.count, 1)
    await kit.clock.advance(by: .seconds(1))
    for _ in 0..<2 { form.load(into: \.user, on: model) }
    expectEqual(kit.stub.requests.count, 3)
    await kit.clock.advance(by: .seconds(1))
  }

  @Test func clientOrService() throws {
    let weatherURL = try require(URL(string: "https://weather.example.com"))
    let environments = EnvironmentStore(build: .test, storage: .memory())
    // sample: choosing-service
    let weather = NetworkClient(baseURL: weatherURL)
    let shop = NetworkClient(.init(services: [Shop(), Payments()], environments: environments))
    let pay = Request(.post, "/orders/7/payment", service: "Payments")
    // end sample
    try expectEqual(weather.httpRequest(for: "/today").url.absoluteString, "https://weather.example.com/today")
    try expectEqual(
      shop.httpRequest(for: pay).url.absoluteString, "https://pay.test.example.com/orders/7/payment")
  }
}
