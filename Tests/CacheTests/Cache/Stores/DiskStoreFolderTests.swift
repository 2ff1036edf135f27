import Foundation
import HeliographTestSupport
import Signals
import TestSupport
import Testing

@testable import Heliograph

struct DiskStoreFolderTests {
  private let folder = StoreFolder()

  @Test func aFolderThatCannotBeCreatedIsAnError() throws {
    #expect(throws: (any Error).self) {
      try DiskStore(folder: URL(string: "https://a.example/")!, capacity: 1, reserve: 0) { _, _ in }
    }
    try Data().write(to: folder.url)
    #expect(throws: (any Error).self) { try folder.store() }
  }

  @Test(.enabled(if: Child.hasProbe)) func whatIsDeniedIsAMissAndNoCrash() async throws {
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    let pipe = Pipe()
    let child = try Child.probe(["deny", folder.url.path], errors: pipe.fileHandleForWriting)
    try pipe.fileHandleForWriting.close()
    let errors = try await pipe.readToEnd()
    expectEqual(await child.wait(), 0, "\(String(decoding: errors, as: UTF8.self))")
  }

  @Test func aFolderThatIsDeletedIsCreatedAgain() throws {
    let store = try folder.store()
    store.put(.number(1), body: .pattern(10))
    store.put(.number(2), body: .pattern(200_000))
    let writer = try require(store.writer(for: .number(3), head: Data()))
    guard case .found(let entry) = store.open(.number(2)) else {
      Issue.record("not found")
      return
    }
    try FileManager.default.removeItem(at: folder.url)
    expectEqual(store.outcome(.number(1)), "absent")
    expectEqual(entry.readBody(), .pattern(200_000))
    expect(!writer.append(.pattern(10)) || !writer.commit())
    store.remove(.number(2))
    store.removeAll { _ in true }
    expect(store.put(.number(4), body: .pattern(10)))
    expectEqual(store.body(.number(4)), .pattern(10))
    try FileManager.default.removeItem(at: folder.file(.number(4)).deletingLastPathComponent())
    expect(store.put(.number(4), body: .pattern(11)))
    expectEqual(store.body(.number(4)), .pattern(11))
    try FileManager.default.removeItem(at: folder.url)
    store.waitForReclaim()
    try expect(folder.store().put(.number(5), body: Data()))
  }

  @Test func filesInPlaceOfSubfoldersAreReplaced() throws {
    let store = try folder.store()
    let shard = folder.file(.number(1)).deletingLastPathComponent()
    try Data("x".utf8).write(to: shard)
    try Data("x".utf8).write(to: folder.url.appendingPathComponent("temporary"))
    expectEqual(store.outcome(.number(1)), "absent")
    store.removeAll { _ in true }
    expect(store.put(.number(1), body: .pattern(10)))
    expectEqual(store.body(.number(1)), .pattern(10))
  }

  /// They would make the sum of all lengths overflow.
  @Test func filesOfAbsurdLengthAreRemoved() throws {
    var store = try folder.store(capacity: .max)
    store.put(.number(0), body: .pattern(10))
    for number in 1...3 {
      store.put(.number(number), body: Data())
      expectEqual(truncate(folder.file(.number(number)).path, off_t(1) << 43), 0)
    }
    store = try folder.store(capacity: .max)
    store.waitForReclaim()
    expectEqual((0...3).map { store.has(.number($0)) }, [true, false, false, false])
  }

  @Test func otherFilesInTheFolderAreLeftAlone() throws {
    let store = try folder.store(capacity: 1_000)
    store.put(.number(1), body: Data())
    let shard = folder.file(.number(1)).deletingLastPathComponent()
    let others = [
      folder.url.appendingPathComponent("a"), shard.appendingPathComponent("a.txt"),
      shard.appendingPathComponent(EntryName.number(2).text),
    ]
    for other in others { try Data(count: 5_000).write(to: other) }
    let next = try folder.store(capacity: 1_000)
    next.waitForReclaim()
    next.removeAll { _ in true }
    expect(others.allSatisfy { FileManager.default.fileExists(atPath: $0.path) })
  }

  /// A lock tells that a process writes the file: its number may be that of another process, in a container.
  @Test func temporaryFilesThatNobodyWritesAndOldOnesAreRemoved() throws {
    let store = try folder.store()
    store.waitForReclaim()
    let writer = try require(store.writer(for: .number(1), head: Data()))
    let own = URL(fileURLWithPath: try require(folder.temporaries.first))
    let text = EntryName.number(1).text
    func make(_ name: String, secondsAgo: Double) throws -> URL {
      let file = own.deletingLastPathComponent().appendingPathComponent(name)
      try Data(count: 10).write(to: file)
      let date = Date(timeIntervalSinceNow: -secondsAgo)
      try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file.path)
      return file
    }
    var locks: [OpenFile] = []
    func makeLocked(_ name: String, secondsAgo: Double) throws -> URL {
      let file = try make(name, secondsAgo: secondsAgo)
      let lock = OpenFile(descriptor: open(file.path, O_RDONLY))
      expectNil(lock.lock())
      locks.append(lock)
      return file
    }
    let kept = [
      own, try makeLocked("\(text).\(getpid()).1f.1", secondsAgo: 3_500), try make("foreign.txt", secondsAgo: 9_999),
    ]
    // Process 1 is always there.
    let removed = [
      try makeLocked("\(text).1.1f.2", secondsAgo: 3_700), try make("\(text).1.1f.3", secondsAgo: 0),
      try make("\(text).2147483646.1f.1", secondsAgo: 0),
    ]
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -9_999)], ofItemAtPath: own.path)
    try folder.store().waitForReclaim()
    expect(kept.allSatisfy { FileManager.default.fileExists(atPath: $0.path) })
    expect(!removed.contains { FileManager.default.fileExists(atPath: $0.path) })
    expect(writer.commit())
    expectEqual(locks.count, 2)
  }

  /// A sweep starts with the store.
  @Test func theFolderIsSweptInTheBackground() throws {
    let first = try folder.store()
    for number in 0..<200 { first.put(.number(number), body: .pattern(number)) }
    let store = try folder.store()
    expectEqual(store.body(.number(77)), .pattern(77))
    expect(store.put(.number(300), body: Data()))
    store.remove(.number(78))
    store.waitForReclaim()
    expectEqual(folder.files.count, 200)
  }

  @Test func whatOthersHaveWrittenIsKnownAfterAnEighthOfTheCapacity() throws {
    let (store, other) = (try folder.store(capacity: 409_600), try folder.store(capacity: 4_096_000))
    for store in [store, other] { store.waitForReclaim() }
    for number in 0..<100 { other.put(.number(number), head: .pattern(100), body: .pattern(844)) }
    for number in 100..<112 { store.put(.number(number), head: .pattern(100), body: .pattern(844)) }
    store.waitForReclaim()
    expectEqual(folder.files.count, 112)
    store.put(.number(112), head: .pattern(100), body: .pattern(844))
    store.waitForReclaim()
    expectEqual(folder.files.count, 90)
  }

  @Test func twoStoresOnOneFolderKeepTheLimitTogether() throws {
    let stores = [try folder.store(capacity: 409_600), try folder.store(capacity: 409_600)]
    for store in stores { store.waitForReclaim() }
    for number in 0..<400 {
      expect(stores[number % 2].put(.number(number), head: .pattern(100), body: .pattern(844)))
      expectEqual(stores[(number + 1) % 2].body(.number(number)), .pattern(844))
    }
    for store in stores { store.waitForReclaim() }
    // Each may not know the last eighth that the other has written.
    expect(folder.byteCount <= 460_800)
    let last = try folder.store(capacity: 409_600)
    last.waitForReclaim()
    expect(folder.byteCount <= 409_600)
  }

  /// Of the folder, a subfolder, a file, and a file that is being written.
  @Test("P13") func onlyTheUserCanReadIt() throws {
    let store = try folder.store()
    store.put(.number(1), head: Data("a".utf8), body: .pattern(10))
    let file = folder.file(.number(1))
    let writer = try require(store.writer(for: .number(2), head: Data()))
    for path in [file.path, try require(folder.temporaries.first)] {
      expectEqual(FileStatus(path: path)?.permissions, 0o600, "\(path)")
    }
    for folder in [folder.url, file.deletingLastPathComponent(), folder.url.appendingPathComponent("temporary")] {
      expectEqual(FileStatus(path: folder.path)?.permissions, 0o700, "\(folder.path)")
    }
    expect(writer.commit())
  }

  @Test func aFolderThatExistsKeepsItsPermissions() throws {
    let permissions: [FileAttributeKey: Any] = [.posixPermissions: 0o750]
    try FileManager.default.createDirectory(
      at: folder.url, withIntermediateDirectories: true, attributes: permissions)
    try expect(folder.store().put(.number(1), body: Data()))
    expectEqual(FileStatus(path: folder.url.path)?.permissions, 0o750)
  }
}
