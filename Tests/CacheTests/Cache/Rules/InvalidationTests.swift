import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

struct InvalidationTests {
  private let address = "https://api.example/v1/items?page=1"

  private func addresses(
    _ method: HTTPMethod = .post, _ status: Int = 200, _ headers: HTTPHeaders = [:], of address: String? = nil
  ) throws -> [String] {
    let url = try require(URL(string: address ?? self.address))
    let response = HTTPResponse(statusCode: status, headers: headers, url: url)
    return Invalidation.addresses(of: method, url: url, response: response).map(\.absoluteString)
  }

  @Test func unsafeAndUnknownMethodsInvalidate() throws {
    for method: HTTPMethod in [.post, .put, .delete, .patch, "M-SEARCH", "PROPPATCH", "get"] {
      try expectEqual(addresses(method), [address])
    }
    for method: HTTPMethod in [.get, .head, .options, "TRACE", "PROPFIND", "REPORT", "SEARCH", "QUERY"] {
      try expectEqual(addresses(method), [])
    }
  }

  @Test func errorsInvalidateNothing() throws {
    for status in [200, 201, 204, 299, 301, 303, 304, 399] { try expectEqual(addresses(.put, status), [address]) }
    for status in [100, 199, 400, 404, 500, 503, 599] { try expectEqual(addresses(.put, status), []) }
  }

  @Test(
    arguments: [
      ("https://api.example/v1/items/7", "https://api.example/v1/items/7"),
      ("HTTPS://API.example:443/x", "HTTPS://API.example:443/x"), ("/x?y=1", "https://api.example/x?y=1"),
      ("7", "https://api.example/v1/7"), ("../x", "https://api.example/x"),
      ("?page=2", "https://api.example/v1/items?page=2"),
      ("https://api.example/v1/../x", "https://api.example/x"), ("//api.example/./x", "https://api.example/x"),
      ("//api.example/x", "https://api.example/x"), (" /x ", "https://api.example/x"),
      ("/x#y", "https://api.example/x"),
      ("/\u{E9}", "https://api.example/%C3%A9"),
      ("https://other.example/x", nil), ("http://api.example/x", nil), ("https://api.example:444/x", nil),
      ("//other.example/x", nil), ("https://user@api.example/x", nil), ("mailto:a@api.example", nil), ("", nil),
      (" ", nil),
      ("https://api.example.evil/x", nil),
    ] as [(String, String?)])
  func addressesOfTheSameOriginAreInvalidToo(_ location: String, _ expected: String?) throws {
    for name in ["Location", "content-location"] {
      try expectEqual(addresses(.post, 201, [name: location]), [address] + (expected.map { [$0] } ?? []))
    }
  }

  @Test func eachAddressOccursOnce() throws {
    let headers: HTTPHeaders = ["Location": "/x", "Content-Location": "https://api.example/x"]
    try expectEqual(addresses(.post, 201, headers), [address, "https://api.example/x"])
    try expectEqual(addresses(.post, 201, ["Content-Location": address]), [address])
    try expectEqual(addresses(.post, 201, ["Location": "#x"], of: address + "#y"), [address])
  }

  /// A server may send thousands, and each would be compared with all before it and looked up in the store.
  @Test func onlyTheFirstFieldOfANameCounts() throws {
    var headers = HTTPHeaders()
    for number in 0..<10_000 {
      headers.add("/\(number)", for: "Location")
      headers.add("/content/\(number)", for: "Content-Location")
    }
    try expectEqual(
      addresses(.post, 201, headers), [address, "https://api.example/0", "https://api.example/content/0"])
  }
}
