import Foundation
import HeliographTestSupport
import Signals
import TestSupport
import Testing

@testable import Heliograph

struct DiskStoreTests {
  private let folder = StoreFolder()

  @Test(arguments: [0, 1, 31, 32, 33, 100, 4_096, 10_240, 65_535, 65_536, 65_537, 81_920, 81_921, 100_000, 307_200])
  func anyLength(_ count: Int) throws {
    let store = try folder.store()
    for headCount in [0, 5, 16_384, 20_000] {
      let (head, body) = (Data.pattern(headCount, seed: 7), Data.pattern(count))
      expect(store.put(.number(1), head: head, body: body))
      for store in [store, try folder.store()] {
        guard case .found(let entry) = store.open(.number(1)) else {
          Issue.record("not found")
          return
        }
        expectEqual(entry.head, head)
        expectEqual(entry.bodyByteCount, count)
        expect(entry.verify())
        expect(entry.verify())
        expectEqual(entry.readBody(), body)
        for (offset, length) in [(0, count), (0, 10), (count / 2, 1_000), (count, 5), (0, .max)] {
          expectEqual(entry.read(at: offset, count: length), body[offset...].prefix(length))
        }
        expectNil(entry.read(at: -1, count: 1))
        expectNil(entry.read(at: 0, count: -1))
        expectNil(entry.read(at: count + 1, count: 1))
      }
    }
    expect(folder.temporaries.isEmpty)
    expectEqual(folder.files.count, 1)
  }

  @Test func twentyMegabytesInPieces() throws {
    let store = try folder.store(capacity: 50_000_000)
    let body = Data.pattern(20_000_000)
    let writer = try require(store.writer(for: .number(1), head: Data("head".utf8)))
    for start in stride(from: 0, to: body.count, by: 100_000) {
      expect(writer.append(body[start..<min(start + 100_000, body.count)]))
    }
    expect(!store.has(.number(1)))
    expect(writer.commit())
    guard case .found(let entry) = store.open(.number(1)) else {
      Issue.record("not found")
      return
    }
    // Without a call of `verify` before: then it does it itself.
    expectEqual(entry.read(at: 19_999_990, count: 100), body.suffix(10))
    expectEqual(entry.readBody(), body)
    expect(store.replaceHead(of: .number(1), with: Data("new".utf8)))
    guard case .found(let changed) = store.open(.number(1)) else {
      Issue.record("not found")
      return
    }
    expectEqual(changed.head, Data("new".utf8))
    expectEqual(changed.readBody(), body)
    expectEqual(folder.byteCount, 20_000_768)
  }

  @Test func aNewHead() throws {
    let store = try folder.store()
    expect(!store.replaceHead(of: .number(1), with: Data()))
    for count in [0, 100, 200_000] {
      store.put(.number(1), body: .pattern(count))
      expect(store.replaceHead(of: .number(1), with: .pattern(50)))
      guard case .found(let entry) = store.open(.number(1)) else {
        Issue.record("not found")
        return
      }
      expectEqual(entry.head, .pattern(50))
      expectEqual(entry.readBody(), .pattern(count))
      expect(!store.replaceHead(of: .number(1), with: Data(count: EntryPrologue.headLimit + 1)))
    }
    expect(folder.temporaries.isEmpty)
  }

  /// An entry that is written while its head is replaced is the newer one.
  @Test func aNewHeadDoesNotReplaceANewerEntry() throws {
    let slot = Guarded<DiskStore?>(nil)
    let checks = Guarded(0)
    let store = try folder.store(
      available: {
        let isWithinTheCopy = checks.withLock { checks in
          checks += 1
          return checks == 2
        }
        if isWithinTheCopy { slot.withLock { $0 }?.put(.number(1), body: .pattern(10)) }
        return nil
      })
    store.put(.number(1), body: .pattern(1_100_000))
    slot.withLock { $0 = store }
    checks.withLock { $0 = 0 }
    expect(!store.replaceHead(of: .number(1), with: Data("new".utf8)))
    expectEqual(store.body(.number(1)), .pattern(10))
    expect(folder.temporaries.isEmpty)
    slot.withLock { $0 = nil }
  }

  @Test("S3-10") func anEntryIsReplacedWhole() throws {
    let store = try folder.store()
    store.put(.number(1), head: Data("a".utf8), body: .pattern(100_000))
    guard case .found(let former) = store.open(.number(1)) else {
      Issue.record("not found")
      return
    }
    store.put(.number(1), head: Data("b".utf8), body: .pattern(10))
    expectEqual(store.body(.number(1)), .pattern(10))
    expectEqual(folder.files.count, 1)
    store.remove(.number(1))
    // What was opened before stays readable.
    expectEqual(former.readBody(), .pattern(100_000))
    expectEqual(former.read(at: 99_999, count: 1)?.count, 1)
  }

  @Test func aWriterThatIsNotCommittedLeavesNothing() throws {
    let store = try folder.store()
    do {
      let writer = try require(store.writer(for: .number(1), head: Data()))
      expect(writer.append(.pattern(1_000)))
      expectEqual(folder.temporaries.count, 1)
    }
    expect(folder.temporaries.isEmpty)
    expect(folder.files.isEmpty)
    expectEqual(store.outcome(.number(1)), "absent")
    let writer = try require(store.writer(for: .number(1), head: Data()))
    expect(writer.commit())
    expect(!writer.commit())
    expect(!writer.append(.pattern(1)))
    expectEqual(store.body(.number(1)), Data())
  }

  @Test func anEntryBeyondHalfOfTheCapacityIsRefused() throws {
    let store = try folder.store(capacity: 10_000)
    expectNil(store.writer(for: .number(1), head: .pattern(5_000)))
    expect(store.put(.number(1), head: Data(), body: .pattern(4_944)))
    expect(!store.put(.number(2), head: Data(), body: .pattern(4_945)))
    let writer = try require(store.writer(for: .number(2), head: Data()))
    expect(writer.append(.pattern(4_000)))
    expect(!writer.append(.pattern(4_000)))
    expect(!writer.commit())
    expect(folder.temporaries.isEmpty)
    expectEqual(folder.files.count, 1)
    try expectNil(folder.store(capacity: 0).writer(for: .number(1), head: Data()))
    let large = try folder.store(capacity: 100_000_000)
    expect(large.writer(for: .number(3), head: Data(count: EntryPrologue.headLimit)) != nil)
    expectNil(large.writer(for: .number(3), head: Data(count: EntryPrologue.headLimit + 1)))
  }
}
