import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// A request ends with its identity at the moment of the change, whoever is told of it first.
struct BoundIdentityTests {
  private let clock = VirtualScheduler()
  private let stub: StubTransport
  private let account = CurrentValue<String?>("ann")
  private let store = EnvironmentStore(build: .develop, storage: .memory())

  init() {
    stub = StubTransport(scheduler: clock)
    stub.on(.get, "/v1/slow", .never)
    stub.on(.get, "/v1/a", .json("1"))
  }

  private func client(
    over transport: any Transport, _ onUnauthorized: (@Sendable (NetworkError) -> Void)? = nil
  ) -> NetworkClient {
    var configuration = NetworkClient.Configuration(
      services: [Bookshop(defaultCommon: [])], environments: store, transport: transport)
    configuration.account = account
    configuration.scheduler = clock
    configuration.processing = .immediate
    configuration.onUnauthorized = onUnauthorized
    return NetworkClient(configuration)
  }

  private func recorder(_ client: NetworkClient, _ path: RequestPath) -> SignalRecorder<Response<Data>, NetworkError> {
    SignalRecorder(client.exchange(request: Request(.get, path, service: "books")))
  }

  private func change(_ changesAccount: Bool) throws {
    if changesAccount { account.value = "ben" } else { try store.switch(to: .test) }
  }

  /// The first client is told first, and its request gives its slot to one of the second client.
  @Test("P9", arguments: [true, false]) func nothingIsSentByAClientThatIsToldLater(_ changesAccount: Bool) throws {
    let shared = LimitingTransport(stub, concurrencyLimit: 1)
    let (first, second) = (client(over: shared), client(over: shared))
    let recorders = [recorder(first, "slow"), recorder(second, "a")]
    try change(changesAccount)
    expectEqual(recorders.map { $0.failure?.code }, [.contextChanged, .contextChanged])
    expectEqual(recorders.map(\.values.count), [0, 0])
    expectEqual(stub.requests.count, 1)
    expect(recorder(second, "a").isCompleted)
  }

  /// An observer that is told first answers the request.
  @Test("P9", arguments: [true, false]) func nothingIsDeliveredByAClientThatIsToldLater(_ changesAccount: Bool) throws {
    let transport = HandTransport()
    let isReady = CurrentValue(false)
    let answer: @Sendable () -> Void = { if isReady.value { transport.answer(0, "a") } }
    let observers = [
      account.signal.subscribe(onValue: { _ in answer() }), store.states.subscribe(onValue: { _ in answer() }),
    ]
    let client = client(over: transport)
    let recorder = recorder(client, "a")
    isReady.value = true
    try change(changesAccount)
    expectEqual(recorder.failure?.code, .contextChanged)
    expect(recorder.values.isEmpty)
    expect(recorder.violations.isEmpty)
    for observer in observers { observer.dispose() }
  }

  /// The server of the former account rejects it or fails at that moment.
  @Test("P9", arguments: [401, 422], ["ben", nil, "environment"])
  func aFailureOfTheFormerAccountDoesNotReachTheNewOne(_ status: Int, _ change: String?) throws {
    let (transport, isReady) = (HandTransport(), CurrentValue(false))
    let signOuts = Guarded(0)
    let answer: @Sendable () -> Void = {
      guard isReady.value else { return }
      transport.head(0, status)
      transport.body(0, "the order of ann")
      transport.exchange(0).complete()
    }
    let observers = [
      account.signal.subscribe(onValue: { _ in answer() }), store.states.subscribe(onValue: { _ in answer() }),
    ]
    let client = client(over: transport) { _ in signOuts.withLock { $0 += 1 } }
    let recorder = SignalRecorder(
      client.enqueue(request: Request(.get, "a", service: "books"), resultType: NoContent.self))
    isReady.value = true
    if change == "environment" { try store.switch(to: .test) } else { account.value = change }
    // A rejection keeps its error, but signs nobody out.
    expectEqual(recorder.failure?.code, status == 401 ? .status(401) : .contextChanged)
    expectEqual(signOuts.withLock { $0 }, 0)
    for observer in observers { observer.dispose() }
  }

  /// The app signs out while the failure is delivered to it, and its other screens learn of the rejection as well.
  @Test func aRejectionIsReportedAfterTheDeliveryInWhichTheAppSignsOut() {
    stub.on(.get, "/v1/b", .status(401))
    let calls = Log<String>()
    let client = client(over: stub) { _ in calls.add("onUnauthorized") }
    let request = Request(.get, "b", service: "books")
    client.enqueue(request: request, resultType: NoContent.self).subscribe { [account] event in
      guard case .failed = event else { return }
      calls.add("failure")
      account.value = nil
    }
    expectEqual(calls.entries, ["failure", "onUnauthorized"])
  }
}
