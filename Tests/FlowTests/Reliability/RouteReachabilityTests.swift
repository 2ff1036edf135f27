#if canImport(Glibc) || canImport(Musl)
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

@Suite(.enabled(if: NetworkNamespace.isAvailable, "needs an administrator, ip, nsenter, and dummy or veth links"))
struct RouteReachabilityTests {
  @Test("S2-12 S4-10") func tellsWhenALinkComesAndGoes() async throws {
    let (space, reachability) = try await NetworkNamespace.make { RouteReachability() }
    expectEqual(reachability.status, .unreachable)
    let recorder = SignalRecorder(reachability.changes)
    // None of these leads anywhere.
    try space.run("ip link set lo up; ip route add 198.51.100.0/24 dev lo; ip route add blackhole 203.0.113.0/24")
    try space.addLink()
    try space.raiseLink()
    try space.run("ip addr add 192.0.2.1/24 dev d0")
    await recorder.wait { $0.count == 2 }
    expectEqual(reachability.status, .reachable)
    try space.run("ip link set d0 down")
    await recorder.wait { $0.count == 3 }
    expectEqual(reachability.status, .unreachable)
    try space.run("ip link set d0 up; ip route add default via 192.0.2.9")
    await recorder.wait { $0.count == 4 }
    try space.run("ip link del d0")
    await recorder.wait { $0.count == 5 }
    expectEqual(recorder.values, [.unreachable, .reachable, .unreachable, .reachable, .unreachable])
    expect(recorder.violations.isEmpty)
  }

  @Test(.enabled(if: NetworkNamespace.hasCables, "needs veth links")) func tellsWhenTheCableIsPulled() async throws {
    let (space, reachability) = try await NetworkNamespace.make { RouteReachability() }
    let recorder = SignalRecorder(reachability.changes)
    try space.run("ip link add d0 type veth peer name d1; ip link set d0 up; ip link set d1 up")
    try space.run("ip addr add 192.0.2.1/24 dev d0")
    await recorder.wait { $0.count == 2 }
    // The route stays, and leads nowhere.
    try space.run("ip link set d1 down")
    await recorder.wait { $0.count == 3 }
    try space.run("ip link set d1 up")
    await recorder.wait { $0.count == 4 }
    expectEqual(recorder.values, [.unreachable, .reachable, .unreachable, .reachable])
  }

  @Test func iPv6AloneIsANetworkButNotItsLinkLocalAddresses() async throws {
    let (space, reachability) = try await NetworkNamespace.make { RouteReachability() }
    let recorder = SignalRecorder(reachability.changes)
    try space.addLink()
    try space.raiseLink()
    try space.run("ip -6 addr add fe80::9/64 dev d0 nodad")
    try space.run("ip -6 addr add fd00::9/64 dev d0 nodad")
    await recorder.wait { $0.count == 2 }
    try space.run("ip -6 addr del fd00::9/64 dev d0")
    await recorder.wait { $0.count == 3 }
    expectEqual(recorder.values, [.unreachable, .reachable, .unreachable])
  }

  @Test func seesAtOnceWhatWasThereBefore() async throws {
    let (space, _) = try await NetworkNamespace.make {}
    try space.addLink()
    try space.raiseLink()
    try space.run("ip addr add 192.0.2.1/24 dev d0")
    let reachability = try await space.inside { RouteReachability() }
    expectEqual(reachability.status, .reachable)
  }

  @Test func aThousandRoutesAreRead() async throws {
    let (space, reachability) = try await NetworkNamespace.make { RouteReachability() }
    let recorder = SignalRecorder(reachability.changes)
    try space.addLink()
    try space.run(
      "for i in $(seq 0 999); do echo route add blackhole 10.$((i / 250)).$((i % 250)).0/24; done | ip -batch -")
    try space.raiseLink()
    try space.run("ip addr add 192.0.2.1/24 dev d0")
    await recorder.wait { $0.count == 2 }
    expectEqual(recorder.values, [.unreachable, .reachable])
  }

  @Test func withTheObjectItsSocketsAreClosedAndTheChangesEnd() async throws {
    weak var events: NetlinkSocket?
    weak var dumps: NetlinkSocket?
    let recorder: SignalRecorder<ReachabilityStatus, Never>
    do {
      let sockets = (NetlinkSocket(groups: 0x1), NetlinkSocket(groups: 0))
      (events, dumps) = sockets
      let reachability = RouteReachability(events: sockets.0, dumps: sockets.1, on: .global)
      recorder = SignalRecorder(reachability.changes)
    }
    // Dispatch lets go on a queue of its own.
    await until { events == nil && dumps == nil }
    expectNil(events)
    expectNil(dumps)
    expectEqual(recorder.events.count, 1)
  }
}

struct RouteReachabilityWithoutASocketTests {
  @Test func isUnknown() {
    let reachability = RouteReachability(events: nil, dumps: nil, on: .global)
    expectEqual(reachability.status, .unknown)
    expectEqual(SignalRecorder(reachability.changes).events, [.value(.unknown)])
    expectEqual(RouteReachability(events: NetlinkSocket(groups: 0), dumps: nil, on: .global).status, .unknown)
  }
}
#endif
