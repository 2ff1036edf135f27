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
    try await expectInARound {
      let count = shop.server.log.requests.count
      let recorder = SignalRecorder(shop.client.enqueue(request: "/stuck", resultType: Product.self))
      await expect(shop.server.wait { $0.requests.count == count + 1 })
      let disposedAt = ContinuousClock.now
      recorder.dispose()
      recorder.dispose()
      await expect(shop.server.wait { $0.openConnectionCount == 0 })
      expect(recorder.events.isEmpty)
      return try require(shop.server.log.connections.last?.closedAt) - disposedAt < .milliseconds(200)
    }
  }

  @Test("S2-4") func disposingInTheMiddleOfABodyStopsIt() async throws {
    let shop = try Shop()
    shop.server.route("GET", "/long") { _ in
      .chunked(Array(repeating: Data(repeating: 65, count: 1000), count: 30_000), every: .milliseconds(10))
    }
    let recorder = SignalRecorder(shop.client.configuration.transport.send(HTTPRequest(url: shop.server.url("/long"))))
    await expect(recorder.wait { $0.count >= 3 })
    recorder.dispose()
    let count = recorder.events.count
    await expect(shop.server.wait { $0.openConnectionCount == 0 })
    expectEqual(recorder.events.count, count)
  }

  @Test("S2-4") func disposingAfterTheEndLeavesTheConnectionOpen() async throws {
    let shop = try Shop(transport: TransportKind.default.transport())
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

  /// A finished exchange runs its teardown at its end, and so has nothing left to cancel.
  @Test("S2-4", arguments: [200, 500]) func disposingAfterTheEndCancelsNothing(_ status: Int) async throws {
    struct Counted: Transport {
      let teardownCount = CurrentValue(0)
      let disposalCount = CurrentValue(0)
      let status: Int

      func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
        Signal { observer in
          observer.send(.head(HTTPResponse(statusCode: status, headers: [:], url: request.url)))
          observer.send(.body(Data("1".utf8)))
          observer.complete()
          return Disposable { teardownCount.modify { $0 += 1 } }
        }
        .on(dispose: { disposalCount.modify { $0 += 1 } })
      }
    }
    let transport = Counted(status: status)
    let client = NetworkClient(.init(baseURL: URL(string: "http://127.0.0.1"), transport: transport))
    let recorder = SignalRecorder(client.enqueue(request: "/a", resultType: Int.self))
    await recorder.waitForEnd()
    expectEqual(transport.teardownCount.value, 1)
    recorder.dispose()
    recorder.dispose()
    expectEqual(transport.teardownCount.value, 1)
    expectEqual(transport.disposalCount.value, 0)
  }

  @Test("S2-26", arguments: [200, 500]) func nothingFollowsTheEndOrADisposalUnderRaces(_ status: Int) async throws {
    let stub = StubTransport()
    stub.on(.get, "/product", .json(#"[{"id":1,"name":"Lamp"},{"id":2,"name":"Chair"}]"#, status: status))
    // Decoded on other threads, which race with the disposal.
    let queue = DispatchQueue(label: "processing")
    let clients = [DispatchScheduler.global, DispatchScheduler(queue)].map { processing in
      NetworkClient(baseURL: URL(string: "http://127.0.0.1")) {
        $0.transport = stub
        $0.processing = processing
      }
    }
    func send(_ round: Int) -> SignalRecorder<Int, NetworkError> {
      SignalRecorder(clients[round % 2].enqueue(request: "/product", resultType: Product.self).map(\.value.id))
    }
    func texts(_ events: [Event<Int, NetworkError>]) -> [String] {
      events.map { event in
        switch event {
        case .value(let id): "\(id)"
        case .failed(let error): "\(error.code.number)"
        case .completed: "completed"
        }
      }
    }
    let whole = status == 200 ? ["1", "2", "completed"] : ["500"]
    var rounds: [(recorder: SignalRecorder<Int, NetworkError>, seen: [String], inFlight: Int)] = []
    for round in 0..<(500 * Scale.factor) {
      // Nothing can be in flight at the disposal.
      let isSuspended = round % 8 == 7
      if isSuspended { queue.suspend() }
      let recorder = send(round)
      switch round / 2 % 4 {
      case 0: await recorder.waitForEnd()
      case 1: await recorder.wait { !$0.isEmpty }
      case 2: await Task.yield()
      default: break
      }
      recorder.dispose()
      rounds.append((recorder, texts(recorder.events), isSuspended ? 0 : 1))
      if isSuspended { queue.resume() }
      if round / 2 % 4 == 0 { expectEqual(rounds[round].seen, whole) }
    }
    // Their work is behind that of all others.
    for round in 0..<2 { await send(round).waitForEnd() }
    for (recorder, seen, inFlight) in rounds {
      let all = texts(recorder.events)
      expect(recorder.violations.isEmpty)
      expect(whole.starts(with: all), "\(all)")
      // One delivery may have been in flight; after it there is none.
      expect(all.starts(with: seen) && all.count <= seen.count + inFlight, "\(seen), then \(all)")
    }
    expectEqual(stub.activeCount, 0)
  }
}
