import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

struct NetworkErrorTests {
  private let url = URL(string: "https://ada:pw@api.example.com/users?token=secret#top")

  @Test func theDescriptionTellsNoSecret() async throws {
    let lines = Log<String>()
    let shop = try Shop { $0.monitors = [ConsoleMonitor { lines.add($0) }] }
    try shop.server.stopForGood()
    let error = try require(await shop.products("/product?token=secret").failure)
    for text in ["\(error)", lines.entries.joined(separator: "\n")] {
      expect(text.contains("network error -1004"))
      expect(text.contains("/product?…"))
      expect(!text.contains("secret"))
    }
  }

  @Test func theMessageIsNeverEmpty() {
    for domain in NetworkError.Domain.allCases {
      let error = NetworkError(NetworkError.Code(domain, 1))
      expect(!error.message.isEmpty)
      expectEqual(NetworkError(error.code, message: "余额不足").message, "余额不足")
      expectEqual(error.localizedDescription, error.message)
    }
  }

  @Test func aRequestIsDescribedWithoutUserAndQuery() throws {
    let request = HTTPRequest(method: .post, url: try require(url), headers: ["Authorization": "Bearer s", "X": "y"])
    expectEqual("\(request)", "POST https://api.example.com/users?…")
    expectEqual("\(request.headers)", "Authorization: <redacted>\nX: y")
  }
}
