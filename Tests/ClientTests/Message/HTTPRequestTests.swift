import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

/// Properties of a request that depend on each other.
struct HTTPRequestTests {
  private let url = URL(string: "https://a.example/orders")

  @Test func theMethodDecidesWhetherARequestIsIdempotent() throws {
    var request = HTTPRequest(url: try require(url))
    expect(request.isIdempotent)
    request.method = .post
    expect(!request.isIdempotent)
    request.method = .put
    expect(request.isIdempotent)
    request.isIdempotent = false
    request.method = .get
    expect(!request.isIdempotent)
    var marked = HTTPRequest(method: .put, url: try require(url), isIdempotent: true)
    marked.method = .post
    expect(marked.isIdempotent)
  }

  /// If only its response is lost, it fails with a 412 when it is repeated, because of its own change.
  @Test(arguments: [
    ("If-Match", "\"1\""), ("if-none-match", "*"), ("If-Unmodified-Since", "x"), ("If", "(<x>)"), ("Overwrite", "F"),
    ("If-Schedule-Tag-Match", "\"1\""), ("x-goog-if-generation-match", "0"), ("x-ms-if-tags", "a"),
    ("x-amz-copy-source-if-match", "\"1\""),
  ])
  func aConditionalChangeIsNotIdempotent(
    _ name: String, _ value: String
  ) throws {
    let headers = HTTPHeaders([HTTPHeaders.Field(name: name, value: value)])
    for method: HTTPMethod in [.put, .delete, "MOVE"] {
      let request = HTTPRequest(method: method, url: try require(url), headers: headers)
      expect(!request.isIdempotent)
      expect(HTTPRequest(method: method, url: request.url, headers: headers, isIdempotent: true).isIdempotent)
    }
    for method: HTTPMethod in [.get, .head, "PROPFIND"] {
      expect(HTTPRequest(method: method, url: try require(url), headers: headers).isIdempotent)
    }
    // The value that it has if it is absent.
    expect(HTTPRequest(method: "MOVE", url: try require(url), headers: ["Overwrite": "T"]).isIdempotent)
  }

  @Test(arguments: [
    ("If-Range", "\"1\""), ("If-Modified-Since", "x"), ("Overwrite", "T"), ("X-Gif-Size", "1"), ("X-If", "1"),
  ]) func otherFieldsAreNoCondition(_ name: String, _ value: String) throws {
    let headers = HTTPHeaders([HTTPHeaders.Field(name: name, value: value)])
    expect(HTTPRequest(method: .put, url: try require(url), headers: headers).isIdempotent)
  }

  @Test func aDefaultEqualsTheSameValue() throws {
    let url = try require(url)
    for method in [HTTPMethod.get, .post] {
      let request = HTTPRequest(method: method, url: url)
      let same = HTTPRequest(method: method, url: url, isIdempotent: method == .get)
      expectEqual(request, same)
      expectEqual(Set([request, same]).count, 1)
      expect(request != HTTPRequest(method: method, url: url, isIdempotent: method != .get))
    }
  }

  /// A line that was pasted as a name.
  @Test func anInvalidNameShowsNoCredential() throws {
    let headers: HTTPHeaders = ["Authorization: Bearer hunter2": ""]
    let request = HTTPRequest(url: try require(url), headers: headers)
    let error = try #require(throws: NetworkError.self) { try request.check() }
    expectEqual(error.reason, #"invalid header field name "Authorization…""#)
    expectHidden("hunter2", in: headers)
    expectHidden("hunter2", in: error)
    expectEqual("\(HTTPHeaders.Field(name: "Accept", value: "text/html"))", "Accept: text/html")
  }

  @Test func severalValuesAreJoined() {
    let headers = HTTPHeaders(["1", "2", "3"].map { .init(name: "ETag", value: $0) })
    expectEqual(headers["etag"], "1, 2, 3")
    expectNil(headers["Vary"])
  }
}
