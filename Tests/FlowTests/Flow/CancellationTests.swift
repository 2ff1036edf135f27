import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

@Suite(.serialized) struct CancellationTests {
  @Test("S2-4 S0-22 S2-25") func disposingClosesTheConnection() async throws {
    let shop = try Shop()
    shop.server.route("GET", "/stuck") { _ in .never }
    var fastest = Duration.seconds(60)
    // The machine may be busy, but not each time.
    for round in 1...10 where fastest >= .milliseconds(200) {
      let recorder = SignalRecorder(shop.client.enqueue(request: "/stuck", resultType: Product.self))
      await expect(shop.server.wait { $0.requests.count == round })
      let disposedAt = ContinuousClock.now
      recorder.dispose()
      recorder.dispose()
      await expect(shop.server.wait { $0.openConnectionCount == 0 })
      let closedAt = try require(shop.server.log.connections.last?.closedAt)
      fastest = min(fastest, closedAt - disposedAt)
      expect(recorder.events.isEmpty)
    }
    expect(fastest < .milliseconds(200))
  }

  @Test("S2-4") func disposingInTheMiddleOfABodyStopsIt() async throws {
    let shop = try Shop()
    shop.server.route("GET", "/long") { _ in
      .chunked(Array(repeating: Data(repeating: 65, count: 1000), count: 1000), every: .milliseconds(10))
    }
    let recorder = SignalRecorder(shop.client.configuration.transport.send(HTTPRequest(url: shop.server.url("/long"))))
    await expect(recorder.wait { $0.count >= 3 })
    recorder.dispose()
    let count = recorder.events.count
    await expect(shop.server.wait { $0.openConnectionCount == 0 })
    expectEqual(recorder.events.count, count)
  }

  @Test("S2-4") func disposingAfterTheEndLeavesTheConnectionOpen() async throws {
    let shop = try Shop()
    shop.serve("/product", "{}")
    for _ in 0..<5 {
      let recorder = SignalRecorder(shop.client.exchange(request: "/product"))
      await recorder.waitForEnd()
      recorder.dispose()
    }
    expectEqual(shop.server.log.acceptedCount, 1)
  }

  @Test("S2-1, S2-4 T17") func aViewModelsRequestEndsWithIt() async throws {
    final class ViewModel: Sendable {
      let bag = DisposeBag()
      init(_ client: NetworkClient) {
        client.enqueue(request: "/stuck", resultType: Product.self)
          .subscribe(onValue: { [weak self] _ in _ = self }, onFailure: { _ in })
          .disposed(by: bag)
      }
    }
    let shop = try Shop()
    shop.server.route("GET", "/stuck") { _ in .never }
    var viewModel: ViewModel? = ViewModel(shop.client)
    await expect(shop.server.wait { $0.requests.count == 1 })
    withExtendedLifetime(viewModel) {}
    viewModel = nil
    await expect(shop.server.wait { $0.openConnectionCount == 0 })
  }

  @Test("S2-26") func nothingFollowsTheEndOrADisposalUnderRaces() async throws {
    let stub = StubTransport()
    stub.on(.get, "/product", .json(#"[{"id":1,"name":"Lamp"},{"id":2,"name":"Chair"}]"#))
    let client = NetworkClient(.init(baseURL: URL(string: "http://127.0.0.1"), transport: stub))
    let whole: [Event<Int, NetworkError>] = [.value(1), .value(2), .completed]
    for round in 0..<(1_000 * Scale.factor) {
      // Decoded on another thread, which races with the disposal.
      let recorder = SignalRecorder(client.enqueue(request: "/product", resultType: Product.self).map(\.value.id))
      if round % 4 == 0 { await recorder.waitForEnd() }
      if round % 4 == 1 { await recorder.wait { !$0.isEmpty } }
      recorder.dispose()
      let seen = recorder.events
      expect(recorder.violations.isEmpty)
      expect(zip(seen, whole).allSatisfy { "\($0)" == "\($1)" })
      expect(seen.count <= whole.count)
      // One delivery may have been in flight; after it there is none.
      expect(recorder.events.count <= seen.count + 1)
      if round % 4 == 0 { expectEqual(seen.count, whole.count) }
    }
    expectEqual(stub.activeCount, 0)
  }
}
