import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Switching: what is allowed, what is saved, what is announced.
struct EnvironmentStoreTests {
  private typealias State = EnvironmentStore.State
  private let storage = EnvironmentStorage.memory()

  private func url(_ text: String) throws -> URL { try require(URL(string: text)) }

  @Test("S0-14 S0-11") func aSwitchSurvivesARestart() throws {
    for environment in ServiceEnvironment.predefined {
      try EnvironmentStore(build: .test, storage: storage).switch(to: environment)
      expectEqual(EnvironmentStore(build: .test, storage: storage).current, environment)
      expectEqual(EnvironmentStore(storage: storage).current, environment)
    }
    let store = EnvironmentStore(build: .test, storage: storage)
    try store.reset()
    expectEqual(store.current, .test)
    expectNil(storage.read("environment"))
    expectEqual(EnvironmentStore(build: .hotfix, storage: storage).current, .hotfix)
  }

  @Test func switchingToWhatIsCurrentIsSavedToo() throws {
    let store = EnvironmentStore(build: .test, storage: storage)
    let recorder = SignalRecorder(store.states)
    try store.switch(to: .test)
    expectEqual(recorder.values, [State(environment: .test)])
    expectEqual(EnvironmentStore(build: .hotfix, storage: storage).current, .test)
  }

  @Test("S0-15") func aBuildForReleaseRefusesAndChangesNothing() throws {
    let storage = EnvironmentStorage.memory(["environment": "test", "customAddress": "http://10.0.0.1"])
    let store = EnvironmentStore(build: .release, storage: storage)
    let recorder = SignalRecorder(store.states)
    let errors = [
      #expect(throws: NetworkError.self) { try store.switch(to: .develop) },
      #expect(throws: NetworkError.self) { try store.switch(to: .release) },
      #expect(throws: NetworkError.self) { try store.reset() },
      #expect(throws: NetworkError.self) { try store.setCustomAddress(nil) },
    ]
    for error in errors {
      expectEqual(error?.code, .switchRefused)
      expectEqual(error?.reason, "switching is disabled in release builds")
    }
    expect(!store.canSwitch)
    expectNil(store.customAddress)
    expectEqual(recorder.values, [State(environment: .release)])
    expectEqual(storage.read("environment"), "test")
    expectEqual(storage.read("customAddress"), "http://10.0.0.1")
    // The next build for development finds what the one before it had left.
    expectEqual(EnvironmentStore(build: .develop, storage: storage).current, .test)
  }

  @Test func whatIsNotAmongTheChoicesIsRefused() throws {
    let store = EnvironmentStore(choices: [.develop, .test], storage: storage)
    try store.switch(to: .test)
    for other in [.custom, .release, ServiceEnvironment(rawValue: "demo")] {
      let error = #expect(throws: NetworkError.self) { try store.switch(to: other) }
      expectEqual(error?.code, .switchRefused)
      expectEqual(error?.reason.contains(other.rawValue), true)
    }
    expectEqual(store.current, .test)
    expectEqual(storage.read("environment"), "test")
  }

  @Test("S0-15") func otherBuildsMaySwitchToRelease() throws {
    let store = EnvironmentStore(build: .develop, storage: storage)
    try store.switch(to: .release)
    expectEqual(store.current, .release)
    expect(store.canSwitch)
    try store.switch(to: .develop)
    expectEqual(store.current, .develop)
  }

  @Test("S0-16") func subscribersGetTheCurrentStateAndThenEveryChange() throws {
    let store = EnvironmentStore(storage: storage)
    let first = SignalRecorder(store.states)
    expectEqual(first.values.map(\.environment), [.develop])
    try store.switch(to: .test)
    let second = SignalRecorder(store.states)
    try store.switch(to: .test)
    try store.switch(to: .hotfix)
    second.dispose()
    try store.reset()
    try store.reset()
    expectEqual(first.values.map(\.environment), [.develop, .test, .hotfix, .develop])
    expectEqual(second.values.map(\.environment), [.test, .hotfix])
    expect(first.violations.isEmpty)
    expect(!first.hasEnded)
  }

  @Test("S0-17") func theCustomAddressIsOneForAllAndSaved() throws {
    let store = EnvironmentStore(storage: storage)
    let recorder = SignalRecorder(store.states)
    let (one, two) = (try url("http://10.0.0.1:8080/base"), try url("https://local.example"))
    try store.setCustomAddress(one)
    expectEqual(store.customAddress, one)
    expectEqual(store.state, State(environment: .develop))
    try store.switch(to: .custom)
    try store.setCustomAddress(two)
    try store.setCustomAddress(two)
    expectEqual(EnvironmentStore(storage: storage).state, State(environment: .custom, customAddress: two))
    try store.setCustomAddress(nil)
    expectNil(storage.read("customAddress"))
    try store.setCustomAddress(one)
    try store.reset()
    expectEqual(store.customAddress, one)
    expectEqual(
      recorder.values,
      [
        State(environment: .develop), State(environment: .custom, customAddress: one),
        State(environment: .custom, customAddress: two), State(environment: .custom),
        State(environment: .custom, customAddress: one), State(environment: .develop),
      ])
    expectEqual(EnvironmentStore(build: .custom, storage: storage).state.customAddress, one)
  }

  @Test(
    "S0-17",
    arguments: [
      "/path", "example.com", "ftp://example.com", "file:///a", "http:", "http:///a", "mailto:a@b",
      "http://ada@10.0.0.1", "https://ada:pw@example.com/a", "http://10.0.0.1:0", "https://example.com:0/a",
    ]
  ) func whatIsNoAddressOfAServerIsRefused(_ text: String) throws {
    let store = EnvironmentStore(build: .custom, storage: storage)
    let good = try url("HTTPS://[::1]:8443")
    try store.setCustomAddress(good)
    let error = #expect(throws: NetworkError.self) { try store.setCustomAddress(try url(text)) }
    expectEqual(error?.code, .invalidURL)
    expectEqual(store.customAddress, good)
    expectEqual(storage.read("customAddress"), "HTTPS://[::1]:8443")
    let saved = EnvironmentStorage.memory(["environment": "custom", "customAddress": text])
    expectEqual(EnvironmentStore(storage: saved).state, State(environment: .custom))
    expectEqual(saved.read("customAddress"), text)
  }

  @Test func anAddressWithABaseIsResolved() throws {
    let store = EnvironmentStore(build: .custom, storage: storage)
    try store.setCustomAddress(URL(string: "/v2", relativeTo: try url("http://10.0.0.1")))
    expectEqual(store.customAddress?.absoluteString, "http://10.0.0.1/v2")
    expectEqual(storage.read("customAddress"), "http://10.0.0.1/v2")
    expectEqual(store.customAddress, EnvironmentStore(storage: storage).customAddress)
  }

  @Test func theStoreIsNotKeptAliveBySubscribers() {
    weak var gone: EnvironmentStore?
    let recorder: SignalRecorder<EnvironmentStore.State, Never>
    do {
      let store = EnvironmentStore(storage: storage)
      gone = store
      recorder = SignalRecorder(store.states)
    }
    expectNil(gone)
    expectEqual(recorder.events.count, 1)
  }
}
