import Foundation
import Heliograph
import HeliographTestSupport
import Signals
import TestSupport
import Testing

struct DiskStoreRemovalTests {
  private let folder = StoreFolder()

  @Test func oneEntry() throws {
    let store = try folder.store()
    for number in 0..<3 { store.put(.number(number), body: .pattern(number)) }
    store.remove(.number(1))
    store.remove(.number(7))
    expectEqual(store.outcome(.number(1)), "absent")
    expectEqual(store.body(.number(0)), .pattern(0))
    expectEqual(folder.files.count, 2)
  }

  @Test func byAccountAndService() throws {
    let store = try folder.store()
    var names: [EntryName] = []
    for number in 0..<300 {
      let name = EntryName.number(number, account: UInt32(number % 3), service: UInt32(number % 2))
      names.append(name)
      store.put(name, body: .pattern(number))
    }
    store.removeAll { $0.account == 2 }
    expect(names.allSatisfy { store.has($0) == ($0.account != 2) })
    store.removeAll { $0.account == 1 && $0.service == 0 }
    expectEqual(names.filter { store.has($0) }.count, 150)
    expectEqual(folder.files.count, 150)
    store.removeAll { _ in true }
    expect(folder.files.isEmpty)
  }

  /// Also of entries that another store has written.
  @Test func entriesOfOtherStores() throws {
    let (store, other) = (try folder.store(), try folder.store())
    other.put(.number(1), body: .pattern(1))
    store.removeAll { $0 == .number(1) }
    expectEqual(other.outcome(.number(1)), "absent")
    other.put(.number(2), body: .pattern(1))
    store.remove(.number(2))
    expectEqual(other.outcome(.number(2)), "absent")
  }

  @Test(arguments: [true, false]) func aWriterFromBeforeDoesNotCommit(_ isOwn: Bool) throws {
    let store = try folder.store()
    let remover = isOwn ? store : try folder.store()
    let writers = try (0..<3).map { number in
      try require(store.writer(for: .number(number, account: UInt32(number)), head: Data()))
    }
    for writer in writers { expect(writer.append(.pattern(100))) }
    remover.removeAll { $0.account == 1 }
    remover.remove(.number(2, account: 2))
    let outcomes = writers.map { $0.append(.pattern(100)) && $0.commit() }
    expectEqual(outcomes, [true, false, false])
    expectEqual(folder.files.count, 1)
    expect(folder.temporaries.isEmpty)
    // A writer from afterwards does.
    for number in 1...2 { expect(store.put(.number(number, account: UInt32(number)), body: .pattern(10))) }
  }

  /// The condition is called between the parts of a removal: whatever is committed then has begun before it.
  @Test func nothingFromBeforeIsFoundAfterARemoval() throws {
    let store = try folder.store()
    let names = (0..<600).map { EntryName.number($0) }
    for number in stride(from: 0, to: 600, by: 3) { store.put(names[number], body: .pattern(10)) }
    for number in stride(from: 2, to: 600, by: 3) { store.put(names[number], body: .pattern(10)) }
    let writers = Guarded(
      try stride(from: 1, to: 600, by: 3).map { number in
        try require(store.writer(for: names[number], head: Data()))
      })
    let copied = Guarded(stride(from: 2, to: 600, by: 3).map { names[$0] })
    store.removeAll { _ in
      _ = writers.withLock { $0.popLast() }?.commit()
      if let name = copied.withLock({ $0.popLast() }) { _ = store.replaceHead(of: name, with: .pattern(5)) }
      return true
    }
    expect(folder.files.isEmpty)
    expect(names.allSatisfy { store.outcome($0) == "absent" })
    expect(writers.withLock { $0 }.isEmpty)
    expect(copied.withLock { $0 }.isEmpty)
    expect(folder.temporaries.isEmpty)
  }

