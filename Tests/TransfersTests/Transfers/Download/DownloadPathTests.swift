import Foundation
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

@testable import Heliograph

/// What is found at the paths of a download: files of other programs, users and downloads.
struct DownloadPathTests {
  typealias Recorder = SignalRecorder<Transfer<Response<URL>>, NetworkError>

  let server: LoopbackServer
  let folder: DownloadFolder
  let content = RangedContent(RangedContent.bytes(700_000))

  init() throws {
    server = try LoopbackServer()
    folder = try DownloadFolder()
    let content = content
    server.route("GET", "/film") { content.serve($0) }
  }

  private func download(_ options: DownloadOptions = DownloadOptions(), to name: String = "film") async -> Recorder {
    let client = NetworkClient(.init(baseURL: server.baseURL))
    let recorder = Recorder(client.download(request: "/film", to: folder.file(name), options: options))
    await recorder.waitForEnd()
    return recorder
  }

  private func leavePart(_ name: String = "film") async {
    content.change { $0.cut = 600_000 }
    _ = await download(to: name)
    content.change { $0.cut = nil }
    expectEqual(folder.names.count, 2)
  }

  private func expectWhole(_ recorder: Recorder, _ name: String = "film") {
    expectEqual(recorder.values.last?.finished?.value, folder.file(name), "\(String(describing: recorder.failure))")
    expectEqual((try? Data(contentsOf: folder.file(name))), content.data)
  }

  private func expectRefused(_ recorder: Recorder) {
    expectEqual(recorder.failure?.code, .cannotCreateFile)
    expectEqual((recorder.failure?.underlying as? POSIXError)?.code, .EEXIST)
  }

  private var starts: [Int?] { server.log.requests.map(\.rangeStart) }

  private func data(_ name: String) -> Data? { try? Data(contentsOf: folder.file(name)) }

  @Test("P8", arguments: [DownloadOptions.with { $0.id = "other" }, .with { $0.resumes = false }])
  func aPartOfOtherContentStaysUntilAResponseBegins(_ options: DownloadOptions) async throws {
    await leavePart()
    let part = try require(data("film.part"))
    content.change { $0.other = { _ in .status(503) } }
    let other = await download(options)
    expectEqual(other.failure?.code, .status(503))
    expectEqual(data("film.part"), part)
    content.change { $0.other = nil }
    expectWhole(await download())
    expectNil(starts[1])
    expectEqual(starts[2], part.count)
    expectEqual(folder.names, ["film"])
  }

  /// Also if the program is another user's, and this process may remove its files.
  @Test("P8", arguments: [false, true]) func thePartOfAnotherProgramIsNotOverwritten(_ isOfAnotherUser: Bool) async {
    let foreign = Data("another program's".utf8)
    try? foreign.write(to: folder.file("film.part"))
    if isOfAnotherUser, geteuid() == 0 { expectEqual(chown(folder.file("film.part").path, 65_534, 65_534), 0) }
    expectRefused(await download())
    expect(server.log.requests.isEmpty)
    expectEqual(data("film.part"), foreign)
    expectEqual(folder.names, ["film.part"])
  }

  @Test("P8", .enabled(if: geteuid() == 0), arguments: ["film.part", "film.part.journal"])
  func thePartOfAnotherUserIsNotUsed(_ name: String) async throws {
    await leavePart()
    expectEqual(chown(folder.file(name).path, 65_534, 65_534), 0)
    let recorder = await download()
    if name == "film.part" {
      expectWhole(recorder)
      expectEqual(FileStatus(path: folder.file().path)?.owner, 0)
      expectEqual(starts, [nil, nil])
    } else {
      // Without a journal of its own it may be anything.
      expectRefused(recorder)
    }
  }

  @Test("P8") func aNameThatIsTooLongIsRefusedBeforeAnythingIsSent() async {
    let recorder = await download(to: String(repeating: "f", count: 256))
    expectEqual(recorder.failure?.code, .cannotCreateFile)
    expectEqual((recorder.failure?.underlying as? POSIXError)?.code, .ENAMETOOLONG)
    expect(server.log.requests.isEmpty && folder.names.isEmpty)
    let longest = String(repeating: "f", count: 255)
    expectWhole(await download(to: longest), longest)
  }

  @Test("P8") func aPipeInsteadOfAJournalDoesNotBlock() async throws {
    await leavePart()
    let journal = folder.file("film.part.journal")
    try FileManager.default.removeItem(at: journal)
    expectEqual(mkfifo(journal.path, 0o600), 0)
    expectRefused(await download())
    expectEqual(starts.count, 1)
  }

  @Test("P8") func aPartWithASecondNameIsContinued() async throws {
    await leavePart()
    try FileManager.default.linkItem(at: folder.file("film.part"), to: folder.file("snapshot"))
    expectWhole(await download())
    expect((starts.last ?? 0) ?? 0 > 500_000)
    expectEqual(folder.names, ["film", "snapshot"])
  }

