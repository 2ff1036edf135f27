import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

struct RequestBuilderTests {
  private let builder = RequestBuilder(baseURL: URL(string: "https://api.example.com/v1/"), headers: ["X-App": "shop"])

  @Test(arguments: [
    ("/users", "https://api.example.com/v1/users"),
    ("users", "https://api.example.com/v1/users"),
    ("", "https://api.example.com/v1"),
    ("/users/?a=1", "https://api.example.com/v1/users/?a=1"),
    ("/a%20b", "https://api.example.com/v1/a%20b"),
    ("/é%20?a[]=x%20y|z", "https://api.example.com/v1/%C3%A9%20?a%5B%5D=x%20y%7Cz"),
    ("https://[::1]:1/{%7b}", "https://[::1]:1/%7B%7b%7D"),
    ("/users#top", "https://api.example.com/v1/users"),
    ("http://other.example", "http://other.example/"),
    ("HTTP://other.example:8080/x?y#z", "HTTP://other.example:8080/x?y"),
  ])
  func joinsPathsToTheBaseAddress(_ path: String, _ expected: String) throws {
    var builder = builder
    builder.allowsInsecureHTTP = true
    try expectEqual(builder.build(Request(.get, RequestPath(path))).url.absoluteString, expected)
  }

  @Test func addsTheQueryPercentEncoded() throws {
    let request = Request(.get, "/find?x=1", query: ["q": "a b&c=d+é/?", "empty": ""])
    try expectEqual(
      builder.build(request).url.absoluteString,
      "https://api.example.com/v1/find?x=1&q=a%20b%26c%3Dd%2B%C3%A9%2F%3F&empty=")
  }

  @Test func theRequestsHeadersReplaceTheClients() throws {
    let built = try builder.build(Request(.get, "/", headers: ["x-app": "own", "Accept": "a"]))
    expectEqual(built.headers, ["X-App": "own", "Accept": "a"])
  }

  @Test func encodesJSONWithItsContentType() throws {
    let built = try builder.build(Request(.post, "/", body: .json(["b": 1, "a": 2])))
    expectEqual(built.body, .data(Data(#"{"a":2,"b":1}"#.utf8)))
    expectEqual(built.headers["content-type"], "application/json")
  }

  @Test func theSameInputGivesTheSameRequest() throws {
    let request = Request(.post, "/x", query: ["a": "1", "b": "2"], body: .json(["k": [1, 2], "j": []]))
    let built = try builder.build(request)
    for _ in 0..<20 { try expectEqual(builder.build(request), built) }
  }

  @Test(arguments: ["", "GE T", "GET\r\n", "G\u{0}T", "GÉT", "GET:"])
  func refusesWhatIsNoMethod(_ method: String) {
    expectEqual(code(of: Request(HTTPMethod(rawValue: method), "/")), .invalidMethod)
  }

  @Test(arguments: ["", "X Y", "X\r\nY", "X:", "X\u{0}", "Ünder"])
  func refusesWhatIsNoHeaderName(_ name: String) {
    expectEqual(code(of: Request(.get, "/", headers: HTTPHeaders([.init(name: name, value: "v")]))), .invalidHeader)
  }

  @Test(arguments: ["a\r\nInjected: 1", "a\nb", "a\rb", "a\u{0}b"])
  func refusesCRAndLFAndNULInAValue(_ value: String) {
    expectEqual(code(of: Request(.get, "/", headers: ["X": value])), .invalidHeader)
  }

  @Test(arguments: [
    "ftp://a.example/", "file:///etc/passwd", "http://", "http:///x", "/a b", "/a\r\nb", "//other.example/x", "/%zz",
    "javascript:alert(1)", "http://[::1",
  ])
  func refusesWhatIsNoAddress(_ path: String) {
    expectEqual(code(of: Request(.get, RequestPath(path))), .invalidURL)
  }

  @Test func refusesARelativePathWithoutABase() {
    do throws(NetworkError) {
      _ = try RequestBuilder().build(Request(.get, "/x"))
      Issue.record("was built")
    } catch {
      expectEqual(error.code, .invalidURL)
    }
  }

  @Test func refusesABodyThatCannotBeEncoded() {
    expectEqual(code(of: Request(.post, "/", body: .json(Double.nan))), .invalidBody)
  }

  private func code(of request: Request) -> NetworkError.Code? {
    do throws(NetworkError) {
      _ = try builder.build(request)
      return nil
    } catch {
      expectEqual(error.domain, .client)
      return error.code
    }
  }
}
