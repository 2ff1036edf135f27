import Foundation
import HeliographTestSupport
import Signals
import TestSupport
import Testing

@testable import Heliograph

struct DiskStoreEvictionTests {
  private let folder = StoreFolder()

  /// The size of a block, which each file occupies at least.
  private let block = 4_096

  /// Writes entries whose files occupy one block each.
  private func fill(_ store: DiskStore, _ numbers: Range<Int>) {
    for number in numbers { expect(store.put(.number(number), head: .pattern(100), body: .pattern(844))) }
  }

  /// Makes the entries used one after another, more than a minute ago.
  private func age(_ numbers: Range<Int>) throws {
    for number in numbers { try folder.setUsed(.number(number), secondsAgo: 1_000 - Double(number)) }
  }

  private func present(_ store: DiskStore, _ numbers: Range<Int>) -> [Int] {
    numbers.filter { store.has(.number($0)) }
  }

  @Test("S3-5") func theLeastRecentlyUsedAreEvictedDownToNineTenths() throws {
    let evictions = Guarded<[[Int]]>([])
    let store = try folder.store(
      capacity: 10 * block, evicted: { count, byteCount in evictions.withLock { $0.append([count, byteCount]) } })
    fill(store, 0..<10)
    store.waitForReclaim()
    expectEqual(folder.files.count, 10)
    expect(evictions.withLock { $0 }.isEmpty)
    try age(0..<10)
    expect(store.body(.number(0)) != nil)
    expect(store.body(.number(2)) != nil)
    fill(store, 10..<11)
    store.waitForReclaim()
    expectEqual(present(store, 0..<11), [0, 2, 4, 5, 6, 7, 8, 9, 10])
    expectEqual(folder.byteCount, 9 * block)
    expectEqual(evictions.withLock { $0 }, [[2, 2 * block]])
  }

  @Test func theOrderOfUseSurvivesARestart() throws {
    let store = try folder.store(capacity: 10 * block)
    fill(store, 0..<10)
    try age(0..<10)
    expect(store.body(.number(0)) != nil)
    expect(store.body(.number(3)) != nil)
    let next = try folder.store(capacity: 6 * block)
    next.waitForReclaim()
    expectEqual(present(next, 0..<10), [0, 3, 7, 8, 9])
    expectEqual(folder.byteCount, 5 * block)
  }

  @Test func useIsRecordedOnceAMinute() throws {
    let store = try folder.store()
    fill(store, 0..<1)
    // It takes a time in the future for the present.
    store.waitForReclaim()
    for (age, isRenewed) in [(50.0, false), (70, true), (1e8, true), (-50, false), (-70, true)] {
      try folder.setUsed(.number(0), secondsAgo: age)
      expect(store.body(.number(0)) != nil)
      let usedAt = try require(try folder.usedAt(.number(0)))
      expectEqual((abs(usedAt.timeIntervalSinceNow) < 30), isRenewed)
    }
  }

  /// A time of use in the future, after the clock was set back, does not keep an entry for ever.
  @Test func timesInTheFutureCountAsNow() throws {
    let store = try folder.store(capacity: 10 * block)
    fill(store, 0..<10)
    try folder.setUsed(.number(0), secondsAgo: -1e6)
    let next = try folder.store(capacity: 10 * block)
    next.waitForReclaim()
    try expect(require(folder.usedAt(.number(0))).timeIntervalSinceNow < 1)
  }

  @Test func aBurstOfWritesDoesNotWaitAndTheLimitIsKeptSoon() throws {
    let store = try folder.store(capacity: 20 * block)
    store.waitForReclaim()
    store.queue.suspend()
    fill(store, 0..<500)
    expectEqual(folder.files.count, 500)
    store.queue.resume()
    store.waitForReclaim()
    expect(folder.byteCount <= 20 * block)
  }

