import Foundation
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

@testable import Heliograph

/// A transport that drops its observer, as an adapter of a library does whose completion handler is never called.
struct DroppedExchangeTests {
  private final class DroppingTransport: Transport {
    let isDropping = CurrentValue(true)
    let sentCount = CurrentValue(0)
    private let next: any Transport

    init(_ next: any Transport) { self.next = next }

    func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
      sentCount.modify { $0 += 1 }
      if isDropping.value { return Signal { _ in nil } }
      return next.send(request)
    }
  }

  private static let wraps: [@Sendable (any Transport) -> any Transport] = [
    { $0 }, { CircuitBreaker($0) },
    { DigestTransport($0, origins: [Origin(scheme: "http", host: "shop.example")]) { ("ada", "sesame") } },
  ]

  @Test(arguments: [0, 1, 2], [false, true])
  func theRequestEndsAndIsFreed(_ wrap: Int, _ isStreamed: Bool) async throws {
    let stub = StubTransport()
    stub.on(.get, "/a", .json("1"))
    let (transport, log, census) = (DroppingTransport(stub), MonitorLog(), Census())
    var configuration = NetworkClient.Configuration.open(Self.wraps[wrap](transport))
    configuration.baseURL = URL(string: "http://shop.example")
    configuration.processing = .immediate
    configuration.concurrencyLimit = 1
    configuration.monitors = [log]
    let client = NetworkClient(configuration)
    func start() {
      let token = census.token()
      if isStreamed {
        client.stream(request: "/a").subscribe { _ in token.use() }
      } else {
        client.enqueue(request: "/a", resultType: Int.self).subscribe { _ in token.use() }
      }
    }
    for _ in 0..<3 { start() }
    // After a silent end, the next exchange starts on another thread.
    await until { transport.sentCount.value == 3 && census.alive == 0 && log.requests.count == 3 }
    expectEqual(log.requests.map(\.outcome.name), ["cancelled", "cancelled", "cancelled"])
    transport.isDropping.value = false
    // The slots are free.
    let recorder = SignalRecorder(client.enqueue(request: "/a", resultType: Int.self).map(\.value))
    await recorder.waitForEnd()
    expectEqual(recorder.values, [1])
  }
}
