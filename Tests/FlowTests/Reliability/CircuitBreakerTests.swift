import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

struct CircuitBreakerTests {
  private let clock = VirtualScheduler()
  private let stub: StubTransport
  private let breaker: CircuitBreaker

  init() {
    stub = StubTransport(scheduler: clock)
    breaker = CircuitBreaker(stub, scheduler: clock)
    stub.on("GET", "/good", .status(200))
    stub.on("GET", "/missing", .status(404))
    stub.on("GET", "/bad", .status(503))
    stub.on("GET", "/silent", .never)
    stub.on("GET", "/lost", .failure(NetworkError(.connectionLost)))
    stub.on("GET", "/refused", .failure(NetworkError(.invalidHeader)))
  }

  @discardableResult
  private func send(_ path: String) -> SignalRecorder<TransportEvent, NetworkError> {
    SignalRecorder(breaker.send(.sample(path: path)))
  }

  /// Whether a request would be refused; one that passes is a probe, and disposed.
  private var isOpen: Bool { send("/silent").failure?.code == .circuitOpen }

  private func open() { for _ in 0..<5 { send("/bad") } }

  @Test func opensAfterSoManyFaultsInARow() {
    for _ in 0..<4 { expect(send("/bad").isCompleted) }
    expect(!isOpen)
    send("/bad")
    let count = stub.requests.count
    let refused = send("/good")
    expectEqual(refused.events.count, 1)
    expectEqual(refused.failure?.code, .circuitOpen)
    expectEqual(refused.failure?.request?.url.path, "/good")
    expectEqual(stub.requests.count, count)
  }

  @Test(arguments: ["/good", "/missing"]) func anAnswerEndsTheRow(path: String) {
    for _ in 0..<10 {
      for _ in 0..<4 { send("/bad") }
      send(path)
    }
    expect(!isOpen)
  }

  @Test(arguments: [NetworkError.Code.timedOut, .cannotConnect, .connectionLost, .invalidResponse])
  func theseErrorsAreFaults(code: NetworkError.Code) {
    stub.on("GET", "/fault", .failure(NetworkError(code)))
    for _ in 0..<5 { send("/fault") }
    expect(isOpen)
  }

  @Test func othersSayNothing() {
    stub.on("GET", "/certificate", .failure(NetworkError(.untrustedCertificate)))
    var local = NetworkError(.cannotConnect)
    local.attribution = Attribution(.client)
    stub.on("GET", "/descriptors", .failure(local))
    for _ in 0..<4 { send("/bad") }
    for _ in 0..<10 {
      send("/refused")
      send("/certificate")
      send("/descriptors")
      send("/silent").dispose()
    }
    expect(!isOpen)
    send("/lost")
    expect(isOpen)
  }

  @Test func anAnswerThatBreaksOffIsAFault() {
    let error = NetworkError(.connectionLost)
    stub.on("GET", "/half", StubAnswer([.head(status: 200), .body(Data("a".utf8)), .failure(error)]))
    for _ in 0..<5 { send("/half") }
    expect(isOpen)
  }

  /// Proxies cut streams after a while, and the server has answered.
  @Test func anAnswerThatIsStreamedCountsAtItsHead() {
    func stream(_ script: StubAnswer.Step...) {
      stub.on("GET", "/events", StubAnswer(script + [.failure(NetworkError(.connectionLost))]))
      var request = HTTPRequest.sample(path: "/events")
      request.context.isStreamed = true
      expectEqual(SignalRecorder(breaker.send(request)).failure?.code, .connectionLost)
    }
    for _ in 0..<10 { stream(.head(status: 200), .body(Data("a".utf8))) }
    for _ in 0..<4 { stream() }
    stream(.head(status: 200))
    for _ in 0..<4 { stream() }
    expect(!isOpen)
    stream()
    expect(isOpen)
  }

  @Test func exactlyOneTriesTheServerAfterTheCooldown() {
    open()
    clock.advance(by: .milliseconds(29_999))
    expect(isOpen)
    clock.advance(by: .milliseconds(1))
    stub.on("GET", "/slow", .status(200).delayed(by: .seconds(1)))
    let probe = send("/slow")
    let others = (0..<10).map { _ in send("/good") }
    expect(others.allSatisfy { $0.failure?.code == .circuitOpen })
    clock.advance(by: .seconds(1))
    expect(probe.isCompleted)
    expect(send("/good").isCompleted)
    for _ in 0..<4 { send("/bad") }
    expect(!isOpen)
  }

  @Test(arguments: ["/bad", "/lost"]) func aProbesFaultOpensAgain(path: String) {
    open()
    for _ in 0..<3 {
      clock.advance(by: .seconds(30))
      send(path)
      expect(isOpen)
      clock.advance(by: .milliseconds(29_999))
      expect(isOpen)
      clock.advance(by: .milliseconds(1))
    }
    expect(send("/good").isCompleted)
    expect(!isOpen)
  }

