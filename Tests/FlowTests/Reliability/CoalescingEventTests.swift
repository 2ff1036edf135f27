import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// The events of a shared exchange, answered by hand.
struct CoalescingEventTests {
  private let transport = HandTransport()
  private let log = MonitorLog()
  private let client: NetworkClient
  private let cache = ResponseCache()

  init() {
    var configuration = NetworkClient.Configuration.open(transport)
    configuration.processing = .immediate
    configuration.cache = cache
    client = NetworkClient(configuration)
  }

  private func request(_ set: (inout RequestOptions) -> Void = { _ in }) -> Request {
    var options = RequestOptions.with { $0.isCoalesced = true }
    set(&options)
    return Request(.get, "http://shop.example/a", options: options)
  }

  private func recorder(_ request: Request? = nil) -> SignalRecorder<Response<Data>, NetworkError> {
    SignalRecorder(client.exchange(request: request ?? self.request()))
  }

  private func text(_ recorder: SignalRecorder<Response<Data>, NetworkError>) -> [String] {
    recorder.values.map { String(decoding: $0.value, as: UTF8.self) }
  }

  @Test func aLateOneGetsTheBeginningFirst() {
    let first = recorder()
    transport.head(0)
    transport.body(0, "one ")
    let second = recorder()
    transport.body(0, "two ")
    let third = recorder()
    first.dispose()
    transport.body(0, "three")
    transport.exchange(0).complete()
    for late in [second, third] {
      expectEqual(text(late), ["one two three"])
      expect(late.isCompleted)
      expectEqual(late.values.first?.source, .shared)
      expectEqual(late.values.first?.statusCode, 200)
    }
    expectEqual(transport.requests.count, 1)
    expect(first.events.isEmpty)
  }

  /// A request that joins and is disposed while an event is delivered leaves the exchange with its queue.
  @Test func anObjectOfARequestThatHasLeftMayJoinWhenItIsFreed() {
    /// A request that sends another one when it is freed.
    final class Leaving: RequestConvertible {
      private let request: Request
      private let onFree: @Sendable () -> Void

      init(_ request: Request, onFree: @escaping @Sendable () -> Void) {
        (self.request, self.onFree) = (request, onFree)
      }

      deinit { onFree() }

      func asRequest() -> Request { request }
    }
    let (client, request, hasLeft) = (client, request(), CurrentValue(false))
    let joined = Guarded<[SignalRecorder<Response<Data>, NetworkError>]>([])
    let first = SignalRecorder(
      client.download(request: request).on(value: { _ in
        if hasLeft.value { return }
        hasLeft.value = true
        let leaving = Leaving(request) {
          let recorder = SignalRecorder(client.exchange(request: request))
          joined.withLock { $0.append(recorder) }
        }
        SignalRecorder(client.download(request: leaving)).dispose()
      }))
    transport.answer(0, "one")
    expect(first.isCompleted)
    expectEqual(joined.withLock { $0 }.map(text), [["one"]])
    expectEqual(transport.requests.count, 1)
  }

  @Test func theMemoryIsLimited() {
    let piece = String(repeating: "x", count: 524_288)
    let first = recorder()
    transport.head(0)
    transport.body(0, piece)
    transport.body(0, piece)
    let second = recorder()
    expectEqual(transport.requests.count, 1)
    transport.body(0, "!")
    let third = recorder()
    expectEqual(transport.requests.count, 2)
    // The new exchange accepts further ones.
    let fourth = recorder()
    expectEqual(transport.requests.count, 2)
    transport.exchange(0).complete()
    transport.answer(1, "other")
    expectEqual(text(first), [piece + piece + "!"])
    expectEqual(text(second), text(first))
    expectEqual(text(third), ["other"])
    expectEqual(text(fourth), ["other"])
    expectEqual(third.values.first?.source, .network)
    expectEqual(fourth.values.first?.source, .shared)
  }

  @Test func oneMayJoinDuringADelivery() {
    let joined = Guarded<[SignalRecorder<Response<Data>, NetworkError>]>([])
    let (client, request) = (client, request())
    let first = SignalRecorder(
      client.download(request: request).on(value: { _ in
        let recorder = SignalRecorder(client.exchange(request: request))
        joined.withLock { $0.append(recorder) }
      }))
    transport.head(0)
    transport.body(0, "a")
    let all = joined.withLock { $0 }
    transport.exchange(0).complete()
    expect(first.isCompleted)
    expect(!all.isEmpty)
    expect(all.allSatisfy { text($0) == ["a"] && $0.violations.isEmpty })
    // The last value is delivered after the end of the exchange, and begins another one.
    expectEqual(transport.requests.count, 2)
  }

