#if canImport(Glibc)
import Foundation
import Glibc
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

/// The replacement of a part by that of other content: over SMB, the name of an open file cannot be used again.
struct PartReplacementTests {
  /// The reason for which the part is replaced.
  enum Reason: CaseIterable {
    case anotherResponse, anotherRange, tooManyBytes, wrongDigest, wrongDigestAfterRefusal
  }

  private let folder: DownloadFolder
  private let url = URL(fileURLWithPath: "/film")

  init() throws { folder = try DownloadFolder() }

  private func head(_ status: Int = 200, _ tag: String = "\"one\"", of fields: HTTPHeaders) -> HTTPResponse {
    var fields = fields
    fields["ETag"] = tag
    return HTTPResponse(statusCode: status, headers: fields, url: url)
  }

  @Test("P8", arguments: Reason.allCases) func aPartIsRemovedWhileItIsLockedAndClosedBeforeItIsReplaced(
    _ reason: Reason
  ) throws {
    let request = HTTPRequest(url: url)
    let rest = HTTPRequest(url: url, headers: ["Range": "bytes=3-", "If-Range": "\"one\""])
    let isComplete = reason == .wrongDigest || reason == .wrongDigestAfterRefusal
    let part = PartWriter(folder.file(), .with { $0.sha256 = String(repeating: "0", count: 64) })
    try part.open(key: "a", resumes: true) { false }
    try expect(part.begin(head(of: ["Content-Length": isComplete ? "3" : "10"]), of: request))
    try part.write(Data(count: 3), of: request)
    let watch = inotify_init1(O_NONBLOCK)
    try require(watch >= 0)
    defer { close(watch) }
    try require(inotify_add_watch(watch, folder.url.path, UInt32(IN_CLOSE_WRITE | IN_CREATE | IN_DELETE)) >= 0)
    switch reason {
    case .anotherResponse:
      try expect(part.begin(head(of: ["Content-Length": "5"]), of: request))
    case .anotherRange:
      try expect(!part.begin(head(206, "\"two\"", of: ["Content-Range": "bytes 3-9/10"]), of: rest))
    case .tooManyBytes:
      let error = #expect(throws: NetworkError.self) { try part.write(Data(count: 8), of: request) }
      expectEqual(error?.code, .invalidResponse)
    case .wrongDigest:
      let error = #expect(throws: NetworkError.self) { try part.finish(request) { false } }
      expectEqual(error?.code, .digestMismatch)
    case .wrongDigestAfterRefusal:
      let refusal = head(416, of: ["Content-Range": "bytes */3"])
      let error = #expect(throws: NetworkError.self) { try part.finish(rest, refused: refusal) { false } }
      expectEqual(error?.code, .digestMismatch)
    }
    let events = events(of: watch)
    expectEqual(events.first, "removed film.part")
    expectEqual(Set(events[1..<3]), ["closed film.part", "closed film.part.journal"])
    expectEqual(
      events.dropFirst(3), ["created film.part", "removed film.part.journal", "created film.part.journal"])
    part.close()
  }

  /// Reads the events of a watch, in their order.
  private func events(of watch: Int32) -> [String] {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let byteCount = read(watch, &bytes, bytes.count)
    var (events, offset): ([String], Int) = ([], 0)
    while offset < byteCount {
      let event = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: inotify_event.self) }
      offset += MemoryLayout<inotify_event>.size
      let name = String(decoding: bytes[offset...].prefix(Int(event.len)).prefix { $0 != 0 }, as: UTF8.self)
      offset += Int(event.len)
      let verb =
        switch event.mask {
        case UInt32(IN_CREATE): "created "
        case UInt32(IN_DELETE): "removed "
        default: "closed "
        }
      events.append(verb + name)
    }
    return events
  }
}
#endif
