import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// A request that waits until there is a network.
struct ConnectivityTests: WaitingTests {
  let maker = WaitingClient()

  private func client(_ configure: (inout NetworkClient.Configuration) -> Void = { _ in }) -> NetworkClient {
    maker.make(network, configure)
  }

  @Test(arguments: [ReachabilityStatus.reachable, .unknown])
  func isSentOnceAsSoonAsThereMayBeANetwork(_ status: ReachabilityStatus) {
    stub.on(.get, "/a", .json("1"))
    let token = CurrentValue("old")
    let client = client { $0.middleware = [.header("X-Shop-Pass") { token.value }] }
    let recorder = SignalRecorder(client.enqueue(request: "/a", resultType: Int.self))
    expect(!recorder.hasEnded)
    expect(stub.requests.isEmpty)
    expectEqual(log.events.filter { if case .waiting = $0 { true } else { false } }.count, 1)
    token.value = "new"
    network.set(status)
    expectEqual(recorder.values.map(\.value), [1])
    expect(recorder.isCompleted)
    expectEqual(stub.requests.map { $0.headers["X-Shop-Pass"] }, ["new"])
    network.set(.unreachable)
    network.set(.reachable)
    expectEqual(stub.requests.count, 1)
  }

  /// libcurl does not tell a lost network from an unreachable server.
  @Test(arguments: [NetworkError.Code.cannotConnect, .cannotFindHost])
  func aNetworkThatIsLostWhileTheRequestWaitsForASlot(_ code: NetworkError.Code) {
    let (network, stub) = (network, StubTransport(scheduler: scheduler))
    stub.on(.get, "/slow", .json("1").delayed(by: .seconds(1)))
    stub.on(.post, "/orders") { _ in network.status == .reachable ? .json("2") : .failure(NetworkError(code)) }
    network.set(.reachable)
    let client = client {
      $0.transport = stub
      $0.concurrencyLimit = 1
    }
    let slow = SignalRecorder(client.enqueue(request: "/slow", resultType: Int.self))
    let order = SignalRecorder(client.enqueue(request: Request(.post, "/orders"), resultType: Int.self))
    network.set(.unreachable)
    scheduler.advance(by: .seconds(2))
    expect(slow.isCompleted)
    expect(!order.hasEnded)
    network.set(.reachable)
    expectEqual(order.values.map(\.value), [2])
    // A server that cannot be reached although there is a network.
    stub.on(.post, "/down", .failure(NetworkError(code)))
    let down = SignalRecorder(client.enqueue(request: Request(.post, "/down"), resultType: Int.self))
    expectEqual(down.failure?.code, code)
  }

  @Test func theTotalTimeoutBoundsTheWait() {
    let client = client { $0.totalTimeout = .seconds(5) }
    let recorder = SignalRecorder(client.enqueue(request: "/a", resultType: Int.self))
    scheduler.advance(by: .seconds(5))
    expectEqual(recorder.failure?.code, .timedOut)
    expect(recorder.failure?.reason.contains("waiting for a network connection") == true)
    expectEqual(recorder.failure?.isOffline, true)
    expectEqual(recorder.failure?.attribution.party, .client)
    network.set(.reachable)
    expect(stub.requests.isEmpty)
  }

  @Test(arguments: [CachePolicy.networkThenCache, .cacheThenNetwork, .timeToLive(.zero, orStored: true)])
  func aStoredResponseIsDeliveredInPlaceOfWaiting(_ policy: CachePolicy) {
    stub.on(.get, "/a", .json("1"), .json("2"))
    let client = client { $0.retry = Retry(limit: 1, backoff: .constant(.zero)) }
    func recorder() -> SignalRecorder<Response<Int>, NetworkError> {
      SignalRecorder(client.enqueue(request: Request(.get, "/a", cache: policy), resultType: Int.self))
    }
    let first = recorder()
    expect(!first.hasEnded, "nothing is stored")
    network.set(.reachable)
    expectEqual(first.values.map(\.value), [1])
    expect(first.isCompleted)
    expectEqual(first.values.first?.request?.attempt, 1)
    expectEqual(first.values.first?.metrics?.earlierAttempts.count ?? 0, 0)
    network.set(.unreachable)
    let offline = recorder()
    expectEqual(offline.values.map(\.value), [1])
    expect(offline.hasEnded)
    expectEqual(offline.failure?.code, policy == .cacheThenNetwork ? .unreachable : nil)
    let codes = offline.values.first?.metrics?.earlierAttempts.map(\.code) ?? []
    expectEqual(codes, policy == .cacheThenNetwork ? [] : [NetworkError.Code.unreachable.number])
  }

  @Test func aStoredResponseInPlaceOfAWaitHasAllEarlierAttempts() {
    stub.on(.get, "/a", .json("1"), .status(503))
    let network = network
    let client = client { configuration in
      configuration.retry = Retry(limit: 1) { _, _ in
        network.set(.unreachable)
        return .retry(after: .zero)
      }
    }
    network.set(.reachable)
    let request = Request(.get, "/a", cache: .networkThenCache)
    expect(SignalRecorder(client.enqueue(request: request, resultType: Int.self)).isCompleted)
    let recorder = SignalRecorder(client.enqueue(request: request, resultType: Int.self))
    expectEqual(recorder.values.map(\.value), [1])
    let codes = recorder.values.first?.metrics?.earlierAttempts.map(\.code)
    expectEqual(codes, [503, NetworkError.Code.unreachable.number])
  }

