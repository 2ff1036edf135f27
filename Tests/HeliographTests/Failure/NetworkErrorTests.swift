import Foundation
import Heliograph
import HeliographTesting
import Testing

@Suite struct NetworkErrorTests {
  private let url = URL(string: "https://ada:pw@api.example.com/users?token=secret#top")

  @Test func theDescriptionTellsNoSecret() async throws {
    let lines = Lines()
    let shop = try Shop { $0.monitors = [ConsoleMonitor { lines.add($0) }] }
    shop.server.stop()
    let error = try #require(await shop.products("/product?token=secret").failure)
    for text in ["\(error)", lines.all.joined(separator: "\n")] {
      #expect(text.contains("network error -1004"))
      #expect(text.contains("/product?…"))
      #expect(!text.contains("secret"))
    }
  }

  @Test func theMessageIsNeverEmpty() {
    for domain in NetworkError.Domain.allCases {
      #expect(!NetworkError(domain, 1).message.isEmpty)
      #expect(NetworkError(domain, 1, message: "余额不足").message == "余额不足")
      #expect(NetworkError(domain, 1).localizedDescription == NetworkError(domain, 1).message)
    }
  }

  @Test func aRequestIsDescribedWithoutUserAndQuery() throws {
    let request = HTTPRequest(method: .post, url: try #require(url), headers: ["Authorization": "Bearer s", "X": "y"])
    #expect("\(request)" == "POST https://api.example.com/users?…")
    #expect("\(request.headers)" == "Authorization: <redacted>\nX: y")
  }
}
