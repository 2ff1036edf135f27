import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

@testable import Heliograph

/// What a circuit breaker remembers of origins.
struct CircuitsTests {
  private let clock = VirtualScheduler()
  private let circuits: Circuits

  init() { circuits = Circuits(failureLimit: 2, cooldown: .seconds(30), scheduler: clock) }

  private func ticket(_ origin: String) -> Circuits.Ticket? {
    guard let origin = Origin(origin), case .admitted(let ticket) = circuits.admit(to: origin) else { return nil }
    return ticket
  }

  private func note(_ verdict: Circuits.Verdict, _ origin: String) throws {
    circuits.record(verdict, try require(ticket(origin)))
  }

  /// A server may recover while the device sleeps.
  @Test func theCooldownIncludesSleep() {
    let scheduler = DispatchScheduler.global
    let circuits = Circuits(failureLimit: 1, cooldown: .seconds(30), scheduler: scheduler)
    let first = scheduler.continuousNow
    let now = circuits.now
    expect(first <= now && now <= scheduler.continuousNow, "\(now), \(scheduler.now)")
  }

  @Test(arguments: [true, false]) func anOriginWhoseCircuitIsClosedAgainHasNoFaults(_ closesByHead: Bool) throws {
    for number in 0..<100 {
      for _ in 0..<2 { try note(.fault, "http://h\(number)") }
      expectNil(ticket("http://h\(number)"))
    }
    expectEqual(circuits.count, 100)
    clock.advance(by: .seconds(30))
    for number in 0..<100 {
      let probe = try require(ticket("http://h\(number)"))
      expect(probe.isProbe)
      circuits.record(.success, closesByHead ? circuits.close(probe) : probe)
      try note(.fault, "http://h\(number)")
      expectEqual(ticket("http://h\(number)")?.isProbe, false)
    }
    // One entry each, which is forgotten when there are too many.
    expectEqual(circuits.count, 100)
  }

  @Test(arguments: [true, false]) func aCircuitThatClosesLeavesTheExchangesOfOtherOriginsCounting(_ closesByHead: Bool)
    throws
  {
    for _ in 0..<2 { try note(.fault, "http://a") }
    clock.advance(by: .seconds(30))
    let probe = try require(ticket("http://a"))
    let others = try (0..<2).map { _ in try require(ticket("http://b")) }
    circuits.record(.success, closesByHead ? circuits.close(probe) : probe)
    for other in others { circuits.record(.fault, other) }
    expectNil(ticket("http://b"))
    expect(ticket("http://a") != nil)
  }

  /// Whether the next request is admitted after the results of two probes at a time, the first at index 0.
  @Test(
    arguments: [
      ([], false), ([(0, .success)], true), ([(1, .success)], true), ([(0, .fault)], false), ([(1, .fault)], false),
      ([(0, .unknown)], false), ([(1, .unknown)], true), ([(0, .unknown), (1, .unknown)], true),
      ([(0, .fault), (1, .success)], false), ([(1, .fault), (0, .success)], false),
      ([(0, .fault), (1, .unknown)], false), ([(0, .success), (1, .fault)], true),
      ([(1, .success), (0, .fault)], true),
    ] as [([(probe: Int, verdict: Circuits.Verdict)], Bool)])
  func eachOfTwoProbesDecidesAndTheLatestMayBeReplaced(
    _ results: [(probe: Int, verdict: Circuits.Verdict)], _ isAdmitted: Bool
  ) throws {
    for _ in 0..<2 { try note(.fault, "http://a") }
    let probes = try (0..<2).map { _ in
      clock.advance(by: .seconds(30))
      return try require(ticket("http://a"))
    }
    expectNil(ticket("http://a"))
    clock.advance(by: .seconds(1))
    for (probe, verdict) in results { circuits.record(verdict, probes[probe]) }
    expectEqual(ticket("http://a") != nil, isAdmitted)
  }

  @Test func anOriginWithoutFaultsIsNotRemembered() throws {
    try note(.success, "http://a")
    expectEqual(circuits.count, 0)
    try note(.fault, "http://a")
    expectEqual(circuits.count, 1)
    try note(.success, "http://a")
    expectEqual(circuits.count, 0)
  }

  @Test func whatBeganBeforeACircuitWasForgottenCountsNoMore() throws {
    let old = try require(ticket("http://a"))
    let other = try require(ticket("http://a"))
    for _ in 0..<2 { try note(.fault, "http://a") }
    clock.advance(by: .seconds(30))
    try note(.success, "http://a")
    circuits.record(.fault, old)
    circuits.record(.fault, other)
    try note(.success, "http://a")
    circuits.record(.fault, old)
    try note(.fault, "http://a")
    expect(ticket("http://a") != nil)
    try note(.fault, "http://a")
    expectNil(ticket("http://a"))
  }
}
