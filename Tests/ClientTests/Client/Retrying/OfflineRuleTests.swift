import Foundation
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

@testable import Heliograph

/// The status of a source that reports evidence only, as Apple's paths do.
private struct Hints: Reachability {
  let network: ManualReachability

  var status: ReachabilityStatus { network.status }
  var changes: Signal<ReachabilityStatus, Never> { network.changes }
  var refusesRequests: Bool { false }
}

/// A network that comes back between two readings of its status.
private struct Returning: Reachability {
  var status: ReachabilityStatus { .unreachable }
  var changes: Signal<ReachabilityStatus, Never> { .just(.reachable) }
}

/// The one rule about a network that is missing.
struct OfflineRuleTests: WaitingTests {
  let maker = WaitingClient()

  private func client(_ configure: (inout NetworkClient.Configuration) -> Void = { _ in }) -> NetworkClient {
    maker.make(Hints(network: network), configure)
  }

  private var rule: OfflineRule { OfflineRule(reachability: network) }

  private func error(_ method: HTTPMethod, sentAt: Duration?) throws -> NetworkError {
    let url = try require(URL(string: "https://shop.example/a"))
    return NetworkError(
      .unreachable, reason: "", request: HTTPRequest(method: method, url: url),
      metrics: Metrics(sentAt: sentAt))
  }

  @Test(arguments: [ReachabilityStatus.unknown, .unreachable, .reachable])
  func onlyASourceThatRefusesRequestsDecides(_ status: ReachabilityStatus) {
    network.set(status)
    expectEqual(OfflineRule(reachability: network).status, status)
    expectEqual(
      OfflineRule(reachability: Hints(network: network)).status, status == .unreachable ? .unknown : status)
  }

