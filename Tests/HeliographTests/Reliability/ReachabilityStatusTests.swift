import Foundation
import Heliograph
import HeliographTesting
import Testing

@Suite struct ReachabilityStatusTests {
  @Test(
    "S4-10",
    arguments: [
      (true, false, ReachabilityStatus.reachable), (true, true, .unknown), (false, false, .unreachable),
      (false, true, .unreachable),
    ])
  func whatMustBeDialledFirstIsUnknown(isReachable: Bool, isRequired: Bool, status: ReachabilityStatus) {
    #expect(ReachabilityStatus(isReachable: isReachable, isConnectionRequired: isRequired) == status)
  }

  @Test("S2-12") func onLinuxNobodyWatchesUnlessTold() {
    let configuration = NetworkClient.Configuration(transport: URLSessionTransport())
    #if os(Linux)
    #expect(configuration.chosenReachability is UnwatchedReachability)
    #else
    #expect(configuration.chosenReachability is SystemReachability)
    #endif
    var told = configuration
    told.reachability = .system
    #expect(told.chosenReachability is SystemReachability)
  }

  @Test func whatNobodyWatchesIsUnknown() {
    let reachability: any Reachability = .unwatched
    #expect(reachability.status == .unknown)
    #expect(SignalRecorder(reachability.changes).events == [.value(.unknown)])
  }

  @Test func theSystemsIsOneForAll() {
    let (first, second): (any Reachability, any Reachability) = (.system, .system)
    #expect(first as AnyObject === second as AnyObject)
  }

  @Test func aManualOneTellsThePresentStatusAndEachDistinctChange() {
    let network = ManualReachability(.unknown)
    let early = SignalRecorder(network.changes)
    network.set(.reachable)
    network.set(.reachable)
    let late = SignalRecorder(network.changes)
    network.set(.unreachable)
    #expect(network.status == .unreachable)
    #expect(early.values == [.unknown, .reachable, .unreachable])
    #expect(late.values == [.reachable, .unreachable])
    #expect(ManualReachability().status == .reachable)
  }
}
