import Foundation
import Heliograph
import HeliographTesting
import Testing

/// The samples of Docs/Services.md.
@Suite struct ServicesSamples {
  @Test func theBuildSettingComesFirst() {
    // sample: environment-store
    var build: Environment?
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
    #expect(EnvironmentStore(build: build, storage: MemoryStorage()).current == .test)
    #expect(environments.canSwitch)
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
      environments: EnvironmentStore(choices: [.develop, .test], storage: MemoryStorage()))
    let recorder = SignalRecorder(screen.environments.states.observe(on: .main))
    screen.select(1)
    await recorder.wait { $0.last?.value?.environment == .test }
    #expect(screen.rows == ["develop", "✓ test"])
    #expect(screen.problem == nil)
    let released = EnvironmentScreen(environments: EnvironmentStore(build: .release, storage: MemoryStorage()))
    released.select(0)
    #expect(released.problem == "The environment cannot be changed.")
  }

  @Test func oneAddressServesAllServices() throws {
    let environments = EnvironmentStore(storage: MemoryStorage())
    // sample: custom-address
    try environments.setCustomAddress(URL(string: "http://10.0.0.12:8080"))
    try environments.switch(to: .custom)
    // end sample
    #expect(environments.state.customAddress?.port == 8080)
  }
}