  /// Its other name may be that of a backup, or of another program's file.
  @Test("P8", arguments: ["the part", "another file"])
  func aPartWithASecondNameIsNotOverwritten(_ content: String) async throws {
    await leavePart()
    if content == "another file" {
      try FileManager.default.removeItem(at: folder.file("film.part"))
      try Data("precious".utf8).write(to: folder.file("film.part"))
      try Data("x".utf8).write(to: folder.file("film.part.journal"))
    }
    let kept = data("film.part")
    try FileManager.default.linkItem(at: folder.file("film.part"), to: folder.file("snapshot"))
    // Another download begins anew.
    expectWhole(await download(.with { $0.id = "another" }))
    expectEqual(data("snapshot"), kept)
    expectEqual(folder.names, ["film", "snapshot"])
  }

  @Test("P8", arguments: [243, 255]) func aNameMayHaveAsManyBytesAsFileSystemsAllow(_ count: Int) async {
    let name = String(repeating: "é", count: count / 2) + "x"
    await leavePart(name)
    expectWhole(await download(to: name), name)
    expect(starts.last != .some(nil))
    expectEqual(folder.names, [name])
  }

  /// A file system that encrypts names may allow 143 bytes.
  @Test("P8") func theNamesOfAPartFitItsFileSystem() {
    for count in [1, 130, 131, 143] {
      let name = String(repeating: "é", count: count / 2) + (count % 2 == 1 ? "x" : "")
      let paths = PartPaths(folder.file(name), nameByteLimit: 143)
      expect(paths.journal.lastPathComponent.utf8.count <= 143)
      expectEqual(paths.part.lastPathComponent == "\(name).part", count <= 130)
      expectEqual(paths.journal.lastPathComponent, "\(paths.part.lastPathComponent).journal")
    }
    let others = ["a", "b"].map { PartPaths(folder.file(String(repeating: "x", count: 142) + $0), nameByteLimit: 143) }
    expect(others[0].part != others[1].part)
  }

  /// Otherwise parts that an earlier version has begun would not be found.
  @Test("P8") func theNamesOfAPartRemainTheSame() {
    func part(_ count: Int) -> String {
      PartPaths(folder.file(String(repeating: "x", count: count))).part.lastPathComponent
    }
    expectEqual(part(242), String(repeating: "x", count: 242) + ".part")
    expectEqual(part(243), String(repeating: "x", count: 225) + "-a3fe870878c49175.part")
  }

  /// A process was killed after `link`, after `unlink`, or earlier, and another program has created the file since.
  @Test("P8", arguments: ["link", "unlink", "earlier"])
  func anExistingFileStaysAndWhatWasLeftOfItsMoveIsRemoved(_ step: String) async throws {
    if step == "earlier" {
      await leavePart()
    } else {
      try Data().write(to: folder.file("film.part.journal"))
    }
    try content.data.write(to: folder.file())
    if step == "link" { try FileManager.default.linkItem(at: folder.file(), to: folder.file("film.part")) }
    expectRefused(await download(.with { $0.replacesExisting = false }))
    expectEqual(folder.names, step == "earlier" ? ["film", "film.part", "film.part.journal"] : ["film"])
    expectEqual(data("film"), content.data)
  }

  @Test("P8") func aFileKeepsItsPermissions() async throws {
    try Data("old".utf8).write(to: folder.file())
    chmod(folder.file().path, 0o640)
    content.change { $0.cut = 600_000 }
    _ = await download()
    let part = try require(FileStatus(path: folder.file("film.part").path))
    expectEqual(part.permissions & 0o027, 0)
    content.change { $0.cut = nil }
    expectWhole(await download())
    expectEqual(FileStatus(path: folder.file().path)?.permissions, 0o640)
  }

  /// Otherwise that user could change the new file after its digest was checked.
  @Test(.enabled(if: geteuid() == 0), arguments: [0o777, 0o640, 0] as [UInt32])
  func theFileOfAnotherUserAddsNoPermission(_ old: UInt32) async throws {
    try Data().write(to: folder.file("plain"))
    let usual = try require(FileStatus(path: folder.file("plain").path)).permissions
    try Data("old".utf8).write(to: folder.file())
    expectEqual(chown(folder.file().path, 65_534, 65_534), 0)
    chmod(folder.file().path, mode_t(old))
    expectWhole(await download())
    let status = try require(FileStatus(path: folder.file().path))
    expectEqual(status.permissions, old & usual | 0o600)
    expectEqual(status.owner, 0)
  }

  @Test func aFullDiskHasItsCodeAlsoWhenAFileIsCreated() {
    expectEqual(NetworkError.cannotCreate(folder.file(), ENOSPC).code, .diskFull)
    expectEqual(NetworkError.cannotCreate(folder.file(), EACCES).code, .cannotCreateFile)
  }
}