  @Test func afterALowerLimitEntriesAreEvictedAtTheStart() throws {
    fill(try folder.store(), 0..<50)
    let store = try folder.store(capacity: 10 * block)
    store.waitForReclaim()
    expectEqual(folder.byteCount, 9 * block)
  }

  @Test func belowTheReserveNothingIsWrittenAndEntriesAreEvicted() throws {
    let free = FreeSpace(100_000)
    let evicted = Guarded(0)
    let store = try folder.store(
      capacity: 20 * block, reserve: 50_000, available: { free.value },
      evicted: { count, _ in evicted.withLock { $0 += count } })
    fill(store, 0..<20)
    store.waitForReclaim()
    try age(0..<20)
    free.value = 42_000
    expectNil(store.writer(for: .number(30), head: Data()))
    store.waitForReclaim()
    // The 8,000 bytes that are missing, and a tenth of the capacity.
    expectEqual(evicted.withLock { $0 }, 4)
    expectEqual(present(store, 0..<20), Array(4..<20))
    free.value = 52_000
    fill(store, 30..<31)
    // It does not fit, though the disk is not below the reserve yet: nothing has to be evicted for that.
    expectNil(store.writer(for: .number(31), head: .pattern(3_000)))
    store.waitForReclaim()
    expectEqual(evicted.withLock { $0 }, 4)
  }

  /// The free space is read once for each write, and once for each sweep that it starts.
  @Test func anEmptyStoreBelowTheReserveIsSweptOnceForManyWrites() throws {
    let free = FreeSpace(0)
    let reads = Guarded(0)
    let store = try folder.store(
      capacity: 20 * block, reserve: 50_000,
      available: {
        reads.withLock { $0 += 1 }
        return free.value
      })
    store.waitForReclaim()
    for number in 0..<5 {
      expectNil(store.writer(for: .number(number), head: Data()))
      store.waitForReclaim()
    }
    expectEqual(reads.withLock { $0 }, 6)
    // A sweep has something to remove again after a write.
    free.value = 100_000
    fill(store, 0..<1)
    free.value = 0
    expectNil(store.writer(for: .number(1), head: Data()))
    store.waitForReclaim()
    expect(folder.files.isEmpty)
  }

  /// Of the disk, or of the user's quota; without a reserve, only a failed write tells.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"))) func aWriteToAFullDiskEvictsEntries() throws
  {
    let store = try folder.store(capacity: 10 * block)
    fill(store, 0..<5)
    store.waitForReclaim()
    try age(0..<5)
    let full = OpenFile(descriptor: open("/dev/full", O_WRONLY))
    expect(!Data([1]).withUnsafeBytes { store.write($0, to: full, at: 0) })
    store.waitForReclaim()
    expectEqual(present(store, 0..<5), [1, 2, 3, 4])
  }

  @Test func theReserveIsCheckedWithinALargeWrite() throws {
    let free = FreeSpace(10_000_000)
    let store = try folder.store(capacity: 100_000_000, reserve: 5_000_000, available: { free.value })
    let writer = try require(store.writer(for: .number(1), head: Data()))
    expect(writer.append(.pattern(600_000)))
    free.value = 5_000_000
    expect(!writer.append(.pattern(600_000)))
    expect(!writer.commit())
    expect(folder.temporaries.isEmpty)
    free.value = nil
    expect(store.put(.number(1), body: .pattern(3_000_000)))
  }

  @Test func theSystemTellsTheFreeSpace() throws {
    let store = try folder.store()
    try expect(require(store.folder.availableByteCount) > 0)
    try expectNil(folder.store(reserve: .max).writer(for: .number(1), head: Data()))
  }
}

/// A number of free bytes that a test changes.
private final class FreeSpace: Sendable {
  private let count: Guarded<Int64?>

  init(_ count: Int64?) { self.count = Guarded(count) }

  var value: Int64? {
    get { count.withLock { $0 } }
    set { count.withLock { $0 = newValue } }
  }
}
