import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

struct ContentCodingTests {
  @Test(
    arguments: [
      ([], false), ([""], false), (["identity"], false), (["Identity , ,"], false), (["", "identity"], false),
      (["gzip"], true), (["identity, br"], true), (["identity", "GZIP"], true), (["x"], true),
    ] as [([String], Bool)])
  func identityAndEmptyMembersAreNoCodings(_ values: [String], _ isCoded: Bool) throws {
    var headers: HTTPHeaders = ["ETag": "\"one\"", "Content-Length": "5"]
    for value in values { headers.add(value, for: "content-encoding") }
    expectEqual(headers.hasContentCoding, isCoded)
    // Such a body can be resumed, and its size is known.
    let head = HTTPResponse(statusCode: 200, headers: headers, url: try require(URL(string: "https://a.example/")))
    expectEqual(head.strongValidator, isCoded ? nil : "\"one\"")
    expectEqual(head.fileByteCount, isCoded ? nil : 5)
    let now = Date(timeIntervalSince1970: 0)
    let stored = CachedHead(statusCode: 200, headers: headers, requestedAt: now, receivedAt: now)
    expectEqual(stored.isEncoded, isCoded)
  }
}
