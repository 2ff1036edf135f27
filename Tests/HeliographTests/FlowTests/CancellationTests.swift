import Foundation
import Heliograph
import HeliographTesting
import Synchronization
import Testing

@Suite(.serialized) struct CancellationTests {
  @Test("S2-4") func disposingClosesTheConnection() async throws {
    let shop = try Shop()
    shop.server.route("GET", "/stuck") { _ in .never }
    let recorder = SignalRecorder(shop.client.enqueue(request: "/stuck", resultType: Product.self))
    #expect(await shop.server.wait { $0.requests.count == 1 })
    let disposedAt = ContinuousClock.now
    recorder.dispose()
    recorder.dispose()
    #expect(await shop.server.wait { $0.openConnectionCount == 0 })
    let closed = try #require(shop.server.log.connections.first?.closedAt)
    #expect(closed - disposedAt < .seconds(1))
    #expect(recorder.events.isEmpty)
  }

  @Test("S2-4") func disposingInTheMiddleOfABodyStopsIt() async throws {
    let shop = try Shop()
    shop.server.route("GET", "/long") { _ in
      .chunked(Array(repeating: Data(repeating: 65, count: 1000), count: 1000), every: .milliseconds(10))
    }
    let recorder = SignalRecorder(shop.client.configuration.transport.send(HTTPRequest(url: shop.server.url("/long"))))
    #expect(await recorder.wait { $0.count >= 3 })
    recorder.dispose()
    let count = recorder.events.count
    #expect(await shop.server.wait { $0.openConnectionCount == 0 })
    #expect(recorder.events.count == count)
  }

  @Test("S2-4") func disposingAfterTheEndLeavesTheConnectionOpen() async throws {
    let shop = try Shop()
    shop.serve("/product", "{}")
    for _ in 0..<5 {
      let recorder = SignalRecorder(shop.client.enqueue(request: "/product"))
      await recorder.waitForEnd()
      recorder.dispose()
    }
    #expect(shop.server.log.acceptedCount == 1)
  }

  @Test("S2-1, S2-4") func aViewModelsRequestEndsWithIt() async throws {
    final class ViewModel: Sendable {
      let bag = DisposeBag()
      init(_ client: NetworkClient) {
        client.enqueue(request: "/stuck", resultType: Product.self)
          .subscribe(onValue: { [weak self] _ in _ = self })
          .disposed(by: bag)
      }
    }
    let shop = try Shop()
    shop.server.route("GET", "/stuck") { _ in .never }
    var viewModel: ViewModel? = ViewModel(shop.client)
    #expect(await shop.server.wait { $0.requests.count == 1 })
    withExtendedLifetime(viewModel) {}
    viewModel = nil
    #expect(await shop.server.wait { $0.openConnectionCount == 0 })
  }

  @Test("S2-26") func nothingFollowsTheEndOrADisposalUnderRaces() async throws {
    let shop = try Shop()
    shop.serve("/product", #"{"id":1,"name":"Lamp"}"#)
    let late = Atomic<Int>(0)
    for round in 0..<500 {
      let isDisposed = Atomic<Bool>(false)
      let recorder = SignalRecorder(
        shop.client.enqueue(request: "/product", resultType: Product.self).observe(on: .global))
      if round % 2 == 0 { await recorder.wait(for: .milliseconds(round % 3)) { !$0.isEmpty } }
      recorder.dispose()
      isDisposed.store(true, ordering: .releasing)
      let count = recorder.events.count
      if recorder.events.count > count { late.add(1, ordering: .relaxed) }
      #expect(recorder.violations.isEmpty)
    }
    #expect(late.load(ordering: .relaxed) == 0)
  }
}
