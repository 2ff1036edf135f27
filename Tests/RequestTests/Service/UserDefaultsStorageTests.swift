import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

/// Each test has a suite of its own, which is removed afterwards.
struct UserDefaultsStorageTests {
  private func withSuite(_ body: (String, UserDefaults) throws -> Void) throws {
    let name = "heliograph.tests.\(UUID().uuidString)"
    let defaults = try require(UserDefaults(suiteName: name))
    defer {
      defaults.removePersistentDomain(forName: name)
      _ = defaults.synchronize()
    }
    try body(name, defaults)
  }

  @Test("S0-14, S0-17") func whatIsSavedSurvivesARestart() throws {
    try withSuite { name, defaults in
      let store = EnvironmentStore(build: .test, storage: .userDefaults(suiteName: name))
      try store.switch(to: .custom)
      try store.setCustomAddress(URL(string: "http://10.0.0.1:8080"))
      expectEqual(defaults.string(forKey: "heliograph.environment"), "custom")
      expectEqual(defaults.string(forKey: "heliograph.customAddress"), "http://10.0.0.1:8080")
      let next = EnvironmentStore(build: .test, storage: .userDefaults(suiteName: name))
      expectEqual(next.state, store.state)
      expectEqual(next.current, .custom)
      try next.reset()
      try next.setCustomAddress(nil)
      expectNil(defaults.object(forKey: "heliograph.environment"))
      expectNil(defaults.object(forKey: "heliograph.customAddress"))
      expectEqual(EnvironmentStore(build: .test, storage: .userDefaults(suiteName: name)).current, .test)
    }
  }

  @Test func thePrefixKeepsStoresApart() throws {
    try withSuite { name, defaults in
      let (one, two) = ("one.", "two.")
      try EnvironmentStore(storage: .userDefaults(suiteName: name, keyPrefix: one)).switch(to: .test)
      expectEqual(EnvironmentStore(storage: .userDefaults(suiteName: name, keyPrefix: one)).current, .test)
      expectEqual(EnvironmentStore(storage: .userDefaults(suiteName: name, keyPrefix: two)).current, .develop)
      expectEqual(defaults.string(forKey: "one.environment"), "test")
    }
  }

  @Test("T10") func valuesOfOtherTypesAreIgnoredAndLeftAlone() throws {
    let others: [Any] = [2, true, 1.5, Data([1, 2]), ["test"], ["test": 1], Date(timeIntervalSince1970: 0)]
    for other in others {
      try withSuite { name, defaults in
        defaults.set(other, forKey: "heliograph.environment")
        defaults.set(other, forKey: "heliograph.customAddress")
        let store = EnvironmentStore(build: .hotfix, storage: .userDefaults(suiteName: name))
        expectEqual(store.current, .hotfix)
        expectNil(store.customAddress)
        expect(defaults.object(forKey: "heliograph.environment") != nil)
        expect(defaults.object(forKey: "heliograph.customAddress") != nil)
        try store.switch(to: .test)
        expectEqual(EnvironmentStore(storage: .userDefaults(suiteName: name)).current, .test)
      }
    }
  }

  @Test("S0-15") func aBuildForReleaseLeavesItAlone() throws {
    try withSuite { name, defaults in
      defaults.set("test", forKey: "heliograph.environment")
      let store = EnvironmentStore(build: .release, storage: .userDefaults(suiteName: name))
      expectEqual(store.current, .release)
      #expect(throws: NetworkError.self) { try store.reset() }
      expectEqual(defaults.string(forKey: "heliograph.environment"), "test")
    }
  }

  @Test func theAppsOwnDefaultsAreTheDefault() {
    let key = "test.\(UUID().uuidString)"
    let storage = EnvironmentStorage.userDefaults()
    storage.write("value", key)
    expectEqual(UserDefaults.standard.string(forKey: "heliograph.\(key)"), "value")
    storage.write(nil, key)
    expectNil(storage.read(key))
  }
}
