import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// The samples of Docs/Services.md about environments.
struct EnvironmentSamples {
  @Test func aServiceHasAnAddressForEachEnvironment() throws {
    // sample: four-environments
    let store = EnvironmentStore(build: .develop, storage: .memory())
    let client = NetworkClient(.init(services: [Shop(), Payments(signer: nil)], environments: store))
    for environment in [ServiceEnvironment.develop, .test, .preRelease, .release] {
      try store.switch(to: environment)
      print(try client.httpRequest(for: Request(.get, "/lamps", service: .shop)).url)
    }
    try store.reset()  // the build setting counts again
    do throws(NetworkError) {
      _ = try client.httpRequest(for: Request(.get, "/receipts", service: .payments))
    } catch {
      print(error.code == .noAddress)  // true: there are no payments in develop
    }
    // end sample
    expectEqual(store.current, .develop)
    #expect(throws: NetworkError.self) { try client.httpRequest(for: Request(.get, "/receipts", service: .payments)) }
    try store.switch(to: .preRelease)
    let lamps = try client.httpRequest(for: Request(.get, "/lamps", service: .shop))
    expectEqual(lamps.url.absoluteString, "https://shop.pre.example.com/v1/lamps")
    let receipts = try client.httpRequest(for: Request(.get, "/receipts", service: .payments))
    expectEqual(receipts.url.absoluteString, "https://pay.sandbox.example.com/receipts")
  }

  @Test func theBuildSettingComesFirst() {
    // sample: environment-store
    var build: ServiceEnvironment?
    #if APP_RELEASE
    build = .release
    #elseif APP_HOTFIX
    build = .hotfix
    #elseif APP_TEST
    build = .test
    #endif
    let environments = EnvironmentStore(build: build)
    print(environments.current)  // develop, unless something was set or saved
    // end sample
    build = .test
    expectEqual(EnvironmentStore(build: build, storage: .memory()).current, .test)
    expect(environments.canSwitch)
  }

  @MainActor @Test func aScreenShowsAndSwitches() async {
    // sample: environment-screen
    @MainActor final class EnvironmentScreen {
      let environments: EnvironmentStore
      let bag = DisposeBag()
      var rows: [String] = []
      var problem: String?

      init(environments: EnvironmentStore) {
        self.environments = environments
        environments.states
          .subscribeOnMain(onValue: { [weak self] state in self?.show(state) })
          .disposed(by: bag)
      }

      func show(_ state: EnvironmentStore.State) {
        rows = environments.choices.map { $0 == state.environment ? "✓ \($0)" : "\($0)" }
      }

      func select(_ index: Int) {
        do throws(NetworkError) {
          try environments.switch(to: environments.choices[index])
        } catch {
          problem = error.message
        }
      }
    }
    // end sample
    let screen = EnvironmentScreen(
      environments: EnvironmentStore(choices: [.develop, .test], storage: .memory()))
    let recorder = SignalRecorder(screen.environments.states.observe(on: .main))
    screen.select(1)
    await recorder.wait { $0.last?.value?.environment == .test }
    expectEqual(screen.rows, ["develop", "✓ test"])
    expectNil(screen.problem)
    let released = EnvironmentScreen(environments: EnvironmentStore(build: .release, storage: .memory()))
    released.select(0)
    expectEqual(released.problem, "The environment can't be changed.")
  }

  @Test func oneAddressServesAllServices() throws {
    let environments = EnvironmentStore(storage: .memory())
    // sample: custom-address
    try environments.setCustomAddress(URL(string: "http://10.0.0.12:8080"))
    try environments.switch(to: .custom)
    // end sample
    expectEqual(environments.state.customAddress?.port, 8080)
  }

  @Test func aRequestEndsWithItsEnvironment() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/slow") { _ in .never }
    let machine = server.baseURL
    // sample: switching
    let store = EnvironmentStore(build: .test, storage: .memory())
    try store.setCustomAddress(machine)
    try store.switch(to: .custom)
    let client = NetworkClient(.init(services: [Shop()], environments: store))
    let news = SignalRecorder(client.enqueue(request: Request(.get, "/slow", service: .shop)))
    await server.wait { $0.requests.count == 1 }  // it is in flight

    try store.switch(to: .test)
    await news.waitForEnd()
    print(news.failure?.code == .contextChanged)  // true, and the connection is closed
    // end sample
    expectEqual(news.failure?.code, .contextChanged)
    expectEqual(news.failure?.code, .contextChanged)
    await expect(server.wait { $0.openConnectionCount == 0 })
  }
}
