import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

/// Two downloads to one file on a file system without locks: one file is complete, and none is damaged.
struct DownloadLockTests {
  private static let version = RangedContent.bytes(1_000_000)

  let folder: DownloadFolder
  private let request = HTTPRequest(url: URL(fileURLWithPath: "/film"))

  init() throws { folder = try DownloadFolder() }

  /// Opens the part without a lock, which a file system without locks would report as set.
  private func opened() throws -> PartWriter {
    let writer = PartWriter(folder.file(), .with { $0.sha256 = SHA256.hash(Self.version).hexadecimal })
    try writer.open(key: "a", resumes: true) { false }
    removeLocks()
    return writer
  }

  /// Unlocks every descriptor of the part in this process.
  private func removeLocks() {
    let part = FileStatus(path: folder.file("film.part").path)?.identity
    for descriptor in 0..<Int32(4_096) where FileStatus(descriptor: descriptor)?.identity == part {
      expectEqual(flock(descriptor, LOCK_UN), 0)
    }
  }

  private func begin(_ writer: PartWriter, _ tag: String = "\"one\"", _ byteCount: Int = version.count) throws {
    let fields: HTTPHeaders = ["ETag": tag, "Content-Length": "\(byteCount)"]
    try expect(writer.begin(HTTPResponse(statusCode: 200, headers: fields, url: request.url), of: request))
    removeLocks()
  }

  /// Returns the request for the rest of the part, after the head of its response.
  private func beginRest(_ writer: PartWriter) throws -> HTTPRequest {
    let (start, count) = (try require(writer.range).start, Self.version.count)
    var rest = request
    rest.headers = ["Range": "bytes=\(start)-", "If-Range": "\"one\""]
    let fields: HTTPHeaders = ["ETag": "\"one\"", "Content-Range": "bytes \(start)-\(count - 1)/\(count)"]
    try expect(writer.begin(HTTPResponse(statusCode: 206, headers: fields, url: request.url), of: rest))
    return rest
  }

  /// The other download has found checksums for the first block only.
  @Test("P8", arguments: [true, false]) func aDownloadThatJoinsDoesNotRemoveWhatTheFirstHasWritten(
    _ isCancelled: Bool
  ) throws {
    let first = try opened()
    try begin(first)
    try first.write(Self.version[..<300_000], of: request)
    try first.write(Self.version[300_000..<500_000], of: request)
    let second = try opened()
    expectEqual(second.range?.start, 300_000)
    if !isCancelled {
      try second.write(Self.version[300_000..<400_000], of: beginRest(second))
    }
    second.close()
    try first.write(Self.version[500_000...], of: request)
    try expectEqual(first.finish(request) { false }, .finished)
    expectEqual(folder.names, ["film"])
    try expectEqual(Data(contentsOf: folder.file()), Self.version)
  }

  /// A part without a journal would belong to another program, and block the destination.
  @Test("P8") func aDownloadThatJoinsBeforeTheFirstByteLeavesNoPartWithoutItsJournal() throws {
    let first = try opened()
    try begin(first)
    let second = try opened()
    try first.write(Self.version[..<300_000], of: request)
    second.close()
    first.close()
    expectEqual(folder.names, [])
    try opened().close()
  }

  /// The digest of the first download is that of the bytes it has received.
  @Test("P8") func ofTwoDownloadsTheLaterOneReplacesThePartOfTheFirst() throws {
    let (first, second) = (try opened(), try opened())
    try begin(first)
    try first.write(Self.version[..<600_000], of: request)
    let third = try opened()
    #expect(throws: NetworkError.self) { try begin(second) }
    try begin(third, "\"two\"", 500_000)
    try third.write(Data(count: 500_000), of: request)
    try first.write(Self.version[600_000...], of: request)
    let error = #expect(throws: NetworkError.self) { try first.finish(request) { false } }
    expectEqual(error?.code, .cannotWriteFile)
    expectEqual((error?.underlying as? POSIXError)?.code, .ENOENT)
    first.close()
    // Its digest is another one, so the part is removed.
    expectEqual(#expect(throws: NetworkError.self) { try third.finish(request) { false } }?.code, .digestMismatch)
    for writer in [second, third] { writer.close() }
    expectEqual(folder.names, [])
  }

  @Test("P8") func bytesThatNoChecksumCoversAreNotInTheFile() throws {
    let first = try opened()
    try begin(first)
    try first.write(Self.version[..<300_000], of: request)
    first.close()
    let handle = try FileHandle(forWritingTo: folder.file("film.part"))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data(count: 2_000_000))
    try handle.close()
    let second = try opened()
    try second.write(Self.version[300_000...], of: beginRest(second))
    try expectEqual(second.finish(request) { false }, .finished)
    try expectEqual(Data(contentsOf: folder.file()), Self.version)
  }
}
