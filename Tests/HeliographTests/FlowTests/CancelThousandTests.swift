import Foundation
import Heliograph
import HeliographTesting
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.serialized) struct CancelThousandTests {
  /// A thousand requests to a route that never answers are started and disposed, five times over.
  @Test(.timeLimit(.minutes(2))) func aThousandDisposedRequestsCloseTheirConnectionsAndLeaveNothing() async throws {
    let configuration = URLSessionConfiguration.default
    configuration.httpMaximumConnectionsPerHost = 1000
    let shop = try Shop(transport: URLSessionTransport(configuration: configuration))
    shop.server.route("GET", "/stuck") { _ in .never }
    let callbacks = Atomic<Int>(0)
    var afterSecond = 0
    for round in 1...5 {
      let handles = (0..<1000).map { _ in
        shop.client.enqueue(request: "/stuck", resultType: Product.self).subscribe { _ in
          callbacks.add(1, ordering: .relaxed)
        }
      }
      #expect(await shop.server.wait(for: .seconds(20)) { $0.requests.count == 1000 })
      for handle in handles { handle.dispose() }
      #expect(await shop.server.wait(for: .seconds(20)) { $0.openConnectionCount == 0 })
      #expect(shop.server.log.connections.allSatisfy { $0.closedBy == .client })
      shop.server.forgetRequests()
      print("round", round, residentByteCount() / 1024)
      if round == 2 { afterSecond = residentByteCount() }
    }
    #expect(shop.server.log.acceptedCount == 5000)
    #expect(callbacks.load(ordering: .relaxed) == 0)
    #expect(residentByteCount() - afterSecond <= 2 << 20)
  }
}
