import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Destinations that cannot be written: clear errors, and nothing is lost.
struct DownloadFailureTests {
  let server: LoopbackServer
  let folder: DownloadFolder
  let content = RangedContent(RangedContent.bytes(1_000_000))

  init() throws {
    server = try LoopbackServer()
    folder = try DownloadFolder()
    let content = content
    server.route("GET", "/film") { content.serve($0) }
  }

  private func download(to file: URL, _ options: DownloadOptions = DownloadOptions()) async throws
    -> SignalRecorder<Transfer<Response<URL>>, NetworkError>
  {
    let client = NetworkClient(.init(baseURL: server.baseURL))
    let recorder = SignalRecorder(client.download(request: "/film", to: file, options: options))
    await recorder.waitForEnd()
    return recorder
  }

  @Test("S1-15 P8") func aMissingFolderIsAnErrorOrCreated() async throws {
    let file = folder.file("a/b/film")
    let error = try require(try await download(to: file).failure)
    expectEqual(error.code, .cannotCreateFile)
    expectEqual((error.underlying as? POSIXError)?.code, .ENOENT)
    expect(error.reason.contains("a/b/film"))
    expect(server.log.requests.isEmpty)
    let created = try await download(to: file, .with { $0.createsFolders = true })
    expectEqual(created.values.last?.finished?.value, file)
    expectEqual((try? Data(contentsOf: file)), content.data)
  }

  @Test("S1-15 P8") func anOccupiedDestinationIsAnError() async throws {
    try FileManager.default.createDirectory(at: folder.file("full"), withIntermediateDirectories: true)
    let isFolder = try await download(to: folder.file("full"))
    expectEqual(isFolder.failure?.code, .cannotCreateFile)
    expectEqual((isFolder.failure?.underlying as? POSIXError)?.code, .EISDIR)
    try Data("old".utf8).write(to: folder.file())
    let exists = try await download(to: folder.file(), .with { $0.replacesExisting = false })
    expectEqual((exists.failure?.underlying as? POSIXError)?.code, .EEXIST)
    try expectEqual(Data(contentsOf: folder.file()), Data("old".utf8))
    expect(server.log.requests.isEmpty)
    expectEqual(folder.names, ["film", "full"])
    let other = try await download(to: URL(string: "https://example.com/film") ?? folder.url)
    expectEqual(other.failure?.code, .cannotCreateFile)
  }

  @Test("S1-15 P8", .enabled(if: TransportKind.isComplete && Child.hasProbe))
  func anUnwritableFolderIsAnError() async throws {
    let outcome = try await probe(["as-nobody"], folder.file())
    expectEqual(outcome, "client 627")
    expect(server.log.requests.isEmpty)
  }

  @Test("S1-15 P8 S4-4", .enabled(if: TransportKind.isComplete && Child.hasProbe))
  func afterAFullDiskTheRestIsLoaded() async throws {
    try Data("old".utf8).write(to: folder.file())
    // A file of at most 600 KiB: the limit of a process stands for the space on a disk.
    try await expectEqual(probe(["limit", "614400"], folder.file()), "client 629")
    expectEqual(folder.names, ["film", "film.part", "film.part.journal"])
    try expectEqual(Data(contentsOf: folder.file()), Data("old".utf8))
    let rest = try await download(to: folder.file())
    expect(rest.values.last?.finished != nil)
    expectEqual((try? Data(contentsOf: folder.file())), content.data)
    let start = try require(server.log.requests.last?.rangeStart)
    expect(start > 200_000)
    expect(start <= 614_400)
  }

  /// Downloads in another process; returns its outcome.
  private func probe(_ conditions: [String], _ file: URL) async throws -> String {
    let pipe = Pipe()
    let child = try Child.probe(
      ["download", server.url("/film").absoluteString, file.path] + conditions, output: pipe.fileHandleForWriting)
    try pipe.fileHandleForWriting.close()
    let text = String(decoding: try await pipe.readToEnd(), as: UTF8.self)
    await child.wait()
    return text.split(separator: "\n").last.map(String.init) ?? ""
  }
}
