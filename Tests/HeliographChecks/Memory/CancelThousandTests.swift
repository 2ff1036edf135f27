import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.serialized) struct CancelThousandTests {
  /// Whether nothing else runs in this process, as `.ci/run` sees to.
  private let isAlone = Scale.isMedium
  /// On a busy machine it may take a while until all have been sent.
  private let stuck = Request(.get, "/stuck", options: .with { $0.idleTimeout = .seconds(3600) })

  /// Hundreds of requests to a route that never answers are started and disposed, twice.
  ///
  /// The time that `URLSession` on Linux needs of both cores grows with the square of the connections, and was minutes for
  /// a thousand: there are 300, and a hundred beside other tests.
  @Test("S2-4") func hundredsOfDisposedRequestsCloseTheirConnections() async throws {
    let configuration = URLSessionConfiguration.default
    configuration.httpMaximumConnectionsPerHost = 1000
    let shop = try Shop(transport: URLSessionTransport(configuration: configuration))
    shop.server.route("GET", "/stuck") { _ in .never }
    let outcomes = Mutex<[String]>([])
    let count = isAlone ? 300 : 100
    for _ in 1...2 {
      let handles = (0..<count).map { _ in
        shop.client.enqueue(request: stuck, resultType: Product.self).subscribe { event in
          outcomes.withLock { $0.append("\(event)") }
        }
      }
      await expect(shop.server.wait { $0.requests.count == count })
      for handle in handles { handle.dispose() }
      await expect(shop.server.wait { $0.openConnectionCount == 0 })
      shop.server.forgetRequests()
    }
    expectEqual(shop.server.log.acceptedCount, 2 * count)
    expect(shop.server.log.connections.allSatisfy { $0.isClosedByClient == true })
    expectEqual(outcomes.withLock { Array($0.prefix(3)) }, [])
  }

  /// The same over libcurl, where every descriptor and byte can be accounted for.
  ///
  /// Memory is looked at when nothing else runs in this process.
  @Test("S2-4", .enabled(if: CurlTransport.isAvailable))
  func aThousandDisposedRequestsOverLibcurlLeaveNothing() async throws {
    let settings = TransportSettings(concurrencyLimit: 1000, concurrencyLimitPerHost: 1000)
    let shop = try Shop(transport: try CurlTransport(settings))
    shop.server.route("GET", "/stuck") { _ in .never }
    let callbacks = Atomic<Int>(0)
    var afterSecond = 0
    for round in 1...10 {
      let handles = (0..<1000).map { _ in
        shop.client.exchange(request: stuck).subscribe { _ in callbacks.add(1, ordering: .relaxed) }
      }
      await expect(shop.server.wait { $0.requests.count == 1000 })
      for handle in handles { handle.dispose() }
      await expect(shop.server.wait { $0.openConnectionCount == 0 })
      shop.server.forgetRequests()
      if round == 2 { afterSecond = residentByteCount() }
    }
    expectEqual(callbacks.load(ordering: .relaxed), 0)
    expect(shop.server.log.connections.allSatisfy { $0.isClosedByClient == true })
    if isAlone {
      // The log keeps a record of each of the 8,000 connections that came since, 1 to 1.5 MB; half a kilobyte left by each
      // request would be as much as the limit.
      expect(residentByteCount() - afterSecond <= 4 << 20)
    }
  }

  /// What is ours leaves nothing behind. (URLSession on Linux leaves some kilobytes for each cancelled task, also without
  /// us, so this is not measured over it.)
  @Test func aThousandDisposedRequestsLeaveNothing() throws {
    let stub = StubTransport()
    stub.on(.get, "/stuck", .never)
    let client = NetworkClient(.init(baseURL: URL(string: "http://127.0.0.1"), transport: stub))
    var afterSecond = 0
    for round in 1...5 {
      let handles = (0..<1000).map { _ in
        client.enqueue(request: "/stuck", resultType: Product.self).subscribe { _ in Issue.record("was called") }
      }
      expectEqual(stub.activeCount, 1000)
      for handle in handles { handle.dispose() }
      expectEqual(stub.activeCount, 0)
      stub.forgetRequests()
      if round == 2 { afterSecond = residentByteCount() }
    }
    expectEqual(stub.cancelledCount, 5000)
    if isAlone { expect(residentByteCount() - afterSecond <= 2 << 20) }
  }
}
