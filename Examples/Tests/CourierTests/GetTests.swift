import Foundation
import Heliograph
import HeliographTesting
import Testing

@testable import Courier

@Suite(.timeLimit(.minutes(1))) struct GetTests {
  private let trial: Trial
  private let content = Trial.bytes(1_000_000)

  init() throws { trial = try Trial() }

  @Test func aFileIsSavedAndSummedUp() async {
    trial.server.serve(content, at: "/files/lamp.iso")
    #expect(await trial.run("get", "/files/lamp.iso?a=1", "-o", trial.folder.path) == 0)
    #expect(trial.content("lamp.iso") == content)
    #expect(trial.fileNames == ["lamp.iso"])
    #expect(trial.output.text.isEmpty)
    // It takes as long as a busy machine needs.
    let summary = #/saved lamp\.iso: 1\.0 MB in (?:\d+(?:\.\d)? s|\d+:\d\d), \d+(?:\.\d)? [kMG]?B/s/#
    #expect(trial.errors.text.starts(with: summary))
    #expect(trial.server.log.requests.first?.header("User-Agent") == "courier/\(Courier.version)")
  }

  @Test func anInterruptedDownloadContinues() async throws {
    trial.server.serve(content, at: "/a", firstByteCount: 600_000, holds: true)
    trial.errors = Recorder(columns: 80)
    let run = trial.start("get", "/a", "-o", trial.path("a"))
    await trial.errors.wait { $0.contains("==") }
    run.cancel()
    #expect(await run.value == 130)
    #expect(trial.errors.text.contains("courier: interrupted: the same command continues at "))
    #expect(trial.content("a") == nil)
    trial.errors = Recorder()
    #expect(await trial.run("get", "/a", "-o", trial.path("a")) == 0)
    #expect(trial.content("a") == content)
    #expect(trial.errors.text.contains(", resumed at "))
    #expect(trial.server.log.requests.last?.header("If-Range") == "\"one\"")
    #expect(trial.fileNames == ["a"])
  }

  @Test func aLostConnectionIsContinuedAtOnce() async {
    trial.server.serve(content, at: "/a", firstByteCount: 600_000)
    #expect(await trial.run("get", "/a", "-o", trial.path("a"), "--retry", "1") == 0)
    #expect(trial.content("a") == content)
    #expect(trial.errors.text.contains("was lost in the middle of the response: trying again, from "))
  }

  @Test func retriesAreCountedAnewWithEachProgress() async {
    let content = content
    trial.server.route("GET", "/a") { request in
      let start = request.header("Range").flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
      let range = "Content-Range: bytes \(start)-\(content.count - 1)/\(content.count)\r\n"
      let head =
        "HTTP/1.1 \(start > 0 ? 206 : 200) OK\r\nETag: \"one\"\r\n\(start > 0 ? range : "")"
        + "Content-Length: \(content.count - start)\r\n\r\n"
      return .script([.text(head), .bytes(content.dropFirst(start).prefix(350_000)), .close])
    }
    #expect(await trial.run("get", "/a", "-o", trial.path("a"), "--retry", "1") == 0)
    #expect(trial.content("a") == content)
    #expect(trial.server.log.requests.count == 3)
  }

  @Test func withoutProgressRetriesEnd() async {
    trial.server.route("GET", "/a") { _ in .status(503).header("Retry-After", "0") }
    #expect(await trial.run("get", "/a", "-o", trial.path("a"), "--retry", "2") == 22)
    #expect(trial.server.log.requests.count == 3)
  }

  @Test func withoutRetriesAPartIsLeft() async {
    trial.server.serve(content, at: "/a", firstByteCount: 600_000)
    #expect(await trial.run("get", "/a", "-o", trial.path("a"), "--retry", "0") == 18)
    #expect(trial.errors.text.contains(": the same command continues at 600.0 kB\n"))
    #expect(trial.fileNames == ["a.part", "a.part.journal"])
  }

  @Test func noResumeStartsFromTheBeginning() async {
    trial.server.serve(content, at: "/a", firstByteCount: 600_000)
    #expect(await trial.run("get", "/a", "-o", trial.path("a"), "--retry", "0", "--no-resume") == 18)
    #expect(!trial.errors.text.contains("continues"))
    #expect(await trial.run("get", "/a", "-o", trial.path("a"), "--no-resume") == 0)
    #expect(trial.server.log.requests.allSatisfy { $0.header("Range") == nil })
  }

  @Test func aSignedURLContinuesByItsName() async {
    trial.server.serve(content, at: "/a", firstByteCount: 600_000)
    #expect(await trial.run("get", "/a?signature=1", "-o", trial.path("a"), "--retry", "0", "--id", "a") == 18)
    #expect(await trial.run("get", "/a?signature=2", "-o", trial.path("a"), "--id", "a") == 0)
    #expect(trial.server.log.requests.last?.header("Range") != nil)
    #expect(trial.content("a") == content)
  }

  @Test func theDigestIsChecked() async throws {
    trial.server.route("GET", "/a") { _ in .text("hello") }
    let digest = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
    #expect(await trial.run("get", "/a", "-o", trial.path("a"), "--sha256", digest.uppercased()) == 0)
    let wrong = String(digest.reversed())
    #expect(await trial.run("get", "/a", "-o", trial.path("b"), "--sha256", wrong) == 65)
    #expect(trial.content("b") == nil)
    #expect(await trial.run("get", "/a", "--sha256", "12") == 2)
    #expect(await trial.run("get", "/a", "-o", "-", "--sha256", digest) == 2)
  }

  @Test func theSizeIsLimited() async {
    trial.server.serve(content, at: "/a")
    #expect(await trial.run("get", "/a", "-o", trial.path("a"), "--limit-size", "900k") == 63)
    #expect(trial.errors.lines.last?.hasSuffix("raise --limit-size, if the command has it") == true)
    #expect(await trial.run("get", "/a", "-o", "-", "--limit-size", "10") == 63)
    #expect(await trial.run("get", "/a", "-o", trial.path("a"), "--limit-size", "1M") == 0)
  }

  @Test func standardOutputGetsTheBytesAlone() async {
    trial.server.serve(content, at: "/a")
    #expect(await trial.run("get", "/a", "-o", "-") == 0)
    #expect(trial.output.data == content)
    #expect(trial.errors.text.isEmpty)
    #expect(trial.fileNames.isEmpty)
  }

  @Test func aClosedOutputEndsSilently() async {
    trial.server.serve(content, at: "/a")
    trial.output = Recorder(failure: Failure(.cannotWrite))
    #expect(await trial.run("get", "/a", "-o", "-") == 23)
    #expect(trial.errors.text.isEmpty)
  }

  @Test func existingFilesAndMissingFolders() async throws {
    trial.server.route("GET", "/a") { _ in .text("new") }
    try trial.create("a", Data("old".utf8))
    #expect(await trial.run("get", "/a", "-o", trial.path("a"), "--no-clobber") == 23)
    #expect(trial.content("a") == Data("old".utf8))
    #expect(await trial.run("get", "/a", "-o", trial.path("a")) == 0)
    #expect(trial.content("a") == Data("new".utf8))
    #expect(await trial.run("get", "/a", "-o", trial.path("b/c") + "/") == 23)
    #expect(await trial.run("get", "/a", "-o", trial.path("b/c") + "/", "--create-dirs") == 0)
    #expect(trial.content("b/c/a") == Data("new".utf8))
  }

  @Test func devicesAreWrittenToAndNotReplaced() async throws {
    trial.server.serve(content, at: "/a")
    #expect(mkfifo(trial.path("pipe"), 0o600) == 0)
    let path = trial.path("pipe")
    async let read = Trial.blocking { FileHandle(forReadingAtPath: path)?.readDataToEndOfFile() }
    #expect(await trial.run("get", "/a", "-o", path) == 0)
    #expect(await read == content)
    #expect(trial.fileNames == ["pipe"])
    #expect(await trial.run("get", "/a", "-o", "/dev/null") == 0)
    #expect(try FileManager.default.attributesOfItem(atPath: "/dev/null")[.type] as? FileAttributeType != .typeRegular)
  }

  @Test func aLinkStays() async throws {
    trial.server.route("GET", "/a") { _ in .text("new") }
    try trial.create("file", Data("old".utf8))
    try FileManager.default.createSymbolicLink(atPath: trial.path("link"), withDestinationPath: trial.path("file"))
    #expect(await trial.run("get", "/a", "-o", trial.path("link")) == 0)
    #expect(trial.content("file") == Data("new".utf8))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: trial.path("link")) == trial.path("file"))
  }

  @Test func aBarIsShownOnATerminal() async {
    trial.server.serve(content, at: "/a")
    trial.errors = Recorder(columns: 100)
    #expect(await trial.run("get", "/a", "-o", trial.path("a")) == 0)
    #expect(trial.errors.text.contains("\ra  [===="))
    #expect(trial.errors.text.contains("100%"))
    #expect(trial.errors.text.contains("\r\u{1B}[Ksaved a: 1.0 MB"))
  }

  @Test func quietMeansSilent() async {
    trial.server.serve(content, at: "/a")
    trial.errors = Recorder(columns: 100)
    #expect(await trial.run("get", "/a", "-q", "-o", trial.path("a")) == 0)
    #expect(trial.errors.text.isEmpty)
  }
}