  /// The rest of a body that is too long is not awaited.
  @Test func aFaultCountsAtItsHeadAlsoIfItIsDisposed() {
    stub.on("GET", "/long", StubAnswer([.head(status: 503), .never]))
    for _ in 0..<5 {
      expect(!isOpen)
      send("/long").dispose()
    }
    expect(isOpen)
  }

  /// The cache disposes an exchange at its head.
  @Test func aFaultCountsAlsoIfAStoredResponseIsDelivered() async {
    let kit = TestKit {
      $0.transport = CircuitBreaker($0.transport, failureLimit: 2, scheduler: $0.scheduler)
    }
    kit.stub.on(
      .get, "/a", .text("a", headers: ["Cache-Control": "max-age=0, stale-if-error=600"]),
      .status(503).delayed(by: .seconds(1)))
    func sentCount() async -> Int {
      let recorder = SignalRecorder(
        kit.client.enqueue(request: Request(.get, "/a", cache: .http), resultType: String.self))
      await kit.clock.advance(by: .seconds(1))
      expectEqual(recorder.values.map(\.value), ["a"])
      return kit.stub.requests.count
    }
    for count in [1, 2, 3, 3] { await expectEqual(sentCount(), count) }
    await kit.clock.advance(by: .seconds(30))
    for count in [4, 4] { await expectEqual(sentCount(), count) }
  }

  /// The exchange goes on for the others.
  @Test func theTotalTimeoutOfOneCoalescedRequestIsNoFault() async {
    let kit = TestKit {
      $0.transport = CircuitBreaker($0.transport, failureLimit: 1, scheduler: $0.scheduler)
    }
    kit.stub.on(.get, "/a", .text("a").delayed(by: .seconds(2)))
    func recorder(_ totalTimeout: Duration?) -> SignalRecorder<Response<String>, NetworkError> {
      let options = RequestOptions.with { $0.isCoalesced = true }
      let request = Request(.get, "/a", totalTimeout: totalTimeout, options: options)
      return SignalRecorder(kit.client.enqueue(request: request, resultType: String.self))
    }
    let (hasty, patient) = (recorder(.seconds(1)), recorder(nil))
    await kit.clock.advance(by: .seconds(1))
    expectEqual(hasty.failure?.code, .timedOut)
    let other = recorder(.seconds(10))
    await kit.clock.advance(by: .seconds(1))
    expectEqual([patient, other].map { $0.values.first?.value }, ["a", "a"])
    let next = recorder(nil)
    await kit.clock.advance(by: .seconds(2))
    expectEqual(next.values.map(\.value), ["a"])
    expectEqual(kit.stub.requests.count, 2)
  }

  @Test func aProbeThatSaysNothingGivesUpItsPlace() {
    open()
    clock.advance(by: .seconds(30))
    let probe = send("/silent")
    expect(isOpen)
    probe.dispose()
    probe.dispose()
    expectEqual(send("/refused").failure?.code, .invalidHeader)
    expect(send("/good").isCompleted)
    expect(!isOpen)
  }

  @Test func aProbeThatIsDisposedWhileItDeliversGivesUpItsPlace() {
    open()
    clock.advance(by: .seconds(30))
    stub.on("GET", "/slow", StubAnswer([.delay(.seconds(1)), .source(.network), .never]))
    let probe = Guarded<Disposable?>(nil)
    let next = Guarded<SignalRecorder<TransportEvent, NetworkError>?>(nil)
    let handle = breaker.send(.sample(path: "/slow")).subscribe { [self] _ in
      probe.withLock { $0 }?.dispose()
      let recorder = send("/good")
      next.withLock { $0 = recorder }
    }
    probe.withLock { $0 = handle }
    clock.advance(by: .seconds(1))
    expect(next.withLock { $0 }?.isCompleted == true)
  }

  /// The head of a long upload arrives after its body.
  @Test func afterAnotherCooldownWithoutAResultThereIsAFurtherProbe() {
    open()
    clock.advance(by: .seconds(30))
    var request = HTTPRequest.sample(path: "/silent")
    request.idleTimeout = .seconds(3600)
    let probes = (0..<3).map { _ in
      let probe = SignalRecorder(breaker.send(request))
      expect(isOpen)
      clock.advance(by: .milliseconds(29_999))
      expect(isOpen)
      clock.advance(by: .milliseconds(1))
      return probe
    }
    expect(probes.allSatisfy { $0.failure == nil && !$0.isCompleted })
    expect(send("/good").isCompleted)
    expect(send("/good").isCompleted)
    for probe in probes { probe.dispose() }
    expect(!isOpen)
  }

