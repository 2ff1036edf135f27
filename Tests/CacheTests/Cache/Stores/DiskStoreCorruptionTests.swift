import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

struct DiskStoreCorruptionTests {
  private let folder = StoreFolder()
  private let name = EntryName.number(1)

  @Test func everyChangedByteIsNoticed() throws {
    let store = try folder.store()
    store.put(name, head: .pattern(40), body: .pattern(60))
    let content = try Data(contentsOf: folder.file(name))
    expectEqual(content.count, 156)
    for index in content.indices {
      for change: UInt8 in [0x01, 0x80, 0xFF] {
        var wrong = content
        wrong[index] ^= change
        try wrong.write(to: folder.file(name))
        expectEqual(store.outcome(name), "corrupt")
        expectEqual(store.outcome(name), "absent")
        expect(folder.files.isEmpty)
      }
    }
    try content.write(to: folder.file(name))
    expectEqual(store.body(name), .pattern(60))
  }

  @Test func everyOtherLengthIsNoticed() throws {
    let store = try folder.store()
    store.put(name, head: .pattern(40), body: .pattern(60))
    let content = try Data(contentsOf: folder.file(name))
    for count in 0..<content.count {
      try content.prefix(count).write(to: folder.file(name))
      expectEqual(store.outcome(name), "corrupt")
      expect(!store.has(name))
    }
    try (content + [0]).write(to: folder.file(name))
    expectEqual(store.outcome(name), "corrupt")
    expect(!store.has(name))
  }

  @Test func aLargeBodyIsVerifiedBeforeItIsDelivered() throws {
    let store = try folder.store()
    let reads: [(DiskEntry) -> Bool] = [
      { $0.verify() }, { $0.readBody() != nil }, { $0.read(at: 0, count: 10) != nil },
    ]
    for isRead in reads {
      for offset in [60, 100_000, 200_059] {
        store.put(name, body: .pattern(200_000))
        var content = try Data(contentsOf: folder.file(name))
        content[offset] ^= 1
        try content.write(to: folder.file(name))
        guard case .found(let entry) = store.open(name) else {
          Issue.record("not found")
          return
        }
        expect(!isRead(entry))
        expect(!store.has(name))
        expect(!store.replaceHead(of: name, with: Data()))
      }
    }
    // Truncated while it is open.
    store.put(name, body: .pattern(200_000))
    guard case .found(let entry) = store.open(name) else {
      Issue.record("not found")
      return
    }
    let file = try FileHandle(forWritingTo: folder.file(name))
    try file.truncate(atOffset: 100_000)
    try file.close()
    expectNil(entry.readBody())
    expect(!entry.verify())
    expectEqual(store.outcome(name), "absent")
  }

  @Test func aCorruptEntryThatWasReplacedIsNotRemoved() throws {
    let store = try folder.store()
    store.put(name, body: .pattern(200_000))
    guard case .found(let entry) = store.open(name) else {
      Issue.record("not found")
      return
    }
    let file = try FileHandle(forUpdating: folder.file(name))
    try file.seek(toOffset: 100_000)
    try file.write(contentsOf: Data(count: 10))
    try file.close()
    store.put(name, body: .pattern(300))
    expectNil(entry.readBody())
    expectEqual(store.body(name), .pattern(300))
  }

  /// A valid file under another name, of another account for instance, is foreign.
  @Test func aFileUnderAnotherNameIsForeign() throws {
    let store = try folder.store()
    store.put(name, body: .pattern(10))
    let content = try Data(contentsOf: folder.file(name))
    var others = Array(repeating: name, count: 6)
    others[0].account += 1
    others[1].environment += 1
    others[2].service += 1
    others[3].api += 1
    others[4].keyHigh += 1
    others[5].keyLow += 1
    for other in others {
      store.put(other, body: Data())
      try content.write(to: folder.file(other))
      expectEqual(store.outcome(other), "corrupt")
    }
    expectEqual(store.body(name), .pattern(10))
  }

  /// A length from the file that is believed would be an allocation of any size, or an overflow.
  @Test(
    arguments: [(.max, 0), (0, .max), (.max, .max), (1 << 62, 1 << 62), (1 << 20, 1 << 40), (1 << 63, 1)]
      as [(UInt64, UInt64)])
  func lengthsAreComparedWithTheFile(_ head: UInt64, _ body: UInt64) throws {
    let store = try folder.store()
    store.put(name, body: .pattern(100))
    var content = try Data(contentsOf: folder.file(name))
    for (offset, word) in [(8, head), (16, body)] {
      for index in 0..<8 { content[offset + index] = UInt8(truncatingIfNeeded: word >> UInt64(8 * index)) }
    }
    let checksum = content.withUnsafeBytes { EntryPrologue.checksum(of: $0, name) }
    for index in 0..<8 { content[48 + index] = UInt8(truncatingIfNeeded: checksum >> UInt64(8 * index)) }
    try content.write(to: folder.file(name))
    expectEqual(store.outcome(name), "corrupt")
  }

  @Test func whatIsNotAFileIsRemovedAndCanBeReplaced() throws {
    let store = try folder.store()
    let path = folder.file(name).path
    let intruders: [() throws -> Void] = [
      { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) },
      { try FileManager.default.createDirectory(atPath: path + "/a/b", withIntermediateDirectories: true) },
      { try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/zero") },
      { try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path) },
      { expectEqual(mkfifo(path, 0o600), 0) },
    ]
    for intrude in intruders {
      for isRead in [true, false] {
        store.put(name, body: .pattern(10))
        store.remove(name)
        try intrude()
        if isRead { expect(store.outcome(name) == "corrupt" && store.outcome(name) == "absent") }
        expect(store.put(name, body: .pattern(20)))
        expectEqual(store.body(name), .pattern(20))
      }
    }
  }
}
