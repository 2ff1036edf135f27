import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// Nothing crosses from one environment or account to another.
struct FenceTests {
  let stub = StubTransport()
  let store = EnvironmentStore(build: .develop, storage: .memory())
  let account = CurrentValue<String?>("ann")
  let client: NetworkClient
  let request = Request(.get, "slow", service: "books", options: .with { $0.common = [] })

  init() {
    stub.on("GET", "/v1/slow", .never, .never, .never, .never)
    stub.on("GET", "/plain", .never, .never)
    var configuration = NetworkClient.Configuration(
      services: [Bookshop()], environments: store, transport: stub)
    configuration.account = account
    client = NetworkClient(configuration)
  }

  @Test("P9 S0-16") func switchingEndsWhatIsUnderWay() throws {
    let recorders = [
      SignalRecorder(client.exchange(request: request).map { _ in () }),
      SignalRecorder(client.enqueue(request: request, resultType: [String: Int].self).map { _ in () }),
    ]
    expectEqual(stub.activeCount, 2)
    try store.switch(to: .test)
    for recorder in recorders {
      expectEqual(recorder.events.count, 1)
      expectEqual(recorder.failure?.code, .contextChanged)
      expectEqual(recorder.failure?.request?.url.host, "books-develop.example.com")
    }
    expectEqual(stub.activeCount, 0)
    expectEqual(stub.cancelledCount, 2)
    // The next one is of the new world, and is left alone.
    let next = SignalRecorder(client.exchange(request: request))
    expect(next.events.isEmpty)
    expectEqual(stub.requests.last?.url.host, "books-test.example.com")
    try store.switch(to: .test)
    expect(next.events.isEmpty)
  }

  /// It is notified before the client, which has not read the new environment yet.
  @Test("P9") func aRequestOfAnObserverThatIsOlderThanTheClientIsOfTheNewEnvironment() throws {
    let store = EnvironmentStore(build: .develop, storage: .memory())
    let client = Guarded<NetworkClient?>(nil)
    let recorder = Guarded<SignalRecorder<Response<Data>, NetworkError>?>(nil)
    let subscription = store.states.subscribe { [request] _ in
      guard let client = client.withLock({ $0 }) else { return }
      recorder.set(SignalRecorder(client.exchange(request: request)))
    }
    let own = NetworkClient(NetworkClient.Configuration(services: [Bookshop()], environments: store, transport: stub))
    let earlier = SignalRecorder(own.exchange(request: request))
    client.set(own)
    try store.switch(to: .test)
    expectEqual(earlier.failure?.code, .contextChanged)
    expectEqual(recorder.withLock { $0 }?.events.isEmpty, true)
    expectEqual(stub.requests.last?.url.host, "books-test.example.com")
    subscription.dispose()
  }

  @Test("P9") func signingOutEndsWhatIsUnderWay() {
    let recorder = SignalRecorder(client.exchange(request: request))
    account.value = "ann"
    expect(recorder.events.isEmpty)
    account.value = nil
    expectEqual(recorder.failure?.code, .contextChanged)
    expectEqual(stub.activeCount, 0)
  }

  /// Returns the first hundred numbers, sent only while the subscriber needs more.
  private func numbers(_ sent: CurrentValue<Int>, _ disposals: CurrentValue<Int>) -> Signal<Int, NetworkError> {
    @Sendable func pump(_ observer: Observer<Int, NetworkError>) {
      while sent.value < 100, !observer.isDisposed {
        observer.send(sent.value)
        sent.value += 1
        if let pressure = observer.pressure, pressure.isHigh { return pressure.whenLow { pump(observer) } }
      }
      observer.complete()
    }
    return Signal { observer in
      pump(observer)
      return Disposable { disposals.value += 1 }
    }
  }

  @Test func aStreamIsPausedUntilItsConsumerNeedsMore() {
    let (clock, sent, disposals) = (VirtualScheduler(), CurrentValue(0), CurrentValue(0))
    let stream = numbers(sent, disposals).attempted { [account] in $0.account = account }
    let recorder = SignalRecorder(stream.observe(on: clock))
    let bufferedCount = sent.value
    expect((1...Pressure.highCount).contains(bufferedCount), "\(bufferedCount)")
    clock.advance()
    expectEqual(recorder.values, Array(0..<100))
    expect(recorder.isCompleted)
  }

  @Test("P9") func signingOutEndsAPausedStream() {
    let (clock, sent, disposals) = (VirtualScheduler(), CurrentValue(0), CurrentValue(0))
    let stream = numbers(sent, disposals).attempted { [account] in $0.account = account }
    let recorder = SignalRecorder(stream.observe(on: clock))
    let bufferedCount = sent.value
    account.value = nil
    expectEqual(disposals.value, 1)
    clock.advance()
    expectEqual(recorder.failure?.code, .contextChanged)
    expectEqual(sent.value, bufferedCount)
  }