  @Test func aProbeThatEndsSilentlyGivesUpItsPlace() {
    let vanishing = VanishingTransport(stub, 1)
    let breaker = CircuitBreaker(vanishing, failureLimit: 1, scheduler: clock)
    func send(_ path: String) -> SignalRecorder<TransportEvent, NetworkError> {
      SignalRecorder(breaker.send(.sample(path: path)))
    }
    expect(send("/bad").isCompleted)
    clock.advance(by: .seconds(30))
    let probe = send("/silent")
    expectEqual(send("/good").failure?.code, .circuitOpen)
    vanishing.vanish()
    expect(send("/good").isCompleted)
    expect(probe.events.isEmpty)
  }

  @Test func theHeadOfAProbesAnswerIsEnough() {
    open()
    clock.advance(by: .seconds(30))
    stub.on("GET", "/long", StubAnswer([.head(status: 200), .never]))
    let probe = send("/long")
    expect(send("/good").isCompleted)
    probe.dispose()
    expect(send("/good").isCompleted)
  }

  /// The head closes it; the fault after it is the first of a new row.
  @Test func aProbeThatBreaksOffCountsAsAnyOther() {
    open()
    clock.advance(by: .seconds(30))
    stub.on(
      "GET", "/half", StubAnswer([.head(status: 200), .failure(NetworkError(.connectionLost))]))
    send("/half")
    for _ in 0..<3 { send("/bad") }
    expect(!isOpen)
    send("/bad")
    expect(isOpen)
  }

  @Test func whatWasSentBeforeItOpenedCountsNoMore() {
    stub.on("GET", "/late", .status(503).delayed(by: .seconds(40)))
    stub.on("GET", "/fine", .status(200).delayed(by: .seconds(10)))
    let late = (0..<5).map { _ in send("/late") }
    let fine = send("/fine")
    open()
    clock.advance(by: .seconds(10))
    expect(fine.isCompleted)
    expect(isOpen)
    clock.advance(by: .seconds(20))
    expect(send("/good").isCompleted)
    clock.advance(by: .seconds(10))
    expect(late.allSatisfy { $0.isCompleted })
    expect(!isOpen)
  }

  @Test func eachServerHasItsOwnAndCopiesShareThem() throws {
    open()
    let copy = breaker
    func isOpen(_ address: String) throws -> Bool {
      let url = try require(URL(string: address + "/silent"))
      return SignalRecorder(copy.send(HTTPRequest(url: url))).failure?.code == .circuitOpen
    }
    try expect(isOpen("http://shop.example"))
    try expect(isOpen("HTTP://SHOP.example:80"))
    for address in ["https://shop.example", "http://shop.example:8080", "http://news.example"] {
      try expect(!isOpen(address))
    }
  }

  @Test func limitsBelowOneCountAsOne() {
    expectEqual(CircuitBreaker(stub).failureLimit, 5)
    expectEqual(CircuitBreaker(stub).cooldown, .seconds(30))
    let strict = CircuitBreaker(stub, failureLimit: -3, scheduler: clock)
    expectEqual(strict.failureLimit, 1)
    expect(SignalRecorder(strict.send(.sample(path: "/bad"))).isCompleted)
    expectEqual(SignalRecorder(strict.send(.sample(path: "/good"))).failure?.code, .circuitOpen)
  }

  @Test func ofThreadsThatComeAtOnceOneIsTheProbe() async {
    open()
    for _ in 0..<50 {
      clock.advance(by: .seconds(30))
      let recorders = Guarded<[SignalRecorder<TransportEvent, NetworkError>]>([])
      let (breaker, before) = (breaker, stub.requests.count)
      await together(8) { _ in
        let recorder = SignalRecorder(breaker.send(.sample(path: "/silent")))
        recorders.withLock { $0.append(recorder) }
      }
      expectEqual(stub.requests.count - before, 1)
      expectEqual(recorders.withLock { $0.count { $0.failure?.code == .circuitOpen } }, 7)
      for recorder in recorders.withLock({ $0 }) { recorder.dispose() }
      expectEqual(stub.activeCount, 0)
    }
  }

  @Test func threadsThatDisposeProbesLeaveThePlaceFree() async {
    open()
    clock.advance(by: .seconds(30))
    let breaker = breaker
    await together(4) { _ in
      for _ in 0..<500 { breaker.send(.sample(path: "/silent")).subscribe { _ in }.dispose() }
    }
    expect(send("/good").isCompleted)
    expect(!isOpen)
  }

  @Test func itUsesTheNetworkIfItsTransportDoes() {
    expect(!breaker.usesNetwork)
    expect(CircuitBreaker(URLSessionTransport()).usesNetwork)
  }
}
