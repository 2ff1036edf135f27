import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

/// The head and the body of a response that is combined from parts: RFC 9111 §3.4.
struct CombinedPartsTests {
  private let url: URL
  private let tag: HTTPHeaders = ["ETag": "\"1\""]

  init() throws {
    url = try require(URL(string: "https://a.example/list"))
  }

  /// A response with a body of digits; without a range it is complete.
  private func response(
    _ body: String, _ range: ContentRange?, _ headers: HTTPHeaders, status: Int? = nil
  ) -> (head: StoredResponse, body: Data) {
    var headers = headers
    headers.merge(tag)
    headers["Content-Range"] = range?.text
    headers["Content-Length"] = "\(body.utf8.count)"
    var head = StoredResponse(
      key: "new", url: url, head: CachedHead(headers, status: status ?? (range == nil ? 200 : 206)), version: 0,
      isHTTP: true)
    head.range = range
    return (head, Data(body.utf8))
  }

  private func found(_ response: (head: StoredResponse, body: Data)) -> FoundResponse {
    FoundResponse(name: .number(1), response: response.head, body: .data(response.body))
  }

  private func range(_ first: Int, _ last: Int, of length: Int = 5) -> ContentRange? {
    ContentRange(first: first, last: last, length: length)
  }

  private let old: HTTPHeaders = [
    "Content-Type": "application/json", "X-Kept": "1", "X-Changed": "1", "Age": "9", "Vary": "X",
    "Content-Digest": "sha-256=:old:", "Content-MD5": "old",
  ]
  private let new: HTTPHeaders = ["X-Changed": "2", "X-New": "2", "Date": date(5), "Content-MD5": "new"]

  /// The fields of both, without the length and the age of the earlier one.
  private func expected(_ added: HTTPHeaders) -> [String: String] {
    var fields = [
      "Content-Type": "application/json", "X-Kept": "1", "X-Changed": "2", "X-New": "2", "Vary": "X", "ETag": "\"1\"",
      "Date": date(5),
    ]
    for field in added { fields[field.name] = field.value }
    return fields
  }

  private func fields(_ headers: HTTPHeaders) -> [String: String] {
    Dictionary(headers.map { ($0.name, $0.value) }) { $0 + ", " + $1 }
  }

  /// The digest of the whole is not that of a range of it.
  @Test(arguments: [("bytes=1-2", 206), ("bytes=9-", 416), ("bytes=0-", 206)])
  func aRangeHasNoDigestOfTheWhole(_ range: String, _ status: Int) {
    var request = HTTPRequest(url: url, headers: ["Range": range])
    request.cachePolicy = .http
    let reply = found(response("01234", nil, ["Content-Digest": "sha-256=:whole:", "Cache-Control": "max-age=9"]))
      .reply(to: request, from: .cache(age: .zero))
    expectEqual(reply.head.statusCode, status)
    expectEqual(reply.head.headers["Content-Digest"] == nil, range != "bytes=0-")
  }

  @Test func theRestChangesTheFieldsOfTheBeginning() throws {
    let rest = response("34", range(3, 4), new).head.head
    let received = HTTPResponse(statusCode: 206, headers: rest.headers, url: url)
    let (whole, beginning) = try require(found(response("012", range(0, 2), old)).completed(by: rest, received))
    expectEqual(whole.statusCode, 200)
    expectEqual(fields(whole.headers), expected(["Content-Length": "5"]))
    expectEqual(beginning, Data("012".utf8))
  }

  @Test(arguments: [(0, 2, 3, 4), (3, 4, 0, 2), (0, 3, 2, 4), (0, 1, 2, 3)])
  func aJoinedPartHasTheFieldsOfBoth(_ first: Int, _ last: Int, _ newFirst: Int, _ newLast: Int) throws {
    func digits(_ first: Int, _ last: Int) -> String { (first...last).map(String.init).joined() }
    let earlier = found(response(digits(first, last), range(first, last), old))
    let part = response(digits(newFirst, newLast), range(newFirst, newLast), new)
    let (joined, body) = try require(earlier.joined(with: part.head, part.body))
    let end = max(last, newLast)
    let isWhole = end == 4
    expectEqual(String(decoding: body, as: UTF8.self), digits(0, end))
    expectEqual(joined.range, isWhole ? nil : range(0, end))
    expectEqual(joined.head.statusCode, isWhole ? 200 : 206)
    let added: HTTPHeaders =
      isWhole ? ["Content-Length": "5"] : ["Content-Length": "\(end + 1)", "Content-Range": "bytes 0-\(end)/5"]
    expectEqual(fields(joined.head.headers), expected(added))
    expectEqual(joined.key, "new")
  }

  /// The field that selects the variant of the earlier part is set below the cache.
  @Test func aJoinedPartVariesAsTheEarlierOne() throws {
    var earlier = response("012", range(0, 2), old)
    earlier.head.variesBelowCache = true
    let part = response("34", range(3, 4), new)
    let (joined, _) = try require(found(earlier).joined(with: part.head, part.body))
    expect(joined.variesBelowCache)
  }
}
