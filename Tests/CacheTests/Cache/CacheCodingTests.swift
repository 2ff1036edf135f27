import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Bodies with a content coding: a request with its own `Accept-Encoding` gets them as sent, other requests decoded.
struct CacheCodingTests {
  private let policies: [CachePolicy] = [.http, .timeToLive(.seconds(600))]

  /// Returns the body, and the number of requests that the server has received by then.
  private func get(_ shop: Shop, _ policy: CachePolicy, isDecoded: Bool) async throws -> (body: Data, count: Int) {
    let headers: HTTPHeaders = isDecoded ? [:] : ["Accept-Encoding": "gzip"]
    let response = try await shop.client.send(Request(.get, "/a", headers: headers, cache: policy), as: Data.self)
    return (response.value, shop.server.log.requests(to: "/a").count)
  }

  @Test(arguments: TransportKind.present, [[true, false, true, false], [false, true, true, false]])
  func aCodedBodyIsSharedByRequestsThatDecodeIt(_ kind: TransportKind, _ order: [Bool]) async throws {
    for policy in policies {
      let shop = try Shop(transport: kind.transport())
      shop.server.route("GET", "/a") { _ in
        .data(Compressed.gzip).header("Content-Encoding", "gzip").header("Cache-Control", "max-age=600")
      }
      var counts: [Int] = []
      for isDecoded in order {
        let (body, count) = try await get(shop, policy, isDecoded: isDecoded)
        counts.append(count)
        if isDecoded { expectEqual(body, Compressed.plain) }
        // `URLSession` decodes the body of every request.
        if !isDecoded, kind == .curl { expectEqual(body, Compressed.gzip) }
      }
      expectEqual(counts, [1, 2, 2, 3])
    }
  }

  @Test(arguments: TransportKind.present) func aPlainBodyIsSharedByAllRequests(_ kind: TransportKind) async throws {
    for policy in policies {
      let shop = try Shop(transport: kind.transport())
      shop.server.route("GET", "/a") { _ in .text("plain").header("Cache-Control", "max-age=600") }
      for isDecoded in [false, true, false] {
        let (body, count) = try await get(shop, policy, isDecoded: isDecoded)
        expectEqual(String(decoding: body, as: UTF8.self), "plain")
        expectEqual(count, 1)
      }
    }
  }
}
