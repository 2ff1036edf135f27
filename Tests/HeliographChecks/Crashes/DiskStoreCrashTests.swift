import Foundation
import Heliograph
import HeliographTestSupport
import StoreFixtures
import TestSupport
import Testing

/// Processes that are killed while they write, and others that go on with their folder.
@Suite(.serialized) struct DiskStoreCrashTests {
  private let folder = StoreFolder()
  private let entries = StoredEntries(count: 300)

  /// The number of kills; more of them by the environment.
  private static let killCount = Scale.isFull ? 300 : Scale.isMedium ? 60 : 20

  /// Starts a process that uses the folder, and kills it at any time.
  private func killOne(capacity: Int) async throws {
    let pipe = Pipe()
    let child = try Child.probe(
      ["store", folder.url.path, "\(capacity)", "\(entries.count)", "2", "600"], output: pipe.fileHandleForWriting)
    try pipe.fileHandleForWriting.close()
    let first = pipe.fileHandleForReading
    _ = try await onThread { try first.read(upToCount: 8) }
    // sleeps: the kill comes at any time.
    try await Task.sleep(for: .milliseconds(Int.random(in: 0..<50)))
    child.end()
    expectEqual(await child.wait(), -1)
  }

  /// Looks at every entry; returns what is wrong.
  private func problems(in store: DiskStore) -> [String] {
    (0..<entries.count).compactMap { entries.problem($0, in: store) }
  }

  @Test func afterAKillEveryEntryIsWhole() async throws {
    let others = 10_000
    do {
      let store = try folder.store(capacity: 100_000_000)
      for number in 0..<others { store.put(.number(number, account: 9), body: Data("\(number)".utf8)) }
      store.waitForReclaim()
    }
    for _ in 0..<Self.killCount / 2 {
      try await killOne(capacity: 100_000_000)
      let store = try folder.store(capacity: 100_000_000)
      let number = Int.random(in: 0..<others)
      let outcome = store.open(.number(number, account: 9))
      guard case .found = outcome else {
        Issue.record("\(number): \(outcome)")
        return
      }
      expectEqual(problems(in: store), [])
      store.waitForReclaim()
      expect(folder.temporaries.isEmpty)
    }
    let store = try folder.store(capacity: 100_000_000)
    expect((0..<others).allSatisfy { store.body(.number($0, account: 9)) == Data("\($0)".utf8) })
  }

  /// The folder is read in the background.
  @Test func theStartTakesTheSameTimeWithManyEntries() throws {
    let folders = try [100, 10_000].map { count in
      let folder = StoreFolder()
      let store = try folder.store(capacity: 100_000_000)
      for number in 0..<count { store.put(.number(number), body: Data("\(number)".utf8)) }
      store.waitForReclaim()
      return folder
    }
    let factor = growth(from: 0, to: 1) { index in
      let store = try? folders[index].store(capacity: 100_000_000)
      expectEqual(store?.body(.number(7)), Data("7".utf8))
    }
    expect(factor < 10, "\(factor)")
  }

  @Test("S3-5") func afterAKillTheLimitIsKept() async throws {
    for _ in 0..<Self.killCount / 2 {
      try await killOne(capacity: 800_000)
      let store = try folder.store(capacity: 800_000)
      expectEqual(problems(in: store), [])
      store.waitForReclaim()
      expect(folder.byteCount <= 800_000)
      expect(folder.temporaries.isEmpty)
    }
  }
}
