import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

/// Which environment a build starts with.
struct EnvironmentPriorityTests {
  /// Build setting, then what is current if nothing is saved, and with each saved value in the order of the head.
  private static let table = """
    build       -           develop     test        preRelease  release     hotfix      custom
    develop     develop     develop     test        preRelease  release     hotfix      custom
    test        test        develop     test        preRelease  release     hotfix      custom
    preRelease  preRelease  develop     test        preRelease  release     hotfix      custom
    release     release     release     release     release     release     release     release
    hotfix      hotfix      develop     test        preRelease  release     hotfix      custom
    custom      custom      develop     test        preRelease  release     hotfix      custom
    -           develop     develop     test        preRelease  release     hotfix      custom
    """

  @Test("S0-13") func everyBuildWithEverySavedValue() throws {
    let rows = Self.table.split(separator: "\n").map { $0.split(separator: " ").map { String($0) } }
    var count = 0
    for row in rows.dropFirst() {
      for (saved, expected) in zip(rows[0].dropFirst(), row.dropFirst()) {
        let strings = saved == "-" ? [:] : ["environment": saved]
        let storage = EnvironmentStorage.memory(strings)
        let store = EnvironmentStore(
          build: row[0] == "-" ? nil : ServiceEnvironment(rawValue: row[0]), storage: storage)
        expectEqual(store.current.rawValue, expected, "build \(row[0]), saved \(saved)")
        expectEqual(store.canSwitch, (row[0] != "release"), "build \(row[0]), saved \(saved)")
        expectEqual(storage.read("environment"), strings["environment"])
        count += 1
      }
    }
    expectEqual(count, 42 + 7)
  }

  @Test("S0-12, T9") func withoutASavedValueTheBuildSettingCounts() {
    expectEqual(EnvironmentStore(build: .hotfix, storage: .memory()).current, .hotfix)
    expectEqual(EnvironmentStore(build: .test, storage: .memory()).current, .test)
    expectEqual(EnvironmentStore(storage: .memory()).current, .develop)
    expectNil(EnvironmentStore(storage: .memory()).build)
  }

  @Test(
    "T10 S0-14", arguments: ["", "2", "Test", "test ", "nonsense", "\u{0}", String(repeating: "x", count: 100_000)])
  func anUnknownValueIsIgnoredAndLeftAlone(_ saved: String) throws {
    let storage = EnvironmentStorage.memory(["environment": saved])
    let store = EnvironmentStore(build: .test, storage: storage)
    expectEqual(store.current, .test)
    try store.setCustomAddress(URL(string: "http://10.0.0.1"))
    expectEqual(storage.read("environment"), saved)
    expectEqual(EnvironmentStore(build: .hotfix, storage: storage).current, .hotfix)
    try store.switch(to: .preRelease)
    expectEqual(EnvironmentStore(build: .hotfix, storage: storage).current, .preRelease)
  }

  @Test func onlyWhatIsAmongTheChoicesIsTakenFromTheStorage() {
    let demo = ServiceEnvironment(rawValue: "demo")
    let storage = EnvironmentStorage.memory(["environment": "demo"])
    expectEqual(EnvironmentStore(storage: storage).current, .develop)
    expectEqual(EnvironmentStore(choices: [.test, demo], storage: storage).current, demo)
    expectEqual(EnvironmentStore(build: .release, choices: [demo], storage: storage).current, .release)
    expectEqual(storage.read("environment"), "demo")
  }

  @Test("S0-16") func choicesAreWithoutRepetitionsAndHoldWhatTheBuildStartsWith() {
    let demo = ServiceEnvironment(rawValue: "demo")
    expectEqual(EnvironmentStore(storage: .memory()).choices, ServiceEnvironment.predefined)
    let some = EnvironmentStore(choices: [.test, demo, .test], storage: .memory())
    expectEqual(some.choices, [.test, demo, .develop])
    expectEqual(EnvironmentStore(build: demo, choices: [], storage: .memory()).choices, [demo])
    expectEqual(EnvironmentStore(build: .test, choices: [.test], storage: .memory()).choices, [.test])
  }
}