  /// The last value and the completion are one event, with a cache, too.
  @Test(arguments: [CachePolicy.none, .http, .timeToLive(.seconds(60)), .networkThenCache])
  func aRequestWhoseValueSignsInCompletes(_ policy: CachePolicy) async {
    let kit = TestKit { $0.account = account }
    kit.stub.on(.get, "/me", .json("1"))
    let request = Request(.get, "/me", cache: policy)
    let recorder = SignalRecorder(
      kit.client.enqueue(request: request, resultType: Int.self).on(value: { [account] _ in account.value = "bob" }))
    await kit.clock.advance()
    expectEqual(recorder.values.map(\.value), [1])
    expect(recorder.isCompleted, "\(recorder.events)")
  }

  @Test(arguments: [StubAnswer.status(503), .status(401), .offline])
  func aRequestWhoseLaterAttemptSignsInCompletes(_ first: StubAnswer) async {
    let kit = TestKit {
      $0.account = account
      $0.retry = Retry(limit: 1, backoff: .constant(.seconds(1)))
      $0.recoveries = [Recovery { Signal<Void, NetworkError>.empty }]
      $0.waitsForConnectivity = true
    }
    kit.stub.on(.get, "/me", first, .json("1"))
    let recorder = SignalRecorder(
      kit.client.enqueue(request: "/me", resultType: Int.self).on(value: { [account] _ in account.value = "bob" }))
    await kit.clock.advance(by: .seconds(2))
    expectEqual(recorder.values.map(\.value), [1])
    expect(recorder.isCompleted, "\(recorder.events)")
    expectEqual(kit.stub.requests.count, 2)
  }

  @Test("P9") func aRequestWithoutServiceIsOfNoEnvironment() throws {
    let recorder = SignalRecorder(client.exchange(request: "https://a.example/plain"))
    try store.switch(to: .test)
    expect(recorder.events.isEmpty)
    expectEqual(stub.activeCount, 1)
    account.value = "ben"
    expectEqual(recorder.failure?.code, .contextChanged)
  }

  @Test("P9", arguments: [false, true]) func anAnswerThatIsBeingDecodedDoesNotCross(_ changesAccount: Bool) throws {
    stub.on("GET", "/v1/a", .json("[1]"))
    var configuration = client.configuration
    let scheduler = VirtualScheduler()
    configuration.processing = scheduler
    let request = Request(.get, "a", service: "books", options: .with { $0.common = [] })
    let recorder = SignalRecorder(NetworkClient(configuration).enqueue(request: request, resultType: [Int].self))
    // The exchange has ended, and its response waits for the thread that decodes it.
    expectEqual(stub.requests.count, 1)
    expectEqual(stub.activeCount, 0)
    expect(scheduler.pendingCount > 0)
    expect(recorder.events.isEmpty)
    if changesAccount { account.value = "ben" } else { try store.switch(to: .test) }
    scheduler.advance(by: .seconds(1))
    expectEqual(recorder.failure?.code, .contextChanged)
    expect(recorder.values.isEmpty)
    expect(recorder.violations.isEmpty)
  }

  @Test("P9") func monitorsAreToldOnce() throws {
    let log = MonitorLog()
    var configuration = client.configuration
    configuration.monitors = [log]
    let client = NetworkClient(configuration)
    let recorder = SignalRecorder(client.exchange(request: request))
    try store.switch(to: .preRelease)
    expectEqual(recorder.failure?.code, .contextChanged)
    expectEqual(log.requests.compactMap(\.error?.code), [.contextChanged])
  }

  @Test func noneIsLostWhenSwitchingAndSubscribingRace() async throws {
    let client = client
    let store = store
    stub.on("GET", "/v1/a", .json("{}"))
    let request = Request(.get, "a", service: "books", options: .with { $0.common = [] })
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for round in 0..<500 { try? store.switch(to: round.isMultiple(of: 2) ? .test : .develop) } }
      for _ in 0..<2 {
        group.addTask {
          for _ in 0..<500 {
            let recorder = SignalRecorder(client.exchange(request: request))
            // The thread that switches may be delivering the end.
            await recorder.waitForEnd()
            expect(recorder.hasEnded)
            expect(recorder.violations.isEmpty)
            expect(recorder.isCompleted || recorder.failure?.code == .contextChanged)
          }
        }
      }
    }
    expectEqual(stub.activeCount, 0)
  }
}
