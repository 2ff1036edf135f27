@preconcurrency import Dispatch
import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

struct ColdRequestTests {
  @Test("S2-2") func sendsNothingBeforeASubscription() async throws {
    let shop = try Shop()
    shop.serve("/product", #"{"id":1,"name":"Lamp"}"#)
    let signal = shop.client.enqueue(request: "/product", resultType: Product.self)
    let other = SignalRecorder(shop.client.exchange(request: "/other"))
    await other.waitForEnd()
    expect(shop.server.log.requests(to: "/product").isEmpty)
    withExtendedLifetime(signal) {}
  }

  @Test("S2-2, T4") func sendsOnceForEachSubscription() async throws {
    let shop = try Shop()
    shop.serve("/product", #"{"id":1,"name":"Lamp"}"#)
    let signal = shop.client.enqueue(request: "/product", resultType: Product.self)
    let recorders = [SignalRecorder(signal), SignalRecorder(signal)]
    for recorder in recorders {
      await recorder.waitForEnd()
      expectEqual(recorder.values.map(\.value.name), ["Lamp"])
    }
    expectEqual(shop.server.log.requests(to: "/product").count, 2)
  }

  @Test("S2-22") func replayLazilySharesOneRequestAlsoWithWhoComesLate() async throws {
    let shop = try Shop()
    shop.serve("/product", #"[{"id":1,"name":"Lamp"},{"id":2,"name":"Chair"}]"#)
    let shared = shop.client.enqueue(request: "/product", resultType: Product.self).replayLazily()
    expect(shop.server.log.requests.isEmpty)
    let early = [SignalRecorder(shared), SignalRecorder(shared)]
    for recorder in early { await recorder.waitForEnd() }
    let late = SignalRecorder(shared)
    for recorder in early + [late] {
      expectEqual(recorder.values.map(\.value.id), [1, 2])
      expect(recorder.isCompleted)
    }
    expectEqual(shop.server.log.requests(to: "/product").count, 1)
  }

  @Test("S2-22, T4") func theLastSubscriberOfAReplayToLeaveCancelsTheRequest() {
    let transport = HandTransport()
    let client = NetworkClient(.init(baseURL: URL(string: "http://127.0.0.1"), transport: transport))
    let shared = client.exchange(request: "/stuck").replayLazily()
    let recorders = [SignalRecorder(shared), SignalRecorder(shared)]
    expectEqual(transport.requests.count, 1)
    recorders[0].dispose()
    recorders[0].dispose()
    expectEqual(transport.cancelledCount, 0)
    recorders[1].dispose()
    recorders[1].dispose()
    expectEqual(transport.cancelledCount, 1)
    expect(recorders.allSatisfy { $0.events.isEmpty })
  }

  @Test("S2-23") func aRequestCanFollowAnother() async throws {
    let shop = try Shop()
    // A second page that did not wait would be the first.
    shop.server.route("GET", "/page/1") { _ in
      .json(#"[{"id":1,"name":"Lamp"},{"id":2,"name":"Chair"}]"#).delayed(by: .milliseconds(50))
    }
    shop.serve("/page/2", #"[{"id":3,"name":"Table"}]"#)
    let pages = shop.client.enqueue(request: "/page/1", resultType: Product.self)
      .concat(shop.client.enqueue(request: "/page/2", resultType: Product.self))
    let recorder = SignalRecorder(pages)
    await recorder.waitForEnd()
    expectEqual(recorder.values.map(\.value.id), [1, 2, 3])
    expect(recorder.isCompleted)
    expectEqual(shop.server.log.requests.map(\.path), ["/page/1", "/page/2"])
  }

  @Test("S2-24") func aClientMayGoAwayWhileItsRequestIsUnderWay() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/slow") { _ in .json(#"{"id":1,"name":"Lamp"}"#).delayed(by: .milliseconds(100)) }
    weak var released: NetworkClient?
    let recorder: SignalRecorder<Response<Product>, NetworkError>
    do {
      let client = NetworkClient(.init(baseURL: server.baseURL))
      released = client
      recorder = SignalRecorder(client.enqueue(request: "/slow", resultType: Product.self))
    }
    expectNil(released)
    await recorder.waitForEnd()
    expectEqual(recorder.values.map(\.value.id), [1])
  }

  @Test("S2-3") func decodesAndDeliversOnTheProcessingScheduler() async throws {
    let key = Guarded<[Bool]>([])
    struct Spy: SignalScheduler {
      let isOn: @Sendable (@escaping @Sendable () -> Void) -> Void
      var now: Duration { .zero }
      func schedule(_ work: @escaping @Sendable () -> Void) { isOn(work) }
      func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> Disposable {
        isOn(work)
        return Disposable {}
      }
    }
    let queue = DispatchQueue(label: "processing")
    let mark = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: mark, value: true)
    struct Marked: Decodable, Sendable {
      init(from decoder: any Decoder) throws {
        let probe = decoder.userInfo[.probe] as? @Sendable () -> Void
        probe?()
      }
    }
    let probe: @Sendable () -> Void = {
      key.withLock { $0.append(DispatchQueue.getSpecific(key: mark) == true && !Thread.isMainThread) }
    }
    let shop = try Shop { configuration in
      configuration.processing = Spy { work in queue.async(execute: work) }
      configuration.json = JSONCoding(configureDecoder: { $0.userInfo[.probe] = probe })
    }
    shop.serve("/product", "{}")
    let recorder = SignalRecorder(
      shop.client.enqueue(request: "/product", resultType: Marked.self).on(value: { _ in probe() }))
    await recorder.waitForEnd()
    expectEqual(key.withLock { $0 }, [true, true])
  }

  @Test("S2-3") @MainActor func decodesAndDeliversOffTheMainThreadByDefault() async throws {
    struct Marked: Decodable, Sendable {
      let isOnMain: Bool
      init(from decoder: any Decoder) throws { isOnMain = Thread.isMainThread }
    }
    let shop = try Shop()
    shop.serve("/product", "{}")
    let isOnMain = Guarded<[Bool]>([])
    let recorder = SignalRecorder(
      shop.client.enqueue(request: "/product", resultType: Marked.self).on(value: { response in
        let isDelivered = Thread.isMainThread
        isOnMain.withLock { $0 += [response.value.isOnMain, isDelivered] }
      }))
    await recorder.waitForEnd()
    expectEqual(isOnMain.withLock { $0 }, [false, false])
  }
}

extension CodingUserInfoKey {
  fileprivate static var probe: CodingUserInfoKey {
    CodingUserInfoKey(rawValue: "probe").unsafelyUnwrapped
  }
}
