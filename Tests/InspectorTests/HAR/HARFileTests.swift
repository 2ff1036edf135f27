import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph
@testable import HeliographInspector

/// The two files of which one has the name.
struct HARFileTests {
  private let folder: HARFolder

  init() throws { folder = try HARFolder() }

  private func entry(_ number: Int, isFirst: Bool = false) -> [UInt8] {
    Array("\(isFirst ? "" : ",")\n{\"number\":\(number)}".utf8)
  }

  private func numbers(_ url: URL? = nil) throws -> [Int] {
    try HARDocument(url ?? folder.file).entries.compactMap(\.["number"].int)
  }

  @Test func aNewFileIsCompleteAndPrivate() throws {
    let file = try HARFile(folder.file, limit: 1_000)
    expectEqual(try numbers(), [])
    expect(!file.hasEntries)
    expectEqual(FileStatus(path: folder.file.path)?.permissions, 0o600)
    expectEqual(try folder.names, [".traffic.har.next", "traffic.har"])
    expectEqual(FileStatus(path: folder.url.path + "/.traffic.har.next")?.permissions, 0o600)
  }

  @Test func eachBatchIsInTheFile() throws {
    var file = try HARFile(folder.file, limit: 1_000_000)
    for number in 0..<20 {
      try file.append(entry(number, isFirst: number == 0))
      expectEqual(try numbers(), Array(0...number))
    }
    // The exchange of the names leaves no third file.
    expectEqual(try folder.names, [".traffic.har.next", "traffic.har"])
    file.close()
    expectEqual(try folder.names, ["traffic.har"])
  }

  @Test func theNextFileBeginsAtTheLimit() throws {
    var file = try HARFile(folder.file, limit: 300)
    for number in 0..<12 {
      try file.rotate(before: 20)
      try file.append(entry(number, isFirst: !file.hasEntries))
    }
    let former = try numbers(HARFile.formerURL(of: folder.file))
    let current = try numbers()
    expectEqual(former + current, Array((12 - former.count - current.count)..<12))
    expect(!former.isEmpty && !current.isEmpty)
    expect((FileStatus(path: folder.file.path)?.byteCount ?? 0) <= 300)
  }

  @Test func aFormerFileIsRenamed() throws {
    try Data("former".utf8).write(to: folder.file)
    _ = try HARFile(folder.file, limit: 1_000)
    let former = folder.url.appendingPathComponent("traffic-1.har")
    expectEqual(try Data(contentsOf: former), Data("former".utf8))
    expectEqual(try numbers(), [])
  }

  @Test func whatAKilledProcessLeavesIsReplaced() throws {
    for name in [".traffic.har.next", ".traffic.har.next.old", ".traffic.har.next.second", "traffic.har"] {
      try Data("torn".utf8).write(to: folder.url.appendingPathComponent(name))
    }
    var file = try HARFile(folder.file, limit: 1_000)
    try file.append(entry(1, isFirst: true))
    expectEqual(try numbers(), [1])
    expectEqual(try folder.names, [".traffic.har.next", "traffic-1.har", "traffic.har"])
  }

  @Test func aFailedWriteLeavesTheFile() throws {
    var file = try HARFile(folder.file, limit: 1_000_000)
    try file.append(entry(1, isFirst: true))
    // The names cannot be exchanged: a folder has that of the old file.
    let blocked = folder.url.appendingPathComponent(".traffic.har.next.old/a")
    try FileManager.default.createDirectory(at: blocked, withIntermediateDirectories: true)
    #expect(throws: NetworkError.self) { try file.append(entry(2)) }
    expectEqual(try numbers(), [1])
    try FileManager.default.removeItem(at: blocked.deletingLastPathComponent())
    try file.append(entry(3))
    expectEqual(try numbers(), [1, 3])
  }

  /// The name of the file is not given to a new one whose predecessor could not be renamed.
  @Test func aFailedBeginningLosesNothing() throws {
    var file = try HARFile(folder.file, limit: 200)
    try file.append(entry(1, isFirst: true))
    let former = HARFile.formerURL(of: folder.file)
    try FileManager.default.createDirectory(at: former, withIntermediateDirectories: false)
    #expect(throws: NetworkError.self) { try file.rotate(before: 1_000) }
    #expect(throws: NetworkError.self) { try file.rotate(before: 1) }
    expectEqual(try numbers(), [1])
    try FileManager.default.removeItem(at: former)
    try file.rotate(before: 1)
    try file.append(entry(2, isFirst: !file.hasEntries))
    expectEqual(try numbers(former), [1])
    expectEqual(try numbers(), [2])
  }

  @Test(arguments: ["traffic.har", ".traffic.har.next"]) func aFileThatWasMovedIsReplaced(_ name: String) throws {
    var file = try HARFile(folder.file, limit: 1_000)
    try FileManager.default.removeItem(at: folder.url.appendingPathComponent(name))
    #expect(throws: NetworkError.self) { try file.append(entry(1, isFirst: true)) }
    try file.rotate(before: 1)
    try file.append(entry(2, isFirst: !file.hasEntries))
    expectEqual(try numbers(), [2])
  }

  /// An editor saves by renaming a new file.
  @Test(arguments: ["traffic.har", ".traffic.har.next"]) func aReplacedFileIsNotWritten(_ name: String) throws {
    var file = try HARFile(folder.file, limit: 1_000)
    try file.append(entry(1, isFirst: true))
    let former = try Data(contentsOf: folder.file)
    try former.write(to: folder.url.appendingPathComponent(name), options: .atomic)
    for number in 2...4 {
      try file.rotate(before: 1)
      try file.append(entry(number, isFirst: !file.hasEntries))
      expectEqual(try numbers(), Array(2...number))
    }
    expectEqual(try Data(contentsOf: HARFile.formerURL(of: folder.file)), former)
    file.close()
    expectEqual(try numbers(), [2, 3, 4])
  }

  @Test func theFileOfAnotherMonitorIsRefused() throws {
    let first = try HARFile(folder.file, limit: 1_000)
    let error = #expect(throws: NetworkError.self) { try HARFile(folder.file, limit: 1_000) }
    expectEqual(error?.code, .fileInUse)
    // For a moment of each batch the hidden file has no name.
    try FileManager.default.removeItem(at: folder.url.appendingPathComponent(".traffic.har.next"))
    let second = #expect(throws: NetworkError.self) { try HARFile(folder.file, limit: 1_000) }
    expectEqual(second?.code, .fileInUse)
    withExtendedLifetime(first) {}
  }

  @Test func aPlaceThatIsNotAFileIsRefused() throws {
    let places = [folder.url, folder.url.appendingPathComponent("missing/a.har"), URL(fileURLWithPath: "/dev/null")]
    for place in places {
      let error = #expect(throws: NetworkError.self) { try HARFile(place, limit: 1_000) }
      expectEqual(error?.code, .cannotCreateFile)
    }
    let web = try require(URL(string: "https://a.example/traffic.har"))
    #expect(throws: NetworkError.self) { try HARFile(web, limit: 1_000) }
  }

  @Test func theFormerFileHasANumber() {
    func name(_ path: String) -> String { HARFile.formerURL(of: URL(fileURLWithPath: path)).path }
    expectEqual(name("/a/traffic.har"), "/a/traffic-1.har")
    expectEqual(name("/a/traffic"), "/a/traffic-1")
  }
}
