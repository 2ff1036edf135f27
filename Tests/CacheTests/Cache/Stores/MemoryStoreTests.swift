import Heliograph
import HeliographTestSupport
import Signals
import TestSupport
import Testing

struct MemoryStoreTests {
  private let store = MemoryStore<String>(capacity: 100)

  @Test("S3-10") func theLeastRecentlyUsedAreEvicted() {
    for number in 0..<5 { expect(store.insert("\(number)", cost: 20, for: .number(number)).isEmpty) }
    expectEqual(store.count, 5)
    expectEqual(store.value(for: .number(0)), "0")
    expectEqual(store.insert("5", cost: 25, for: .number(5)), [.number(1), .number(2)])
    expectEqual(store.count, 4)
    expectNil(store.value(for: .number(1)))
    expectNil(store.value(for: .number(2)))
    expectEqual(store.value(for: .number(0)), "0")
    expectEqual(store.value(for: .number(5)), "5")
    // 3 and 4 are now the least recently used ones.
    expectEqual(store.insert("6", cost: 20, for: .number(6)), [.number(3)])
    expectEqual(store.value(for: .number(4)), "4")
  }

  @Test func aValueIsReplacedWithItsCost() {
    store.insert("a", cost: 20, for: .number(1))
    store.insert("b", cost: 5, for: .number(1))
    expectEqual(store.value(for: .number(1)), "b")
    expectEqual(store.count, 1)
    store.insert("c", cost: -5, for: .number(1))
    expectEqual(store.value(for: .number(1)), "c")
    expectNothingIsCounted()
  }

  /// Four values, each with a quarter of the capacity as its cost, evict nothing; a fifth does.
  private func expectNothingIsCounted() {
    for number in 100..<104 { expectEqual(store.insert("", cost: 25, for: .number(number)), []) }
    expect(!store.insert("", cost: 25, for: .number(104)).isEmpty)
  }

  @Test func aLargeValueIsNotKeptAndReplacesTheFormerOne() {
    store.insert("a", cost: 25, for: .number(1))
    expectEqual(store.value(for: .number(1)), "a")
    expect(store.insert("b", cost: 26, for: .number(1)).isEmpty)
    expectNil(store.value(for: .number(1)))
    expectEqual(store.count, 0)
    let none = MemoryStore<String>(capacity: -1)
    none.insert("a", cost: 1, for: .number(1))
    expectEqual(none.count, 0)
  }

  @Test func removal() {
    for number in 0..<10 { store.insert("", cost: 10, for: .number(number, account: UInt32(number % 2))) }
    store.remove(.number(0, account: 0))
    store.remove(.number(77))
    expectEqual(store.count, 9)
    store.removeAll { $0.account == 1 }
    expectEqual(store.count, 4)
    store.removeAll { _ in true }
    expectEqual(store.count, 0)
    expectNothingIsCounted()
  }

  /// What was read from elsewhere is older than what was stored or removed meanwhile.
  @Test func aReadStoresNothingOverAChange() {
    let changes: [@Sendable (MemoryStore<String>) -> String?] = [
      { _ in "read" },
      { store in
        store.insert("new", cost: 1, for: .number(1))
        return "new"
      },
      { store in
        store.insert("too large", cost: 50, for: .number(1))
        return nil
      },
      { store in
        store.remove(.number(1))
        return nil
      },
      { store in
        store.removeAll { _ in true }
        return nil
      },
      { store in
        store.insert("other", cost: 1, for: .number(2))
        return "read"
      },
    ]
    for change in changes {
      let store = MemoryStore<String>(capacity: 100)
      expectNil(store.valueOrBeginRead(of: .number(1)))
      expectNil(store.valueOrBeginRead(of: .number(1)))
      let expected = change(store)
      store.endRead(of: .number(1), "read", cost: 10)
      expectEqual(store.value(for: .number(1)), expected)
      store.endRead(of: .number(1), nil, cost: 0)
      // A read that begins now is not stale.
      store.remove(.number(1))
      expectNil(store.valueOrBeginRead(of: .number(1)))
      store.endRead(of: .number(1), "later", cost: 10)
      expectEqual(store.valueOrBeginRead(of: .number(1)), "later")
    }
  }

  /// With the lock held, a call from `deinit` would never return.
  @Test func valuesAreDeallocatedWithoutTheLock() {
    let store = MemoryStore<Caller>(capacity: 100)
    for number in 0..<20 { store.insert(Caller(store), cost: 10, for: .number(number)) }
    store.insert(Caller(store), cost: 10, for: .number(19))
    store.remove(.number(19))
    store.removeAll { _ in true }
    expectEqual(store.count, 0)
  }

  @Test func eightThreads() async {
    let store = MemoryStore<Int>(capacity: 1_000)
    let wrong = Guarded(0)
    await together(8) { thread in
      var generator = SystemRandomNumberGenerator()
      for step in 0..<3_000 {
        let number = Int.random(in: 0..<200, using: &generator)
        switch step % 5 {
        case 0, 1: store.insert(number, cost: 10, for: .number(number))
        case 2: store.remove(.number(number))
        case 3 where step % 500 == 3: store.removeAll { $0.api % 8 == UInt32(thread) }
        default:
          if let value = store.value(for: .number(number)), value != number { wrong.withLock { $0 += 1 } }
        }
      }
    }
    expectEqual(wrong.withLock { $0 }, 0)
    expect(store.count <= 100)
    store.removeAll { _ in true }
    for number in 0..<100 { expectEqual(store.insert(0, cost: 10, for: .number(number)), []) }
    expectEqual(store.insert(0, cost: 10, for: .number(100)), [.number(0)])
  }
}

/// A value that calls its store when it is deallocated.
private final class Caller: Sendable {
  private let store: MemoryStore<Caller>

  init(_ store: MemoryStore<Caller>) { self.store = store }

  deinit { _ = store.count }
}
