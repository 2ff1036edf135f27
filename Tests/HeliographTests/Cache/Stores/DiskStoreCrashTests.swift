import Foundation
import StoreFixtures
import Testing

@testable import Heliograph

/// Processes that are killed while they write, and others that go on with their folder.
@Suite(.serialized) struct DiskStoreCrashTests {
  private let folder = StoreFolder()
  private let entries = StoredEntries(count: 300)

  /// The number of kills; more of them by the environment.
  private static let killCount = Int(ProcessInfo.processInfo.environment["HELIOGRAPH_KILLS"] ?? "") ?? 20

  /// Starts a process that uses the folder, and kills it at any time.
  private func killOne(capacity: Int) throws {
    let pipe = Pipe()
    let child = try Child.probe(
      ["store", folder.url.path, "\(capacity)", "\(entries.count)", "2", "60"], output: pipe.fileHandleForWriting)
    try pipe.fileHandleForWriting.close()
    _ = try pipe.fileHandleForReading.read(upToCount: 8)
    // sleeps: the kill comes at any time.
    Thread.sleep(forTimeInterval: .random(in: 0..<0.05))
    child.end()
    #expect(child.wait() == -1)
  }

  /// Looks at every entry; returns what is wrong.
  private func problems(in store: DiskStore) -> [String] {
    (0..<entries.count).compactMap { entries.problem($0, in: store) }
  }

  @Test func afterAKillEveryEntryIsWholeAndTheStartIsQuick() throws {
    let others = 10_000
    do {
      let store = try folder.store(capacity: 100_000_000)
      for number in 0..<others { store.put(.number(number, account: 9), body: Data("\(number)".utf8)) }
      store.waitForReclaim()
    }
    var durations: [Duration] = []
    for _ in 0..<Self.killCount / 2 {
      try killOne(capacity: 100_000_000)
      let start = ContinuousClock.now
      let store = try folder.store(capacity: 100_000_000)
      let number = Int.random(in: 0..<others)
      let outcome = store.open(.number(number, account: 9))
      durations.append(ContinuousClock.now - start)
      guard case .found = outcome else {
        Issue.record("\(number): \(outcome)")
        return
      }
      #expect(problems(in: store) == [])
      store.waitForReclaim()
      #expect(store.count == folder.files.count && store.byteCount == folder.byteCount && folder.temporaries.isEmpty)
    }
    let store = try folder.store(capacity: 100_000_000)
    #expect((0..<others).allSatisfy { store.body(.number($0, account: 9)) == Data("\($0)".utf8) })
    // One in ten may be slower: other tests run at the same time.
    #expect(durations.sorted()[(durations.count - 1) * 9 / 10] < .milliseconds(250))
    print("start with \(others) entries:", durations.max() ?? .zero, "at most")
  }

  @Test func afterAKillTheLimitIsKept() throws {
    for _ in 0..<Self.killCount / 2 {
      try killOne(capacity: 800_000)
      let store = try folder.store(capacity: 800_000)
      #expect(problems(in: store) == [])
      store.waitForReclaim()
      #expect(store.byteCount == folder.byteCount && folder.byteCount <= 800_000 && folder.temporaries.isEmpty)
    }
  }
}
