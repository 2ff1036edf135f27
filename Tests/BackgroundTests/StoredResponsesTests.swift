import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph
@testable import HeliographBackground

/// The responses that a background session keeps for a later process.
final class StoredResponsesTests {
  @Test func resumeDataIsTakenOnce() throws {
    expectNil(responses.takeResumeData("a"))
    try responses.storeResumeData(Data([1]), for: "a")
    try responses.storeResumeData(Data([2]), for: "a")
    expectNil(responses.takeResumeData("b"))
    expectEqual(responses.takeResumeData("a"), Data([2]))
    expectNil(responses.takeResumeData("a"))
  }

  private let responses: StoredResponses
  private let head: HTTPResponse

  init() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("responses-\(UUID().uuidString)")
    responses = StoredResponses(folder: url.appendingPathComponent("session"))
    let fields = [("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"), ("ETag", "\"é\"")]
    head = HTTPResponse(
      statusCode: 206, headers: HTTPHeaders(fields.map { HTTPHeaders.Field(name: $0.0, value: $0.1) }),
      url: try require(URL(string: "https://example.com/film?id=1")))
  }

  deinit { try? FileManager.default.removeItem(at: responses.folder.deletingLastPathComponent()) }

  private var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: responses.folder.path)) ?? []).sorted()
  }

  private func downloaded(_ text: String) throws -> URL {
    let file = responses.folder.deletingLastPathComponent().appendingPathComponent("CFNetworkDownload.tmp")
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    return file
  }

  @Test func aResponseIsTakenOnce() throws {
    let file = try downloaded("film")
    try responses.store(file, head, for: "0a")
    expect(!FileManager.default.fileExists(atPath: file.path))
    let taken = try require(responses.take("0a"))
    expectEqual(taken.head, head)
    expectEqual(taken.byteCount, 4)
    try expectNil(responses.take("0a"))
    try expectEqual(taken.file.readToEnd(), Data("film".utf8))
    responses.removeTaken("0a")
    expectEqual(names, [])
  }

  /// The process may be ended while it delivers the body.
  @Test func aLaterProcessFindsWhatWasNotDelivered() throws {
    try responses.store(downloaded("film"), head, for: "0a")
    _ = try require(responses.take("0a"))
    responses.clean()
    let taken = try require(responses.take("0a"))
    expectEqual(taken.head, head)
    try expectEqual(taken.file.readToEnd(), Data("film".utf8))
    responses.clean(at: Date() + 7 * 86_400 + 60)
    expectEqual(names, [])
  }

  /// The part of the file that was written makes the next request one for the rest.
  @Test func aDownloadThatContinuesTakesTheWholeThatWasNotDelivered() throws {
    var whole = HTTPRequest(url: head.url)
    let key = try whole.backgroundKey()
    var head = head
    head.statusCode = 200
    try responses.store(downloaded("film"), head, for: key)
    _ = try require(responses.take(answering: whole, key))
    responses.clean()
    whole.headers["Range"] = "bytes=2-"
    // A range of the caller's own is another request.
    try expectNil(responses.take(answering: whole, whole.backgroundKey()))
    whole.headers["If-Range"] = "\"é\""
    let taken = try require(responses.take(answering: whole, whole.backgroundKey()))
    expectEqual(taken.key, key)
    expectEqual(taken.head.statusCode, 200)
    try expectEqual(taken.file.readToEnd(), Data("film".utf8))
    responses.removeTaken(taken.key)
    expectEqual(names, [])
  }

  @Test func theDeliveryOfAFormerResponseDoesNotRemoveItsSuccessor() throws {
    try responses.store(downloaded("film"), head, for: "0a")
    _ = try require(responses.take("0a"))
    try responses.store(downloaded("new"), head, for: "0a")
    responses.removeTaken("0a")
    try expectEqual(responses.take("0a")?.file.readToEnd(), Data("new".utf8))
  }

  @Test func aBodyInMemoryIsKeptToo() throws {
    try responses.store(Data("ok".utf8), head, for: "0a")
    try expectEqual(responses.take("0a")?.file.readToEnd(), Data("ok".utf8))
  }

  @Test func aLaterResponseReplacesTheEarlierOne() throws {
    try responses.store(downloaded("old"), head, for: "0a")
    try responses.store(downloaded("other"), head, for: "0b")
    try responses.store(downloaded("new"), head, for: "0a")
    try expectEqual(responses.take("0a")?.file.readToEnd(), Data("new".utf8))
    try expectEqual(responses.take("0b")?.file.readToEnd(), Data("other".utf8))
  }

  @Test(arguments: [301, 401, 404, 503]) func otherResponsesAreNotKept(_ statusCode: Int) throws {
    var head = head
    head.statusCode = statusCode
    try responses.store(downloaded("late"), head, for: "0a")
    try responses.store(Data("late".utf8), head, for: "0b")
    expectEqual(names, [])
  }

  /// The process ended between the two files, or the system has removed one.
  @Test(arguments: ["0a.head", "0a.body"]) func halfAResponseIsNone(_ missing: String) throws {
    try responses.store(downloaded("film"), head, for: "0a")
    responses.removeFile(named: missing)
    try expectNil(responses.take("0a"))
    expectEqual(names, [])
  }

  /// Before the device is first unlocked, or without a free descriptor; the request must not be sent anew.
  @Test(arguments: ["0a.head", "0a.body"])
  func aResponseThatCannotBeReadRemains(_ name: String) throws {
    try responses.store(downloaded("film"), head, for: "0a")
    let (file, kept) = (responses.folder.appendingPathComponent(name), responses.folder.appendingPathComponent("kept"))
    // A link to itself cannot be opened by any user.
    try FileManager.default.moveItem(at: file, to: kept)
    try FileManager.default.createSymbolicLink(at: file, withDestinationURL: file)
    let error = #expect(throws: NetworkError.self) { try responses.take("0a") }
    expectEqual(error?.code, .invalidTransport)
    expectEqual((error?.underlying as? POSIXError)?.code, .ELOOP)
    try FileManager.default.removeItem(at: file)
    try FileManager.default.moveItem(at: kept, to: file)
    try expectEqual(responses.take("0a")?.file.readToEnd(), Data("film".utf8))
  }

  @Test func aDamagedHeadIsNone() throws {
    try responses.store(downloaded("film"), head, for: "0a")
    try Data("{}".utf8).write(to: responses.folder.appendingPathComponent("0a.head"))
    try expectNil(responses.take("0a"))
  }

  @Test func filesAreRemovedAfterSevenDays() throws {
    try responses.store(downloaded("film"), head, for: "0a")
    try Data().write(to: responses.folder.appendingPathComponent("heliograph-1"))
    responses.clean(at: Date() + 7 * 86_400 - 60)
    expectEqual(names, ["0a.body", "0a.head", "heliograph-1"])
    responses.clean(at: Date() + 7 * 86_400 + 60)
    expectEqual(names, [])
  }

  @Test func aMissingFolderHasNothing() throws {
    responses.clean()
    try expectNil(responses.take("0a"))
  }

  @Test func onlyTheUserReadsTheFolder() throws {
    try responses.create()
    let attributes = try FileManager.default.attributesOfItem(atPath: responses.folder.path)
    expectEqual(attributes[.posixPermissions] as? Int, 0o700)
  }
}
