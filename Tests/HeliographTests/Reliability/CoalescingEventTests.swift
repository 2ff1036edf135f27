import Foundation
import Heliograph
import HeliographTesting
import Signals
import Testing

/// The events of a shared exchange, answered by hand.
@Suite struct CoalescingEventTests {
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
    SignalRecorder(client.enqueue(request: request ?? self.request()))
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
      #expect(text(late) == ["one two three"] && late.isCompleted)
      #expect(late.values.first?.source == .shared && late.values.first?.statusCode == 200)
    }
    #expect(transport.requests.count == 1 && first.events.isEmpty)
  }

  @Test func theMemoryIsLimited() {
    let piece = String(repeating: "x", count: 524_288)
    let first = recorder()
    transport.head(0)
    transport.body(0, piece)
    transport.body(0, piece)
    let second = recorder()
    #expect(transport.requests.count == 1)
    transport.body(0, "!")
    let third = recorder()
    #expect(transport.requests.count == 2)
    // The new exchange accepts further ones.
    let fourth = recorder()
    #expect(transport.requests.count == 2)
    transport.exchange(0).complete()
    transport.answer(1, "other")
    #expect(text(first) == [piece + piece + "!"] && text(second) == text(first))
    #expect(text(third) == ["other"] && text(fourth) == ["other"])
    #expect(third.values.first?.source == .network && fourth.values.first?.source == .shared)
  }

  @Test func oneMayJoinDuringADelivery() {
    let joined = Guarded<[SignalRecorder<Response<Data>, NetworkError>]>([])
    let (client, request) = (client, request())
    let first = SignalRecorder(
      client.download(request: request).on(value: { _ in
        let recorder = SignalRecorder(client.enqueue(request: request))
        joined.withLock { $0.append(recorder) }
      }))
    transport.head(0)
    transport.body(0, "a")
    let all = joined.withLock { $0 }
    transport.exchange(0).complete()
    #expect(first.isCompleted)
    #expect(!all.isEmpty && all.allSatisfy { text($0) == ["a"] && $0.violations.isEmpty })
    // The last value is delivered after the end of the exchange, and begins another one.
    #expect(transport.requests.count == 2)
  }

  @Test func theEndOfOneBeginsANewExchange() {
    let again = Guarded<SignalRecorder<Response<Data>, NetworkError>?>(nil)
    let (client, request) = (client, request())
    let others = (0..<2).map { _ in recorder() }
    client.enqueue(request: request).subscribe { event in
      guard case .failed = event else { return }
      let recorder = SignalRecorder(client.enqueue(request: request))
      again.withLock { $0 = recorder }
    }
    transport.exchange(0).fail(NetworkError(.network, .connectionLost))
    #expect(others.allSatisfy { $0.failure?.code == .connectionLost && $0.events.count == 1 })
    #expect(transport.requests.count == 2)
    transport.answer(1, "b")
    #expect(again.withLock { $0 }.map(text) == ["b"])
  }

  @Test func anErrorNamesTheRequestOfItsSubscriber() {
    let recorders = [recorder(request { $0.totalTimeout = .seconds(60) }), recorder()]
    let sent = transport.requests[0]
    #expect(sent.totalTimeout == nil)
    transport.exchange(0).fail(NetworkError(.network, .connectionLost, request: sent))
    #expect(recorders[0].failure?.request?.id == sent.id)
    #expect(recorders[1].failure?.request != nil && recorders[1].failure?.request?.id != sent.id)
  }

  @Test func theSourceOfTheExchangeComesFirst() {
    let recorders = [recorder(), recorder()]
    transport.exchange(0).send(.source(.revalidated))
    let late = recorder()
    transport.answer(0, "a")
    #expect((recorders + [late]).map { $0.values.first?.source } == [.revalidated, .revalidated, .revalidated])
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
    let recorders = (0..<3).map { _ in SignalRecorder(client.enqueue(request: request())) }
    transport.answer(0, "a")
    #expect(recorders.allSatisfy { text($0) == ["a"] })
    #expect(tokens.withLock { $0 } == 1 && transport.requests.count == 1)
    #expect(transport.requests.first?.headers["Authorization"] == "Bearer token")
  }

  @Test func aMonitorSeesOneRequestSentAndEachEndOnce() {
    var configuration = client.configuration
    configuration.monitors = [log]
    let client = NetworkClient(configuration)
    let recorders = (0..<4).map { _ in SignalRecorder(client.enqueue(request: request())) }
    recorders[3].dispose()
    transport.answer(0, "a")
    #expect(recorders.prefix(3).allSatisfy { text($0) == ["a"] })
    #expect(log.sent.count == 1)
    #expect(log.requests.count == 4 && Set(log.requests.map(\.id)).count == 4)
    #expect(log.requests.count { $0.wasSent } == 1)
    #expect(log.requests.map(\.outcome.name).sorted() == ["cancelled", "succeeded", "succeeded", "succeeded"])
    #expect(log.attempts.count == 4)
  }

  @Test func aResponseIsStoredOnce() async {
    let stored = request { $0.cache = .timeToLive(.seconds(60)) }
    let recorders = (0..<3).map { _ in recorder(stored) }
    transport.answer(0, "a")
    #expect(recorders.map { $0.values.first?.source } == [.network, .shared, .shared])
    #expect(transport.requests.count == 1)
    let cached = recorder(stored)
    await cached.waitForEnd()
    #expect(text(cached) == ["a"] && cached.values.first?.source.isCached == true)
    #expect(transport.requests.count == 1)
    #expect(cache.statistics.value.storedCount == 1)
  }

  /// The server confirms the stored response once for all.
  @Test func aRevalidationIsShared() async {
    let policy = request { $0.cache = .http }
    let first = recorder(policy)
    transport.answer(0, "a", ["ETag": "\"1\"", "Cache-Control": "no-cache"])
    await first.waitForEnd()
    let recorders = (0..<3).map { _ in recorder(policy) }
    #expect(transport.requests.count == 2)
    #expect(transport.requests[1].headers["If-None-Match"] == "\"1\"")
    transport.head(1, 304, ["ETag": "\"1\""])
    transport.exchange(1).complete()
    for recorder in recorders {
      await recorder.waitForEnd()
      #expect(text(recorder) == ["a"] && recorder.values.first?.source == .revalidated)
    }
  }
}
