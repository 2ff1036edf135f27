import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

// sample: services-two
nonisolated extension ServiceID {
  static let shop: ServiceID = "Shop"  // by default the name of the type
}

struct Shop: Service {
  func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
    let host = environment == .release ? "shop.example.com" : "shop.test.example.com"
    return URL(string: "https://\(host)/v1").map { ServiceAddresses($0) }
  }
}

struct Payments: Service {
  let headers: HTTPHeaders = ["X-Client": "shop"]
  let json: JSONCoding? = JSONCoding(keys: .snakeCase)
  let totalTimeout: Duration? = .seconds(20)

  func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
    let host = environment == .release ? "pay.example.com" : "pay.test.example.com"
    return URL(string: "https://\(host)").map { ServiceAddresses($0) }
  }
}
// end sample

@MainActor final class EnvironmentScreen {
  private(set) var rows: [String] = []
  private(set) var problem: String?
  private let environments: EnvironmentStore
  private let bag = DisposeBag()

  init(environments: EnvironmentStore) {
    self.environments = environments
    environments.states
      .subscribeOnMain(onValue: { [weak self] state in
        self?.rows = environments.choices.map { $0 == state.environment ? "✓ \($0)" : "\($0)" }
      })
      .disposed(by: bag)
  }

  func select(_ index: Int) {
    do throws(NetworkError) {
      try environments.switch(to: environments.choices[index])
    } catch {
      problem = error.message
    }
  }
}

/// The samples of the article ServicesAndEnvironments.
struct ServiceGuideSamples {
  @Test func twoServices() async throws {
    let stub = StubTransport()
    stub.on(.get, "/v1/lamps", .json("[1]"))
    let transport = stub
    // sample: services-client
    let environments = EnvironmentStore(build: .test, storage: .memory())
    let client = NetworkClient(
      .init(services: [Shop(), Payments()], environments: environments, transport: transport))
    let lamps = Request(.get, "/lamps", service: .shop)
    let ids = try await client.value(of: lamps, as: [Int].self)  // https://shop.test.example.com/v1/lamps
    // end sample
    expectEqual(ids, [1])
    expectEqual(stub.requests.last?.url.absoluteString, "https://shop.test.example.com/v1/lamps")
    stub.on(.get, "/v1/slow", .never)
    let slow = SignalRecorder(client.enqueue(request: Request(.get, "/slow", service: "Shop")))
    try environments.switch(to: .preRelease)  // saved, for the next launch too
    await slow.waitForEnd()
    expectEqual(slow.failure?.code, .contextChanged)
    // sample: services-custom
    try environments.setCustomAddress(URL(string: "http://10.0.0.12:8080"))
    try environments.switch(to: .custom)
    // end sample
    expectEqual(environments.state.customAddress?.port, 8080)
  }

  @Test func commonParametersAreSelected() throws {
    // sample: services-common
    struct Catalogue: Service {
      let common = [
        CommonParameters("java", ["version": "7.1"], headers: ["X-Platform": "ios"]),
        CommonParameters("php", ["v": 71, "version": "7"]),
      ]
      let defaultCommon: [CommonParameters.Name] = ["java"]  // of a request that selects none; by default all
      func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
        URL(string: "https://catalogue.example.com").map { ServiceAddresses($0) }
      }
    }
    let client = NetworkClient(.init(services: [Catalogue()]))
    var lamps = Request(.get, "/lamps", service: "Catalogue")
    let usual = try client.httpRequest(for: lamps)  // /lamps?version=7.1
    lamps.options.common = ["java", "php"]
    let both = try client.httpRequest(for: lamps)  // /lamps?version=7&v=71
    // end sample
    lamps.parameters = ["version": "8"]
    let own = try client.httpRequest(for: lamps)
    lamps.options.common = []
    let none = try client.httpRequest(for: lamps)
    let all = [usual, both, own, none]
    expectEqual(all.map(\.url.query), ["version=7.1", "version=7&v=71", "version=8&v=71", "version=8"])
    expectEqual(all.map { $0.headers["X-Platform"] }, ["ios", "ios", "ios", nil])
    lamps.options.common = ["perl"]
    #expect(throws: NetworkError.self) { try client.httpRequest(for: lamps) }
  }

  @Test func theBuildSettingComesFirst() {
    // sample: services-build
    #if APP_RELEASE
    let build = ServiceEnvironment.release
    #elseif APP_PRE_RELEASE
    let build = ServiceEnvironment.preRelease
    #elseif APP_HOTFIX
    let build = ServiceEnvironment.hotfix
    #elseif APP_TEST
    let build = ServiceEnvironment.test
    #elseif APP_DEVELOP
    let build = ServiceEnvironment.develop
    #else
    #error("the build has no environment: set APP_RELEASE, APP_PRE_RELEASE, APP_HOTFIX, APP_TEST or APP_DEVELOP")
    #endif
    let environments = EnvironmentStore(build: build)
    print(environments.current)  // that of the build, unless another one was saved by a switch
    // end sample
    expectEqual(EnvironmentStore(build: build, storage: .memory()).current, .develop)
    expect(environments.canSwitch)
  }

  @MainActor @Test("S0-16") func aScreenShowsAndSwitches() async {
    let environments = EnvironmentStore(choices: [.develop, .test], storage: .memory())
    let screen = EnvironmentScreen(environments: environments)
    let recorder = SignalRecorder(environments.states.observe(on: .main))
    screen.select(1)
    await recorder.wait { $0.last?.value?.environment == .test }
    expectEqual(screen.rows, ["develop", "✓ test"])
    expectNil(screen.problem)
    let released = EnvironmentScreen(environments: EnvironmentStore(build: .release, storage: .memory()))
    released.select(0)
    expectEqual(released.problem, NetworkError(.switchRefused).message)
  }
}
