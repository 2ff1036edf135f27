import Foundation
import Heliograph
import Testing

struct RequestBuilderLawTests {
  private let builder = RequestBuilder(baseURL: URL(string: "https://api.example/v1?key=1"), headers: ["Accept": "*/*"])

  private func request(_ pick: inout Pick) -> Request {
    let query = (0..<Int.random(in: 0...3, using: &pick)).map { _ in
      (pick.text(), Bool.random(using: &pick) ? .string(pick.text()) : ParameterValue.null)
    }
    var request = Request(pick.one(of: [.get, .post]), pick.one(of: ["", "/a", "b/c%20d", "e?f=%2F&g", "/h;i#j"]))
    request.query = Parameters(ParameterObject(query))
    request.headers = ["X-A": pick.one(of: ["1", "2"])]
    request.body = pick.one(of: [.empty, .data(Data([1, 2]), contentType: "a/b"), .json(["b": 1, "a": 2, "é": 3])])
    return request
  }

  @Test("S0-23") func sameRequestGivesSameBytes() throws {
    var pick = Pick()
    for _ in 0..<2_000 {
      let request = request(&pick)
      let (first, second) = (try builder.build(request), try builder.build(request))
      #expect(first == second, "seed \(pick.seed)")
      #expect(first.url.absoluteString.utf8.elementsEqual(second.url.absoluteString.utf8), "seed \(pick.seed)")
    }
  }

  @Test("S0-23") func buildingAgainChangesNothing() throws {
    var pick = Pick()
    for _ in 0..<2_000 {
      let built = try builder.build(request(&pick))
      var again = Request(built.method, RequestPath(built.url.absoluteString))
      again.headers = built.headers
      if case .data(let data) = built.body {
        again.body = .data(data, contentType: built.headers["Content-Type"] ?? "")
      }
      #expect(try builder.build(again) == built, "seed \(pick.seed)")
      #expect(try builder.build(again).url.absoluteString == built.url.absoluteString, "seed \(pick.seed)")
    }
  }

  @Test func anyQueryComesBack() throws {
    var pick = Pick()
    let builder = RequestBuilder(baseURL: URL(string: "https://api.example/"))
    for _ in 0..<10_000 {
      let item = URLQueryItem(name: pick.text(), value: pick.text())
      var request = Request(.get, "/a")
      request.query = Parameters(ParameterObject([(item.name, .string(item.value ?? ""))]))
      let url = try builder.build(request).url
      let found = try #require(URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems, "seed \(pick.seed)")
      // Swift compares strings by canonical equivalence; the bytes must be the same.
      let isSame =
        found.count == 1 && found[0].name.utf8.elementsEqual(item.name.utf8)
        && (found[0].value ?? "").utf8.elementsEqual((item.value ?? "").utf8) && found[0].value != nil
      #expect(isSame, "seed \(pick.seed): \(item.debugDescription) came back as \(found)")
    }
  }
}