  @Test func aRefusedRequestWaitsForTheStatusAndAnotherForAPauseAtTheLatest() {
    expectNil(OfflineRule(reachability: network).pause(after: 3))
    let rule = OfflineRule(reachability: Hints(network: network))
    expectEqual((0...6).map { rule.pause(after: $0) }, [1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
  }

  @Test func whatMayHaveArrivedIsRepeatedOnlyIfItIsIdempotent() throws {
    expect(rule.allowsWaiting(after: try error(.get, sentAt: .seconds(1))))
    expect(rule.allowsWaiting(after: try error(.post, sentAt: nil)))
    expect(!rule.allowsWaiting(after: try error(.post, sentAt: .seconds(1))))
    expect(!rule.allowsWaiting(after: NetworkError(.timedOut)))
  }

  @Test func anOrderThatMiddlewareHasPassedOnIsNotRepeated() throws {
    var error = try error(.post, sentAt: nil)
    error.marks.isAfterOrder = true
    expect(!rule.allowsWaiting(after: error))
  }

  @Test func aNetworkThatComesBackMeanwhileIsNotMissed() {
    let rule = OfflineRule(reachability: Returning())
    expect(SignalRecorder(rule.online(after: NetworkWaits(), since: .reachable, on: scheduler)).isCompleted)
    // The request was refused before its status became unknown.
    network.set(.unknown)
    for (former, isOnline) in [(ReachabilityStatus.unreachable, true), (.unknown, false)] {
      let wait = SignalRecorder(self.rule.online(after: NetworkWaits(), since: former, on: scheduler))
      expectEqual(wait.isCompleted, isOnline)
    }
  }

  @Test func whatWasSentBeforeTheLastExchangeIsNotRepeated() throws {
    for change in [\Metrics.redirectCount, \.resendCount] {
      var error = try error(.post, sentAt: nil)
      expect(rule.allowsWaiting(after: error))
      var metrics = Metrics()
      metrics[keyPath: change] = 1
      error.metrics = metrics
      expect(!rule.allowsWaiting(after: error))
    }
    // URLSession on Linux sends a body again on another connection, and reports neither.
    var error = try error(.post, sentAt: nil)
    var metrics = Metrics()
    metrics.hasSentAll = true
    error.metrics = metrics
    expect(!rule.allowsWaiting(after: error))
  }

  /// The server has refused the first exchange of an order, and the second one was not sent.
  @Test func whatOnlyAChallengeHasAnsweredIsRepeated() throws {
    var metrics = Metrics()
    (metrics.resendCount, metrics.challengeCount) = (2, 2)
    var error = try error(.post, sentAt: nil)
    error.metrics = metrics
    expect(rule.allowsWaiting(after: error))
    let challenge = StubAnswer.status(401).header("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"")
    stub.on(.post, "/orders", challenge, .failure(NetworkError(.unreachable)), .json("1"))
    let origin = Origin(host: "shop.example")
    let client = client {
      $0.transport = DigestTransport($0.transport, origins: [origin]) { (user: "ada", password: "sesame") }
    }
    let recorder = SignalRecorder(client.enqueue(request: Request(.post, "/orders"), resultType: Int.self))
    expect(!recorder.hasEnded)
    scheduler.advance(by: .seconds(1))
    expectEqual(recorder.values.map(\.value), [1])
    expectEqual(stub.requests.count, 3)
  }

  /// libcurl reports a lost network as a failure to connect.
  @Test func anOrderWhoseChallengeWasAnsweredWaitsForANetworkThatWasLost() {
    network.set(.reachable)
    let isBack = CurrentValue(false)
    stub.on(.post, "/orders") { [network] request in
      if request.headers["Authorization"] == nil {
        return .status(401).header("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"")
      }
      if isBack.value { return .json("1") }
      network.set(.unreachable)
      return .failure(NetworkError(.cannotConnect, request: request, metrics: Metrics()))
    }
    let origin = Origin(host: "shop.example")
    let client = maker.make(network) {
      $0.transport = DigestTransport($0.transport, origins: [origin]) { (user: "ada", password: "sesame") }
    }
    let recorder = SignalRecorder(client.enqueue(request: Request(.post, "/orders"), resultType: Int.self))
    expect(!recorder.hasEnded)
    isBack.value = true
    network.set(.reachable)
    expectEqual(recorder.values.map(\.value), [1])
    expectEqual(stub.requests.count, 3)
  }

  @Test func aBodyThatIsReadOnlyOnceIsNotWaitedWith() throws {
    var error = try error(.put, sentAt: nil)
    let body = BodyStream(byteCount: nil, isSpent: { true }, open: { _ in BodyStream.pieces(of: []) })
    error.request?.body = .stream(body)
    expect(!rule.allowsWaiting(after: error))
  }

  /// Replaces a stream with its bytes.
  private struct Buffering: Middleware {
    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      guard case .stream(let stream) = request.body else { return next(request) }
      _ = stream.open()
      var request = request
      request.body = .data(Data("a".utf8))
      return next(request)
    }
  }

  @Test(arguments: [false, true]) func aBodyThatMiddlewareHasReadIsNotWaitedWith(_ isRedirected: Bool) {
    stub.on(.put, "/a", isRedirected ? .status(303).header("Location", "/b") : .failure(NetworkError(.unreachable)))
    stub.on(.get, "/b", .failure(NetworkError(.unreachable)))
    let body = BodyStream(readingOnce: AsyncStream<Data> { $0.finish() })
    let recorder = SignalRecorder(
      client { $0.middleware = [Buffering()] }
        .enqueue(request: Request(.put, "/a", body: .stream(body, contentType: "a/b")), resultType: Int.self))
    expectEqual(recorder.failure?.code, .unreachable)
    expect(log.events.allSatisfy { if case .waiting = $0 { false } else { true } })
  }

  @Test func anOrderIsNotPlacedTwiceAfterARedirect() throws {
    stub.on(.post, "/orders", .status(303).header("Location", "/orders/1"))
    stub.on(.get, "/orders/1", .failure(NetworkError(.unreachable)))
    let recorder = SignalRecorder(client().enqueue(request: Request(.post, "/orders"), resultType: Int.self))
    expectEqual(recorder.failure?.code, .unreachable)
    scheduler.advance(by: .seconds(60))
    expectEqual(stub.requests.map(\.method), [.post, .get])
  }

  @Test("S2-12") func aStaleStatusRefusesNothing() {
    stub.on(.get, "/a", .json("1"))
    let recorder = SignalRecorder(client().enqueue(request: "/a", resultType: Int.self))
    expectEqual(recorder.values.map(\.value), [1])
    expect(log.events.allSatisfy { if case .waiting = $0 { false } else { true } })
  }

  @Test("S2-12") func theTransportsAnswerFailsARequestThatDoesNotWait() {
    stub.on(.get, "/a", .failure(NetworkError(.unreachable)))
    let client = client { $0.waitsForConnectivity = false }
    let recorder = SignalRecorder(client.enqueue(request: "/a", resultType: Int.self))
    expectEqual(recorder.failure?.code, .unreachable)
    expectEqual(recorder.failure?.attribution.party, .client)
  }

  @Test func theTransportsAnswerIsRepeatedWhenTheNetworkReturns() {
    stub.on(.get, "/a", .failure(NetworkError(.unreachable)), .json("1"))
    let recorder = SignalRecorder(client().enqueue(request: "/a", resultType: Int.self))
    expect(!recorder.hasEnded)
    expectEqual(log.events.filter { if case .waiting = $0 { true } else { false } }.count, 1)
    network.set(.reachable)
    expectEqual(recorder.values.map(\.value), [1])
    expectEqual(stub.requests.count, 2)
    scheduler.advance(by: .seconds(60))
    expectEqual(stub.requests.count, 2)
  }

  @Test func theTransportsAnswerIsRepeatedAfterPausesIfTheStatusStays() {
    network.set(.reachable)
    let offline = StubAnswer.failure(NetworkError(.unreachable))
    stub.on(.get, "/a", offline, offline, .json("1"))
    let recorder = SignalRecorder(client().enqueue(request: "/a", resultType: Int.self))
    scheduler.advance(by: .milliseconds(999))
    expectEqual(stub.requests.count, 1)
    scheduler.advance(by: .milliseconds(1))
    expectEqual(stub.requests.count, 2)
    scheduler.advance(by: .seconds(2))
    expectEqual(recorder.values.map(\.value), [1])
    expectEqual(log.events.filter { if case .waiting = $0 { true } else { false } }.count, 1)
  }

  /// Otherwise a request could wait for up to 30 seconds more although there is a network.
  @Test func aChangeOfTheStatusBeginsThePausesAnew() {
    network.set(.reachable)
    let offline = StubAnswer.failure(NetworkError(.unreachable))
    stub.on(.get, "/a", offline, offline, offline, offline, .json("1"))
    let recorder = SignalRecorder(client().enqueue(request: "/a", resultType: Int.self))
    scheduler.advance(by: .seconds(3))
    expectEqual(stub.requests.count, 3)
    network.set(.unreachable)
    network.set(.reachable)
    expectEqual(stub.requests.count, 4)
    scheduler.advance(by: .milliseconds(999))
    expect(!recorder.hasEnded)
    scheduler.advance(by: .milliseconds(1))
    expectEqual(recorder.values.map(\.value), [1])
  }

  /// A device that has lost its network has no news of one.
  @Test func aStatusThatIsNoLongerKnownEndsNoWait() {
    network.set(.reachable)
    stub.on(.get, "/a") { [network] _ in
      network.set(.unknown)
      return .failure(NetworkError(.unreachable))
    }
    let recorder = SignalRecorder(client().enqueue(request: "/a", resultType: Int.self))
    expectEqual(stub.requests.count, 1)
    scheduler.advance(by: .seconds(1))
    expectEqual(stub.requests.count, 2)
    recorder.dispose()
  }

  /// The status is unknown until the system's first report, some milliseconds after the start of an app.
  @Test(arguments: [ReachabilityStatus.unreachable, .unknown])
  func aNetworkThatReturnsDuringTheAttemptEndsTheWaitAtOnce(_ former: ReachabilityStatus) {
    network.set(former)
    stub.on(.get, "/a") { [network] _ in
      network.set(.reachable)
      return .failure(NetworkError(.unreachable))
    }
    let recorder = SignalRecorder(client().enqueue(request: "/a", resultType: Int.self))
    // The second attempt began with a network, so its failure is no news of one.
    expectEqual(stub.requests.count, 2)
    scheduler.advance(by: .seconds(1))
    expectEqual(stub.requests.count, 3)
    expect(!recorder.hasEnded)
    expectEqual(log.events.filter { if case .waiting = $0 { true } else { false } }.count, 1)
  }

  @Test func theTotalTimeoutBoundsThePauses() {
    stub.on(.get, "/a", .failure(NetworkError(.unreachable)))
    let recorder = SignalRecorder(
      client { $0.totalTimeout = .seconds(10) }.enqueue(request: "/a", resultType: Int.self))
    scheduler.advance(by: .seconds(10))
    expectEqual(recorder.failure?.code, .timedOut)
    expect(recorder.failure?.reason.contains("waiting for a network connection") == true)
  }

  private struct Site: Service {
    let id: ServiceID = "site"
    let allowedCosts: NetworkCosts? = [.constrained]

    func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
      URL(string: "https://site.example").map { ServiceAddresses($0) }
    }
  }

  @Test func costsOfTheRequestComeBeforeThoseOfTheServiceAndTheClient() {
    stub.on(.get, "/a", .json("1"))
    let client = client {
      $0.allowedCosts = [.cellular, .expensive]
      $0.services = [Site()]
    }
    for service in [nil, "site"] as [ServiceID?] {
      let own = Request(.get, "/a", service: service, options: .with { $0.allowedCosts = [] })
      for request in [Request(.get, "/a", service: service), own] {
        expect(SignalRecorder(client.enqueue(request: request, resultType: Int.self)).isCompleted)
      }
    }
    expectEqual(stub.requests.map(\.allowedCosts), [[.cellular, .expensive], [], [.constrained], []])
    expectEqual(network.costs, [])
    expectEqual(HTTPRequest(url: URL(filePath: "/")).allowedCosts, .all)
  }
}
