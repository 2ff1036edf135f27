import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting

/// Tests of a client that waits for a network.
protocol WaitingTests {
  var maker: WaitingClient { get }
}

extension WaitingTests {
  var network: ManualReachability { maker.network }
  var scheduler: VirtualScheduler { maker.scheduler }
  var stub: StubTransport { maker.stub }
  var log: MonitorLog { maker.log }
}

/// A client that waits for a network, over a stub, in virtual time.
struct WaitingClient {
  let network = ManualReachability(.unreachable)
  let scheduler = VirtualScheduler()
  let stub = StubTransport()
  let log = MonitorLog()

  func make(
    _ reachability: any Reachability, _ configure: (inout NetworkClient.Configuration) -> Void
  ) -> NetworkClient {
    NetworkClient(baseURL: URL(string: "https://shop.example")) {
      $0.transport = stub
      $0.reachability = reachability
      $0.scheduler = scheduler
      $0.processing = .immediate
      $0.monitors = [log]
      $0.waitsForConnectivity = true
      configure(&$0)
    }
  }
}
