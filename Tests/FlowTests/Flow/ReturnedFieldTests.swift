import Foundation
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

@testable import Heliograph

/// Values of a response that a later request would send back: with a control character each such request would fail.
struct ReturnedFieldTests {
  let server: LoopbackServer

  init() throws {
    server = try LoopbackServer()
  }

  private func response(_ status: Int = 200, _ fields: String, _ body: String = "a") -> LoopbackResponse {
    .script([.text("HTTP/1.1 \(status) OK\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\r\n\(body)")])
  }

  private func client(
    _ change: (inout NetworkClient.Configuration) -> Void = { _ in }
  ) throws -> NetworkClient {
    var configuration = NetworkClient.Configuration(
      baseURL: server.baseURL, transport: try TransportKind.default.transport())
    change(&configuration)
    return NetworkClient(configuration)
  }

  @Test(arguments: ["ETag: \"v\u{1}\"", "Last-Modified: Mon, 01 Jan 2024 00:00:00 GMT\u{7F}"])
  func aValidatorThatCannotBeSentIsAbsent(_ field: String) async throws {
    let response = response(200, "Cache-Control: max-age=0\r\nDate: \(HTTPDate.text(of: Date()))\r\n\(field)")
    server.route("GET", "/a") { _ in response }
    let store = StoreFolder()
    for _ in 0..<2 {
      // The second client finds it on disk.
      let cache = try ResponseCache(folder: store.url)
      let client = try client { $0.cache = cache }
      for policy in [CachePolicy.http, .networkThenCache, .timeToLive(.zero)] {
        let value = try await client.value(of: Request(.get, "/a", cache: policy), as: String.self)
        expectEqual(value, "a")
      }
    }
    expectEqual(server.log.requests.count, 6)
  }

  @Test func theRestOfAResponseWhoseTagCannotBeSentIsNotRequested() async throws {
    let part = response(
      206, "Cache-Control: max-age=60\r\nETag: \"v\u{1}\"\r\nContent-Range: bytes 0-1/4", "ab")
    let whole = response(200, "Cache-Control: max-age=60", "abcd")
    server.route("GET", "/a") { $0.header("Range") == nil ? whole : part }
    let client = try client {
      $0.cache = ResponseCache()
      $0.cachePolicy = .http
    }
    _ = try await client.send(Request(.get, "/a", headers: ["Range": "bytes=0-1"]))
    try await expectEqual(client.value(of: "/a", as: String.self), "abcd")
  }

  @Test(arguments: ["ETag: \"v\u{1}\"", "Last-Modified: Mon, 01 Jan 2024 00:00:00 GMT\u{1}"])
  func aDownloadWhoseTagCannotBeSentStartsOver(_ field: String) async throws {
    let folder = try DownloadFolder()
    let isCut = Guarded(true)
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 200000\r\nDate: \(HTTPDate.text(of: Date()))\r\n\(field)\r\n\r\n"
    server.route("GET", "/film") { _ in
      let count = isCut.withLock { $0 } ? 150_000 : 200_000
      return .script([.text(head), .bytes(Data(count: count)), .close])
    }
    let client = try client()
    await #expect(throws: NetworkError.self) { try await client.download("/film", to: folder.file()) }
    isCut.withLock { $0 = false }
    _ = try await client.download("/film", to: folder.file())
    try expectEqual(Data(contentsOf: folder.file()), Data(count: 200_000))
    expectEqual(server.log.requests.map { $0.header("Range") }, [nil, nil])
  }

  @Test(arguments: [
    "realm=\"r\u{1}\", nonce=\"n\"", "realm=\"r\", nonce=\"n\u{7F}\"", "realm=\"r\", nonce=\"n\", opaque=\"\u{2}\"",
  ])
  func aDigestChallengeThatCannotBeAnsweredIsDelivered(_ parameters: String) async throws {
    let refusal = response(401, "WWW-Authenticate: Digest qop=\"auth\", \(parameters)")
    server.route("GET", "/a") { $0.header("Authorization") == nil ? refusal : .text("b") }
    let origin = try require(Origin(server.baseURL))
    let client = try client {
      $0.transport = DigestTransport($0.transport, origins: [origin]) {
        (user: "ada", password: "sesame")
      }
    }
    for _ in 0..<2 {
      let response = try await client.exchange(request: "/a").value()
      expectEqual(response.statusCode, 401)
    }
    expectEqual(server.log.requests.count, 2)
  }

  @Test func aNextNonceThatCannotBeSentIsIgnored() async throws {
    let refusal = response(401, "WWW-Authenticate: Digest qop=\"auth\", realm=\"r\", nonce=\"n\"")
    let success = response(200, "Authentication-Info: nextnonce=\"m\u{1}\"")
    server.route("GET", "/a") { $0.header("Authorization") == nil ? refusal : success }
    let origin = try require(Origin(server.baseURL))
    let client = try client {
      $0.transport = DigestTransport($0.transport, origins: [origin]) {
        (user: "ada", password: "sesame")
      }
    }
    for _ in 0..<2 { try await expectEqual(client.value(of: "/a", as: String.self), "a") }
    expectEqual(server.log.requests.last?.header("Authorization")?.contains("nonce=\"n\""), true)
  }
}
