import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// The failures after which the stored response is delivered, over real connections.
struct CacheOutageTests {
  private let server: LoopbackServer

  init() throws { server = try LoopbackServer() }

  /// Half of a page with a status.
  private static func half(_ status: Int) -> LoopbackResponse {
    .script([.text("HTTP/1.1 \(status) No\r\nContent-Length: 100\r\n\r\nHalf"), .close])
  }

  private func client(
    _ kind: TransportKind, _ rejections: Log<NetworkError.Code> = Log(), then answer: LoopbackResponse
  ) throws -> NetworkClient {
    server.route("GET", "/a") { _ in server.log.requests.count == 1 ? .json("1") : answer }
    var configuration = NetworkClient.Configuration.open(try kind.transport())
    configuration.baseURL = server.baseURL
    configuration.retry = .never
    configuration.onUnauthorized = { rejections.add($0.code) }
    return NetworkClient(configuration)
  }

  private let policies: [CachePolicy] = [.networkThenCache, .timeToLive(.zero, orStored: true)]

  /// Otherwise an account that the server has closed would see its old data, and nobody would sign it out.
  @Test(arguments: TransportKind.present) func aRejectionWithABrokenBodyIsNone(_ kind: TransportKind) async throws {
    let rejections = Log<NetworkError.Code>()
    let client = try client(kind, rejections, then: Self.half(401))
    try await expectEqual(client.value(of: Request(.get, "/a", cache: .networkThenCache), as: Int.self), 1)
    for (index, policy) in policies.enumerated() {
      let error = try await client.failure(of: Request(.get, "/a", cache: policy), as: Int.self)
      expectEqual(error.statusCode, 401)
      expectEqual(error.domain, .network)
      await until { rejections.entries.count == index + 1 }
    }
  }

  @Test(arguments: [.status(408), .status(429), half(429), half(503)] as [LoopbackResponse])
  func aServerThatIsTooBusyIsOne(_ answer: LoopbackResponse) async throws {
    let client = try client(.default, then: answer)
    try await expectEqual(client.value(of: Request(.get, "/a", cache: .networkThenCache), as: Int.self), 1)
    for policy in policies {
      let response = try await client.send(Request(.get, "/a", cache: policy), as: Int.self)
      expectEqual(response.value, 1)
      guard case .cache = response.source else {
        Issue.record("\(response.source)")
        continue
      }
    }
  }
}
