import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph
@testable import HeliographBackground

/// The responses that a background session keeps for a later process.
final class KeptResponsesTests {
  @Test func resumeDataIsTakenOnce() throws {
    expectNil(kept.takeResumeData("a"))
    try kept.keepResumeData(Data([1]), for: "a")
    try kept.keepResumeData(Data([2]), for: "a")
    expectNil(kept.takeResumeData("b"))
    expectEqual(kept.takeResumeData("a"), Data([2]))
    expectNil(kept.takeResumeData("a"))
  }

  private let kept: KeptResponses
  private let head: HTTPResponse

  init() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("kept-\(UUID().uuidString)")
    kept = KeptResponses(folder: url.appendingPathComponent("session"))
    let fields = [("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"), ("ETag", "\"é\"")]
    head = HTTPResponse(
      statusCode: 206, headers: HTTPHeaders(fields.map { HTTPHeaders.Field(name: $0.0, value: $0.1) }),
      url: try require(URL(string: "https://example.com/film?id=1")))
  }

  deinit { try? FileManager.default.removeItem(at: kept.folder.deletingLastPathComponent()) }

  private var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: kept.folder.path)) ?? []).sorted()
  }

  private func downloaded(_ text: String) throws -> URL {
    let file = kept.folder.deletingLastPathComponent().appendingPathComponent("CFNetworkDownload.tmp")
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    return file
  }

  @Test func aResponseIsTakenOnce() throws {
    let file = try downloaded("film")
    try kept.keep(file, head, for: "0a")
    expect(!FileManager.default.fileExists(atPath: file.path))
    let taken = try require(kept.take("0a"))
    expectEqual(taken.head, head)
    // Removed, and still readable.
    expectEqual(names, [])
    try expectEqual(taken.file.readToEnd(), Data("film".utf8))
    expectNil(kept.take("0a"))
  }

  @Test func aBodyInMemoryIsKeptToo() throws {
    try kept.keep(Data("ok".utf8), head, for: "0a")
    try expectEqual(kept.take("0a")?.file.readToEnd(), Data("ok".utf8))
  }

  @Test func aLaterResponseReplacesTheEarlierOne() throws {
    try kept.keep(downloaded("old"), head, for: "0a")
    try kept.keep(downloaded("other"), head, for: "0b")
    try kept.keep(downloaded("new"), head, for: "0a")
    try expectEqual(kept.take("0a")?.file.readToEnd(), Data("new".utf8))
    try expectEqual(kept.take("0b")?.file.readToEnd(), Data("other".utf8))
  }

  @Test(arguments: [301, 401, 404, 503]) func otherResponsesAreNotKept(_ statusCode: Int) throws {
    var head = head
    head.statusCode = statusCode
    try kept.keep(downloaded("late"), head, for: "0a")
    try kept.keep(Data("late".utf8), head, for: "0b")
    expectEqual(names, [])
  }

  /// The process ended between the two files, or the system has removed one.
  @Test(arguments: ["0a.head", "0a.body"]) func halfAResponseIsNone(_ missing: String) throws {
    try kept.keep(downloaded("film"), head, for: "0a")
    kept.removeFile(named: missing)
    expectNil(kept.take("0a"))
    expectEqual(names, [])
  }

  @Test func aDamagedHeadIsNone() throws {
    try kept.keep(downloaded("film"), head, for: "0a")
    try Data("{}".utf8).write(to: kept.folder.appendingPathComponent("0a.head"))
    expectNil(kept.take("0a"))
  }

  @Test func filesAreRemovedAfterSevenDays() throws {
    try kept.keep(downloaded("film"), head, for: "0a")
    try Data().write(to: kept.folder.appendingPathComponent("heliograph-1"))
    kept.removeExpired(at: Date() + 7 * 86_400 - 60)
    expectEqual(names, ["0a.body", "0a.head", "heliograph-1"])
    kept.removeExpired(at: Date() + 7 * 86_400 + 60)
    expectEqual(names, [])
  }

  @Test func aMissingFolderHasNothing() {
    kept.removeExpired()
    expectNil(kept.take("0a"))
  }

  @Test func onlyTheUserReadsTheFolder() throws {
    try kept.create()
    let attributes = try FileManager.default.attributesOfItem(atPath: kept.folder.path)
    expectEqual(attributes[.posixPermissions] as? Int, 0o700)
  }
}