  /// As a copy with a new head may: it begins in the middle of a removal, with an entry that is still there.
  @Test(arguments: [true, false]) func aWriterFromTheMiddleDoesNotCommit(_ isCommittedDuringIt: Bool) throws {
    let store = try folder.store()
    let name = EntryName.number(1)
    store.put(name, body: .pattern(10))
    let writer = Guarded<DiskWriter?>(nil)
    let calls = Guarded(0)
    store.removeAll { _ in
      let call = calls.withLock { calls in
        calls += 1
        return calls
      }
      // The first call is for the entry, the second one for the temporary file.
      if call == 1 {
        let new = store.writer(for: name, head: Data())
        writer.withLock { $0 = new }
      } else if call == 2, isCommittedDuringIt {
        expectEqual(writer.withLock { $0 }?.commit(), true)
      }
      return true
    }
    expectEqual(calls.withLock { $0 }, 2)
    expectEqual(store.outcome(name), "absent")
    expectEqual(writer.withLock { $0 }?.commit(), false)
    expectEqual(store.outcome(name), "absent")
  }

  /// As without a free descriptor, the names of the entries cannot be read for a while.
  @Test func whatCannotBeRemovedIsNotFound() throws {
    let store = try folder.store()
    for number in 0..<3 { store.put(.number(number, account: UInt32(number)), body: .pattern(10)) }
    let shard = folder.file(.number(1)).deletingLastPathComponent()
    let elsewhere = folder.url.appendingPathComponent("elsewhere")
    try FileManager.default.moveItem(at: shard, to: elsewhere)
    try FileManager.default.createSymbolicLink(at: shard, withDestinationURL: shard)
    store.removeAll { $0.account < 2 }
    expect(!store.has(.number(0)))
    try FileManager.default.removeItem(at: shard)
    try FileManager.default.moveItem(at: elsewhere, to: shard)
    expect(store.has(.number(1, account: 1)))
    expectEqual(store.outcome(.number(1, account: 1)), "absent")
    expectEqual(store.outcome(.number(2, account: 2)), "found")
    store.waitForReclaim()
    expect(!store.has(.number(1, account: 1)))
    store.put(.number(1, account: 1), body: .pattern(20))
    expectEqual(store.body(.number(1, account: 1)), .pattern(20))
  }

  @Test func removalsBesideWritersOnOtherThreads() async throws {
    let store = try folder.store()
    let epoch = Guarded(0)
    let wrong = Guarded<[String]>([])
    await together(4) { thread in
      if thread == 0 {
        for _ in 0..<60 {
          let former = epoch.withLock { epoch in
            defer { epoch += 1 }
            return epoch
          }
          store.removeAll { $0.account == 1 }
          for number in 0..<20 {
            // An entry tells the removals that had begun after its writer was created.
            guard let body = store.body(.number(number)), let age = body.first else { continue }
            if age <= UInt8(truncatingIfNeeded: former) { wrong.withLock { $0.append("\(age) \(former)") } }
          }
        }
        return
      }
      for step in 0..<2_000 {
        let name = EntryName.number(step % 20)
        if step % 3 == 0 {
          _ = store.replaceHead(of: name, with: .pattern(step % 50))
          continue
        }
        guard let writer = store.writer(for: name, head: Data()) else { continue }
        // Not before: the writer could begin much later then, which is no fault.
        let now = epoch.withLock { $0 }
        if now >= 60 { break }
        _ = writer.append(Data(repeating: UInt8(now), count: 1 + step % 3 * 50_000)) && writer.commit()
      }
    }
    expectEqual(wrong.withLock { $0 }, [])
  }

  #if os(Linux)
  /// Such as in a file system that has become read-only.
  @Test func whatCannotBeRemovedIsHiddenUntilItIsReplaced() throws {
    let store = try folder.store()
    let name = EntryName.number(1)
    store.put(name, body: .pattern(1))
    guard change("+i", of: name) else { return }
    store.remove(name)
    expectEqual(folder.files.count, 1)
    expectEqual(store.outcome(name), "absent")
    expect(change("-i", of: name))
    expectEqual(store.outcome(name), "absent")
    store.waitForReclaim()
    expect(folder.files.isEmpty)
    expect(store.put(name, body: .pattern(2)))
    expectEqual(store.body(name), .pattern(2))
  }

  /// Changes a file so that not even root can remove it, or back; returns whether that is possible here.
  private func change(_ attribute: String, of name: EntryName) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["chattr", attribute, folder.file(name).path]
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch { return false }
    process.waitUntilExit()  // blocks: for a program that changes one attribute
    return process.terminationStatus == 0
  }
  #endif
}
