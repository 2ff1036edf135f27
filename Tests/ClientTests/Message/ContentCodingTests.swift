import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

struct ContentCodingTests {
  @Test(
    arguments: [
      ([], false), ([""], false), (["identity"], false), (["Identity , ,"], false), (["", "identity"], false),
      (["gzip"], true), (["identity, br"], true), (["identity", "GZIP"], true),
      (["utf-8"], false), (["aws-chunked"], false), (["aws-chunked,gzip"], true), (["compress"], true),
    ] as [([String], Bool)])
  func identityAndEmptyMembersAreNoCodings(_ values: [String], _ isCoded: Bool) throws {
    var headers: HTTPHeaders = ["ETag": "\"one\"", "Content-Length": "5"]
    for value in values { headers.add(value, for: "content-encoding") }
    expectEqual(headers.hasContentCoding, isCoded)
    // Such a body can be resumed, and its size is known.
    var head = HTTPResponse(statusCode: 200, headers: headers, url: try require(URL(string: "https://a.example/")))
    expectEqual(head.strongValidator, isCoded ? nil : "\"one\"")
    expectEqual(head.fileByteCount, isCoded ? nil : 5)
    // So can one that is delivered as it was sent, unless it may have been coded while it was sent.
    head.keepsContentCodings = true
    expectEqual(head.strongValidator, "\"one\"")
    head.headers["Content-Length"] = nil
    expectEqual(head.strongValidator, isCoded ? nil : "\"one\"")
    let now = Date(timeIntervalSince1970: 0)
    let stored = CachedHead(statusCode: 200, headers: headers, requestedAt: now, receivedAt: now)
    expectEqual(stored.isEncoded, isCoded)
  }

  #if HELIOGRAPH_CURL && canImport(Glibc)
  /// A cache and an inspector retain pieces, and count their bytes.
  @Test(.enabled(if: ContentCoding.gzip.isSupported)) func aDecodedPieceTakesNoMoreMemoryThanItsBytes() throws {
    let inflater = try Inflater(.gzip)
    inflater.feed(Compressed.gzip)
    let piece = try require(try inflater.next())
    expectEqual(piece, Compressed.plain)
    let sizeOf = try require(dlsym(nil, "malloc_usable_size"))
    let allocatedByteCount = unsafeBitCast(sizeOf, to: (@convention(c) (UnsafeRawPointer?) -> Int).self)
    let size = piece.withUnsafeBytes { allocatedByteCount($0.baseAddress) }
    expect(size < 2 * piece.count, "\(size) bytes for \(piece.count)")
  }
  #endif
}