  @Test(arguments: [CachePolicy.none, .networkThenCache])
  func aTimeoutDuringAWaitHasAllEarlierAttempts(_ policy: CachePolicy) {
    stub.on(.get, "/a", .status(503))
    let network = network
    let client = client { configuration in
      configuration.totalTimeout = .seconds(5)
      configuration.retry = Retry(limit: 1) { _, _ in
        network.set(.unreachable)
        return .retry(after: .zero)
      }
    }
    network.set(.reachable)
    let recorder = SignalRecorder(client.enqueue(request: Request(.get, "/a", cache: policy), resultType: Int.self))
    scheduler.advance(by: .seconds(5))
    expectEqual(recorder.failure?.code, .timedOut)
    expectEqual(recorder.failure?.metrics?.earlierAttempts.map(\.code), [503])
  }

  @Test func aStoredListThatIsReadInPartIsNotFollowedByAWait() {
    stub.on(.get, "/a", .json(#"[1, 2, "x"]"#))
    let client = client()
    let request = Request(.get, "/a", cache: .networkThenCache)
    network.set(.reachable)
    expect(SignalRecorder(client.enqueue(request: request, resultType: Data.self)).isCompleted)
    network.set(.unreachable)
    let recorder = SignalRecorder(client.enqueue(request: request, resultType: Int.self))
    expectEqual(recorder.values.map(\.value), [1, 2])
    expectEqual(recorder.failure?.code, .unreachable)
    network.set(.reachable)
    expectEqual(stub.requests.count, 1)
  }

  @Test func aDisposedRequestIsNotSent() {
    let recorder = SignalRecorder(client().enqueue(request: "/a", resultType: Int.self))
    recorder.dispose()
    network.set(.reachable)
    expect(stub.requests.isEmpty)
    expect(recorder.events.isEmpty)
  }

  @Test func theRequestDecidesBeforeTheClient() {
    stub.on(.get, "/a", .json("1"))
    let failing = Request(.get, "/a", options: .with { $0.waitsForConnectivity = false })
    expectEqual(SignalRecorder(client().enqueue(request: failing, resultType: Int.self)).failure?.code, .unreachable)
    let waiting = Request(.get, "/a", options: .with { $0.waitsForConnectivity = true })
    let client = client { $0.waitsForConnectivity = false }
    let recorder = SignalRecorder(client.enqueue(request: waiting, resultType: Int.self))
    expect(!recorder.hasEnded)
    network.set(.reachable)
    expect(recorder.isCompleted)
  }

  @Test func aChangedAccountEndsTheWait() {
    let account = CurrentValue<String?>("ann")
    let client = client { $0.account = account }
    let recorder = SignalRecorder(client.enqueue(request: "/a", resultType: Int.self))
    account.value = "ben"
    expectEqual(recorder.failure?.code, .contextChanged)
    network.set(.reachable)
    expect(stub.requests.isEmpty)
  }

  @Test(arguments: TransportKind.present) func overASocket(_ kind: TransportKind) async throws {
    let server = try LoopbackServer()
    server.route("GET", "/a") { _ in .json("1") }
    // 0.0.0.0 is not among the names of this machine, so it counts as away.
    let client = NetworkClient(baseURL: URL(string: "http://0.0.0.0:\(server.port)")) { configuration in
      configuration.reachability = network
      configuration.waitsForConnectivity = true
      configuration.allowsInsecureHTTP = true
      if let transport = try? kind.transport() { configuration.transport = transport }
    }
    let recorder = SignalRecorder(client.enqueue(request: "/a", resultType: Int.self))
    expect(!recorder.hasEnded)
    expectEqual(server.log.acceptedCount, 0)
    #if os(Linux)
    network.set(.reachable)
    await recorder.waitForEnd()
    expectEqual(recorder.values.map(\.value), [1])
    #endif
  }

  private struct Site: Service {
    let id: ServiceID = "site"
    let waitsForConnectivity: Bool?

    func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
      URL(string: "https://site.example").map { ServiceAddresses($0) }
    }
  }

  @Test func theServiceDecidesBeforeTheClientAndAfterTheRequest() {
    stub.on(.get, "/a", .json("1"))
    func recorder(
      _ ofService: Bool?, _ ofClient: Bool, _ ofRequest: Bool? = nil
    ) -> SignalRecorder<Response<Int>, NetworkError> {
      let client = client {
        $0.waitsForConnectivity = ofClient
        $0.services = [Site(waitsForConnectivity: ofService)]
      }
      let options = RequestOptions.with { $0.waitsForConnectivity = ofRequest }
      return SignalRecorder(
        client.enqueue(request: Request(.get, "/a", service: "site", options: options), resultType: Int.self))
    }
    for failing in [recorder(false, true), recorder(nil, false), recorder(true, true, false)] {
      expectEqual(failing.failure?.code, .unreachable)
    }
    let waiting = [recorder(true, false), recorder(nil, true), recorder(false, false, true)]
    for recorder in waiting { expect(!recorder.hasEnded) }
    network.set(.reachable)
    for recorder in waiting { expectEqual(recorder.values.map(\.value), [1]) }
  }
}
