import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

/// Files and folders of another user, whose checksums anyone can compute.
@Suite(.enabled(if: geteuid() == 0)) struct DiskStoreOwnerTests {
  private static let otherUser: UInt32 = 65_534

  private let folder = StoreFolder()
  private let name = EntryName.number(1)

  private var shard: URL { folder.file(name).deletingLastPathComponent() }

  private func give(_ file: URL, to user: UInt32 = otherUser) {
    expectEqual(chown(file.path, user, user), 0, "\(file.path)")
  }

  private func makeForeignFolder(_ url: URL) throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    chmod(url.path, 0o777)
    give(url)
  }

  @Test func anEntryOfAnotherUserIsCorrupt() throws {
    let store = try folder.store()
    for size in [10, 200_000] {
      store.put(name, body: .pattern(size))
      give(folder.file(name))
      expect(!store.replaceHead(of: name, with: Data()))
      store.put(name, body: .pattern(size))
      give(folder.file(name))
      expectEqual(store.outcome(name), "corrupt")
      expectEqual(store.outcome(name), "absent")
      expect(store.put(name, body: .pattern(20)))
      expectEqual(store.body(name), .pattern(20))
    }
  }

  @Test func nothingIsWrittenToTheSubfolderOfAnotherUser() throws {
    let store = try folder.store()
    store.put(name, body: .pattern(10))
    give(shard)
    // The entry itself is the process's own.
    expectEqual(store.body(name), .pattern(10))
    expect(!store.put(name, body: .pattern(20)))
    expect(!store.replaceHead(of: name, with: Data()))
    // It is not removed with its files: another user could direct that to any other file.
    store.removeAll { _ in true }
    expectEqual(folder.files.count, 1)
    give(shard, to: 0)
    expectEqual(store.body(name), .pattern(10))
  }

  @Test func anEmptySubfolderOfAnotherUserIsReplaced() throws {
    let store = try folder.store()
    for subfolder in [shard, folder.url.appendingPathComponent("temporary")] {
      try makeForeignFolder(subfolder)
      expect(store.put(name, body: .pattern(10)))
      expectEqual(store.body(name), .pattern(10))
      expectEqual(FileStatus(path: subfolder.path)?.owner, 0)
      store.remove(name)
      try FileManager.default.removeItem(at: subfolder)
    }
  }

  @Test func noTemporaryFileIsInTheFolderOfAnotherUser() throws {
    let store = try folder.store()
    let temporaries = folder.url.appendingPathComponent("temporary")
    try makeForeignFolder(temporaries)
    try Data().write(to: temporaries.appendingPathComponent("a"))
    expectNil(store.writer(for: name, head: Data()))
  }

  @Test func theCacheFolderOfAnotherUserIsRefused() throws {
    try makeForeignFolder(folder.url)
    let error = #expect(throws: NetworkError.self) { try ResponseCache(folder: folder.url) }
    expectEqual(error?.code, .invalidTransport)
    expectEqual(error?.reason.contains("another user"), true)
    let link = folder.url.appendingPathExtension("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.url)
    defer { try? FileManager.default.removeItem(at: link) }
    #expect(throws: NetworkError.self) { try ResponseCache(folder: link) }
    give(folder.url, to: 0)
    _ = try ResponseCache(folder: link)
  }

  @Test func nothingIsWrittenToAFolderThatAnotherUserHasCreatedAgain() throws {
    let store = try folder.store()
    store.waitForReclaim()
    store.put(name, body: .pattern(10))
    try FileManager.default.removeItem(at: folder.url)
    try makeForeignFolder(folder.url)
    expect(!store.put(name, body: .pattern(10)))
    try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder.url.path), [])
  }
}