  @Test func theEndOfOneBeginsANewExchange() {
    let again = Guarded<SignalRecorder<Response<Data>, NetworkError>?>(nil)
    let (client, request) = (client, request())
    let others = (0..<2).map { _ in recorder() }
    client.exchange(request: request).subscribe { event in
      guard case .failed = event else { return }
      let recorder = SignalRecorder(client.exchange(request: request))
      again.withLock { $0 = recorder }
    }
    transport.exchange(0).fail(NetworkError(.connectionLost))
    expect(others.allSatisfy { $0.failure?.code == .connectionLost && $0.events.count == 1 })
    expectEqual(transport.requests.count, 2)
    transport.answer(1, "b")
    expectEqual(again.withLock { $0 }.map(text), ["b"])
  }

  @Test func anErrorNamesTheRequestOfItsSubscriber() {
    let recorders = [recorder(request { $0.totalTimeout = .seconds(60) }), recorder()]
    let sent = transport.requests[0]
    expectNil(sent.totalTimeout)
    transport.exchange(0).fail(NetworkError(.connectionLost, request: sent))
    expectEqual(recorders[0].failure?.request?.id, sent.id)
    expect(recorders[1].failure?.request != nil)
    expect(recorders[1].failure?.request?.id != sent.id)
  }

  @Test func aConditionThatMiddlewareAddsIsThatOfAllMembers() {
    let client = NetworkClient(baseURL: URL(string: "http://shop.example")) {
      $0.transport = transport
      $0.reachability = UnwatchedReachability()
      $0.allowsInsecureHTTP = true
      $0.processing = .immediate
      $0.middleware = [.header("If-None-Match", isSecret: false) { #""a""# }]
    }
    func recorders<Result: Decodable>(as type: Result.Type) -> [SignalRecorder<Response<Result>, NetworkError>] {
      [request(), request { $0.totalTimeout = .seconds(60) }].map {
        SignalRecorder(client.enqueue(request: $0, resultType: Result.self))
      }
    }
    var unmodified = recorders(as: Int.self)
    transport.head(0, 304)
    unmodified += recorders(as: Int.self)
    transport.exchange(0).complete()
    expect(unmodified.allSatisfy { $0.isCompleted && $0.values.isEmpty })
    let changed = recorders(as: Data.self)
    transport.answer(1, "b")
    let sent = changed.compactMap { $0.values.first?.request }
    expectEqual(sent.map { $0.headers["If-None-Match"] }, [#""a""#, #""a""#])
    expectEqual(sent.last?.totalTimeout, .seconds(60))
    expect(sent.first?.id != sent.last?.id)
    let failed = recorders(as: Int.self)
    transport.exchange(2).fail(NetworkError(.connectionLost))
    let named = failed.compactMap { $0.failure?.request }
    expectEqual(named.map { $0.headers["If-None-Match"] }, [#""a""#, #""a""#])
    expect(named.first?.id != named.last?.id)
    expectEqual(transport.requests.count, 3)
  }

  @Test func theSourceOfTheExchangeComesFirst() {
    let recorders = [recorder(), recorder()]
    transport.exchange(0).send(.source(.revalidated))
    let late = recorder()
    transport.answer(0, "a")
    expectEqual((recorders + [late]).map { $0.values.first?.source }, [.revalidated, .revalidated, .revalidated])
  }

  @Test func middlewareRunsOnceForAll() {
    let tokens = Guarded(0)
    var configuration = client.configuration
    configuration.trustedOrigins = [Origin(scheme: "http", host: "shop.example")]
    configuration.middleware = [
      .bearer {
        tokens.withLock { $0 += 1 }
        return "token"
      }
    ]
    let client = NetworkClient(configuration)
    let recorders = (0..<3).map { _ in SignalRecorder(client.exchange(request: request())) }
    transport.answer(0, "a")
    expect(recorders.allSatisfy { text($0) == ["a"] })
    expectEqual(tokens.withLock { $0 }, 1)
    expectEqual(transport.requests.count, 1)
    expectEqual(transport.requests.first?.headers["Authorization"], "Bearer token")
  }

  @Test func aMonitorSeesOneRequestSentAndEachEndOnce() {
    var configuration = client.configuration
    configuration.monitors = [log]
    let client = NetworkClient(configuration)
    let recorders = (0..<4).map { _ in SignalRecorder(client.exchange(request: request())) }
    recorders[3].dispose()
    transport.answer(0, "a")
    expect(recorders.prefix(3).allSatisfy { text($0) == ["a"] })
    expectEqual(log.sent.count, 1)
    expectEqual(log.requests.count, 4)
    expectEqual(Set(log.requests.map(\.id)).count, 4)
    expectEqual(log.requests.count { $0.wasSent }, 1)
    expectEqual(log.requests.map(\.outcome.name).sorted(), ["cancelled", "succeeded", "succeeded", "succeeded"])
    expectEqual(log.attempts.count, 4)
  }

  @Test func aResponseIsStoredOnce() async {
    let stored = request { $0.cache = .timeToLive(.seconds(60)) }
    let recorders = (0..<3).map { _ in recorder(stored) }
    transport.answer(0, "a")
    expectEqual(recorders.map { $0.values.first?.source }, [.network, .shared, .shared])
    expectEqual(transport.requests.count, 1)
    let cached = recorder(stored)
    await cached.waitForEnd()
    expectEqual(text(cached), ["a"])
    expectEqual(cached.values.first?.source.isCached, true)
    expectEqual(transport.requests.count, 1)
    expectEqual(cache.statistics.value.storedCount, 1)
  }

  /// The server confirms the stored response once for all.
  @Test func aRevalidationIsShared() async {
    let policy = request { $0.cache = .http }
    let first = recorder(policy)
    transport.answer(0, "a", ["ETag": "\"1\"", "Cache-Control": "no-cache"])
    await first.waitForEnd()
    let recorders = (0..<3).map { _ in recorder(policy) }
    expectEqual(transport.requests.count, 2)
    expectEqual(transport.requests[1].headers["If-None-Match"], "\"1\"")
    transport.head(1, 304, ["ETag": "\"1\""])
    transport.exchange(1).complete()
    for recorder in recorders {
      await recorder.waitForEnd()
      expectEqual(text(recorder), ["a"])
      expectEqual(recorder.values.first?.source, .revalidated)
    }
  }

  /// A request that begins after a change has been made must not get a response from before it.
  @Test(arguments: [false, true]) func aChangeClosesTheExchangesBeforeIt(_ fails: Bool) async {
    let kit = TestKit()
    kit.stub.on(.get, "/a", StubAnswer.text("old").delayed(by: .seconds(5)), .text("new"))
    kit.stub.on(.put, "/b", fails ? .failure(NetworkError(.connectionLost)) : .status(204))
    let request = Request(.get, "/a", options: .with { $0.isCoalesced = true })
    let first = SignalRecorder(kit.client.exchange(request: request))
    let change = SignalRecorder(kit.client.exchange(request: Request(.put, "/b")))
    let second = SignalRecorder(kit.client.exchange(request: request))
    await kit.clock.advance(by: .seconds(6))
    expectEqual(change.values.map(\.statusCode), fails ? [] : [204])
    expectEqual(change.failure?.code, fails ? .connectionLost : nil)
    expectEqual(
      [first, second].map { $0.values.map { String(decoding: $0.value, as: UTF8.self) } }, [["old"], ["new"]])
  }

  /// The exchange goes on for the second one, while the failure of the first waits to be delivered.
  @Test func theEventsOfAnExchangeAreNotThoseOfAMemberThatHasFailed() {
    let (clock, processing) = (VirtualScheduler(), VirtualScheduler())
    var configuration = client.configuration
    configuration.monitors = [log]
    configuration.scheduler = clock
    configuration.processing = processing
    let client = NetworkClient(configuration)
    let requests = [request { $0.totalTimeout = .seconds(5) }, request()]
    let recorders = requests.map { SignalRecorder(client.enqueue(request: $0, resultType: Data.self)) }
    clock.advance(by: .seconds(5))
    transport.answer(0, "a")
    processing.run()
    expectEqual(recorders[0].failure?.code, .timedOut)
    expectEqual(recorders[1].values.map(\.value), [Data("a".utf8)])
    expectEqual(transport.requests.count, 1)
    let first = log.startedIDs.first
    expectEqual(
      log.events.filter { $0.id == first }.map(\.name), ["started", "sent 1", "attempt 1 failed", "failed after 1"])
    expectNil(log.requests.first { $0.id == first }?.response)
  }
}
