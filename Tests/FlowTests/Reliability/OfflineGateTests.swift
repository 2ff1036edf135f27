import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

@testable import Heliograph

struct OfflineGateTests {
  private let stub = StubTransport()

  init() { stub.on("GET", "/a", .status(200)) }

  private func send(
    to text: String, at status: ReachabilityStatus = .unreachable
  ) throws -> SignalRecorder<TransportEvent, NetworkError> {
    let request = HTTPRequest(url: try require(URL(string: text)))
    return SignalRecorder(OfflineGate(stub).signal(request, of: AttemptContext(at: status)))
  }

  private func client(over transport: any Transport, _ network: ManualReachability) -> NetworkClient {
    var configuration = NetworkClient.Configuration.open(transport)
    configuration.reachability = network
    return NetworkClient(configuration)
  }

  @Test("S2-12") func failsWithinTheSubscriptionAndSendsNothing() throws {
    let recorder = try send(to: "https://shop.example/a")
    expectEqual(recorder.events.count, 1)
    let error = try require(recorder.failure)
    expectEqual(error.code, .unreachable)
    expectEqual(error.code, NetworkError.Code(.client, 668))
    expectEqual(error.reason, "offline: the network is unreachable")
    expectEqual(error.request?.url.absoluteString, "https://shop.example/a")
    expect(stub.requests.isEmpty)
  }

  /// Answers what it knows, and then asks: as a cache does for what is kept for good.
  private struct Memory: Transport {
    let next: OfflineGate
    let isFresh: Bool

    func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
      let known = Signal<TransportEvent, NetworkError>.just(
        .head(HTTPResponse(statusCode: 200, headers: [:], url: request.url)))
      return isFresh ? known : known.concat(next.signal(request, of: AttemptContext(at: .unreachable)))
    }
  }

  @Test("T15", arguments: [true, false]) func whatStandsBeforeItAnswersWithoutANetwork(_ isFresh: Bool) throws {
    let memory = Memory(next: OfflineGate(stub), isFresh: isFresh)
    let request = HTTPRequest(url: try require(URL(string: "https://shop.example/a")))
    let recorder = SignalRecorder(memory.send(request))
    expectEqual(recorder.values.count, 1)
    expectEqual(recorder.isCompleted, isFresh)
    expectEqual(recorder.failure?.code, (isFresh ? nil : .unreachable))
    expect(stub.requests.isEmpty)
  }

  @Test("S2-12", arguments: [ReachabilityStatus.unknown, .reachable]) func letsPassWhatMayArrive(
    _ status: ReachabilityStatus
  ) throws {
    try expect(send(to: "https://shop.example/a", at: status).isCompleted)
    expectEqual(stub.requests.count, 1)
  }

  @Test(arguments: ["http://localhost:1/a", "http://127.1.2.3/a", "http://[::1]/a"])
  func letsPassWhatIsForThisMachine(_ text: String) throws {
    try expect(send(to: text).isCompleted)
    expectEqual(stub.requests.count, 1)
  }

  @Test func asksAnewAtEachSubscription() {
    let network = ManualReachability(.reachable)
    let signal = client(over: stub, network).exchange(request: Request(.get, "https://shop.example/a"))
    expect(stub.requests.isEmpty)
    expect(SignalRecorder(signal).isCompleted)
    network.set(.unreachable)
    expectEqual(SignalRecorder(signal).failure?.code, .unreachable)
    network.set(.unknown)
    expect(SignalRecorder(signal).isCompleted)
    expectEqual(stub.requests.count, 2)
  }

  @Test func whatIsUnderWayIsNotStoppedByALossOfTheNetwork() {
    let clock = VirtualScheduler()
    let slow = StubTransport(scheduler: clock)
    slow.on("GET", "/a", .status(200).delayed(by: .seconds(1)))
    let network = ManualReachability(.reachable)
    let signal = client(over: slow, network).exchange(request: Request(.get, "https://shop.example/a"))
    let recorder = SignalRecorder(signal)
    network.set(.unreachable)
    clock.advance(by: .seconds(1))
    expect(recorder.isCompleted)
  }

  /// On Linux 0.0.0.0 leads to this machine, too, and is not among the names of it.
  @Test("S2-12", arguments: TransportKind.present) func noSocketIsOpened(_ kind: TransportKind) async throws {
    let server = try LoopbackServer()
    server.route("GET", "/a") { _ in .text("a") }
    let network = ManualReachability(.unreachable)
    let client = client(over: try kind.transport(), network)
    let request = Request(.get, "http://0.0.0.0:\(server.port)/a")
    let offline = SignalRecorder(client.exchange(request: request))
    expect(offline.hasEnded, "before `subscribe` returns: there is nothing to wait for")
    expectEqual(offline.failure?.code, .unreachable)
    expectEqual(server.log.acceptedCount, 0)
    #if os(Linux)
    network.set(.reachable)
    let online = SignalRecorder(client.exchange(request: request))
    await online.waitForEnd()
    expect(online.isCompleted)
    expectEqual(server.log.acceptedCount, 1)
    #endif
  }
}
