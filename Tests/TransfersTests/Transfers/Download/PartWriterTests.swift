import Foundation
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

@testable import Heliograph

/// The part of a download by its messages, without a server.
struct PartWriterTests {
  let folder: DownloadFolder
  private let url = URL(fileURLWithPath: "/film")

  init() throws { folder = try DownloadFolder() }

  private func head(_ status: Int = 200, length: Int? = nil, range: String? = nil) -> HTTPResponse {
    var headers: HTTPHeaders = ["ETag": "\"one\""]
    headers["Content-Length"] = length.map { "\($0)" }
    headers["Content-Range"] = range
    return HTTPResponse(statusCode: status, headers: headers, url: url)
  }

  private func request(from start: Int? = nil) -> HTTPRequest {
    var headers: HTTPHeaders = [:]
    headers["Range"] = start.map { "bytes=\($0)-" }
    headers["If-Range"] = start.map { _ in "\"one\"" }
    return HTTPRequest(url: url, headers: headers)
  }

  /// Opens the part, and writes bytes of a response.
  private func writer(_ byteCount: Int, length: Int? = nil) throws -> PartWriter {
    let part = PartWriter(folder.file(), DownloadOptions())
    try part.open(key: "a", resumes: true) { false }
    try expect(part.begin(head(length: length), of: request()))
    try part.write(Data(count: byteCount), of: request())
    return part
  }

  @Test("P8") func aDisposedDownloadIsNotMoved() throws {
    let part = try writer(3, length: 3)
    try expectEqual(part.finish(request()) { true }, .closed)
    // Another download may have begun with the same part.
    part.close()
    try expectEqual(part.finish(request()) { false }, .closed)
    expectEqual(folder.names, ["film.part", "film.part.journal"])
  }

  /// The retries of a download whose file has changed on the server.
  @Test("P8") func aPartThatReplacesAResumedOneGrowsFromItsBeginning() throws {
    try writer(900_000).close()
    let part = PartWriter(folder.file(), DownloadOptions())
    try part.open(key: "a", resumes: true) { false }
    expect(!part.pause())
    for isFirst in [true, false] {
      try expect(part.begin(head(), of: request()))
      try part.write(Data(count: 300_000), of: request())
      expectEqual(part.pause(), isFirst)
    }
    part.close()
  }

  /// A retry downloads the file anew, however much there was.
  @Test("P8") func aPartThatCannotBeContinuedDoesNotGrow() throws {
    let part = PartWriter(folder.file(), DownloadOptions())
    try part.open(key: "a", resumes: true) { false }
    try expect(part.begin(HTTPResponse(statusCode: 200, headers: [:], url: url), of: request()))
    try part.write(Data(count: 300_000), of: request())
    expect(!part.pause())
    part.close()
    expectEqual(folder.names, [])
  }

  /// The next response must not be taken for one that needs no file.
  @Test("P8", .enabled(if: geteuid() != 0)) func aPartThatCannotBeReplacedFailsEachResponse() throws {
    let part = try writer(300_000)
    let path = folder.file().deletingLastPathComponent().path
    expectEqual(chmod(path, 0o500), 0)
    #expect(throws: NetworkError.self) { try part.begin(head(), of: request()) }
    expectEqual(chmod(path, 0o700), 0)
    let error = #expect(throws: NetworkError.self) { try part.begin(head(), of: request()) }
    expectEqual(error?.code, .cannotWriteFile)
    part.close()
    expectEqual(folder.names, ["film.part", "film.part.journal"])
  }

  @Test("P8") func aClosedPartIsNotChanged() throws {
    let part = try writer(300_000)
    part.close()
    let contents = try folder.names.map { try Data(contentsOf: folder.file($0)) }
    try part.write(Data(count: 5), of: request())
    try expect(part.begin(head(), of: request()))
    try expect(!part.begin(head(206, range: "bytes 300000-300009/300010"), of: request(from: 300_000)))
    try expectEqual(part.finish(request(), refused: head(416), { false }), nil)
    part.close()
    try part.open(key: "a", resumes: true) { false }
    expectNil(part.range)
    try expectEqual(folder.names.map { try Data(contentsOf: folder.file($0)) }, contents)
  }

  @Test("P8") func theRangeIsThatOfTheLatestPiece() throws {
    let part = PartWriter(folder.file(), DownloadOptions())
    expectNil(part.range)
    try part.open(key: "a", resumes: true) { false }
    expectNil(part.range)
    try expect(part.begin(head(), of: request()))
    expectNil(part.range)
    for count in [100, 200, 300] {
      try part.write(Data(count: 100), of: request())
      expectEqual(part.range?.start, count)
      expectEqual(part.range?.validator, "\"one\"")
    }
    // Other content.
    try expectEqual(part.finish(request(from: 300), refused: head(416, range: "bytes */5"), { false }), .incomplete)
    expectNil(part.range)
    part.close()
    expectEqual(folder.names, [])
  }

