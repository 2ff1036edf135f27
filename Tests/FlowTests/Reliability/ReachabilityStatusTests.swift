import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

struct ReachabilityStatusTests {
  @Test(
    "S4-10",
    arguments: [
      (true, false, ReachabilityStatus.reachable), (true, true, .unknown), (false, false, .unreachable),
      (false, true, .unreachable),
    ])
  func whatMustBeDialledFirstIsUnknown(isReachable: Bool, isRequired: Bool, status: ReachabilityStatus) {
    expectEqual(ReachabilityStatus(isReachable: isReachable, isConnectionRequired: isRequired), status)
  }

  @Test("S2-12") func onLinuxNobodyWatchesUnlessTold() {
    let configuration = NetworkClient.Configuration(transport: URLSessionTransport())
    #if os(Linux)
    expect(configuration.effectiveReachability is UnwatchedReachability)
    #else
    expect(configuration.effectiveReachability is SystemReachability)
    #endif
    var told = configuration
    told.reachability = .system
    expect(told.effectiveReachability is SystemReachability)
  }

  @Test func whatNobodyWatchesIsUnknown() {
    let reachability: any Reachability = .unwatched
    expectEqual(reachability.status, .unknown)
    let recorder = SignalRecorder(reachability.changes)
    expectEqual(recorder.events, [.value(.unknown)])
    expect(!recorder.subscription.isDisposed)
  }

  @Test func theSystemsIsOneForAll() {
    let (first, second): (SystemReachability, SystemReachability) = (.system, .system)
    expect(first.source as AnyObject === second.source as AnyObject)
  }

  @Test func aManualOneTellsThePresentStatusAndEachDistinctChange() {
    let network = ManualReachability(.unknown)
    let early = SignalRecorder(network.changes)
    network.set(.reachable)
    network.set(.reachable)
    let late = SignalRecorder(network.changes)
    network.set(.unreachable)
    expectEqual(network.status, .unreachable)
    expectEqual(early.values, [.unknown, .reachable, .unreachable])
    expectEqual(late.values, [.reachable, .unreachable])
    expectEqual(ManualReachability().status, .reachable)
  }
}