  @Test("P8") func aRangeFromBeforeTheLatestPieceIsRequestedAgain() throws {
    let part = try writer(100)
    try expect(!part.begin(head(206, range: "bytes 50-199/200"), of: request(from: 50)))
    expectEqual(part.range?.start, 100)
    // A filter that sets the field does so each time.
    let error = #expect(throws: NetworkError.self) {
      try part.begin(head(206, range: "bytes 50-199/200"), of: request(from: 50))
    }
    expectEqual(error?.code, .invalidHeader)
    part.close()
  }

  @Test("P8") func aResponseThatEndsEarlyIsFollowedByAnotherRequest() throws {
    let part = try writer(100, length: 300)
    // Only of a range; the end of a whole response is a lost connection.
    #expect(throws: NetworkError.self) { try part.finish(request()) { false } }
    try expect(part.begin(head(206, range: "bytes 100-199/300"), of: request(from: 100)))
    try part.write(Data(count: 100), of: request())
    try expectEqual(part.finish(request(from: 100)) { false }, .incomplete)
    try expect(part.begin(head(206, range: "bytes 200-299/300"), of: request(from: 200)))
    try part.write(Data(count: 100), of: request())
    try expectEqual(part.finish(request(from: 200)) { false }, .finished)
    expectEqual(folder.names, ["film"])
    // The end of the file does nothing more to it.
    part.close()
    try expectEqual(Data(contentsOf: folder.file()).count, 300)
  }

  @Test("P8") func theJournalOfARemovedPartIsRemoved() throws {
    let part = try writer(300_000)
    expectEqual(folder.names, ["film.part", "film.part.journal"])
    try FileManager.default.removeItem(at: folder.file("film.part"))
    part.close()
    expectEqual(folder.names, [])
  }

  @Test("P8", arguments: [true, false]) func aCancelledOpeningLeavesThePart(_ isCancelled: Bool) throws {
    try writer(700_000).close()
    let part = PartWriter(folder.file(), DownloadOptions())
    try part.open(key: "a", resumes: true) { isCancelled }
    expectEqual(part.range?.start, isCancelled ? nil : 700_000)
    part.close()
    // It is neither locked nor changed.
    let next = PartWriter(folder.file(), DownloadOptions())
    try next.open(key: "a", resumes: true) { false }
    expectEqual(next.range?.start, 700_000)
    next.close()
  }

  @Test("P8") func aSyncOfAPartIsSkippedWhileAnEarlierOneIsInFlight() throws {
    let scheduler = VirtualScheduler()
    let file = try require(OpenFile.opened(folder.file("film.part").path, O_RDWR | O_CREAT))
    var part = PartContent(file, file, validator: "\"one\"", length: nil, codings: "", digest: nil)
    for _ in 0..<3 { part.sync(on: scheduler) }
    expectEqual(scheduler.pendingCount, 1)
    scheduler.run()
    part.sync(on: scheduler)
    expectEqual(scheduler.pendingCount, 1)
  }

  @Test("P8") func aDisposalDoesNotWaitForTheDisk() async throws {
    let kit = TestKit()
    let piece = RangedContent.bytes(300_000)
    kit.stub.on(
      .get, "/film",
      StubAnswer([.head(status: 200, headers: ["ETag": "\"one\""]), .body(piece), .never]))
    let recorder = SignalRecorder(kit.client.download(request: "/film", to: folder.file()))
    await expect(kit.stub.requested(1))
    let queue = PartQueue.queue(of: folder.file())
    let gate = DispatchSemaphore(value: 0)  // blocks: the queue of the destination
    await withCheckedContinuation { continuation in
      queue.schedule {
        continuation.resume()
        gate.wait()
      }
    }
    recorder.dispose()
    // The part is still open: another download cannot have it.
    let other = PartWriter(folder.file(), DownloadOptions())
    do throws(NetworkError) {
      try other.open(key: "a", resumes: true) { false }
      expect(false, "the part is closed on the thread that disposes")
    } catch {
      expectEqual(error.code, .fileInUse)
    }
    gate.signal()
    await withCheckedContinuation { continuation in
      queue.schedule { continuation.resume() }
    }
    try other.open(key: "a", resumes: true) { false }
    other.close()
  }
}
