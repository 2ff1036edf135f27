import HeliographTesting
import Testing

@testable import Heliograph

/// What a circuit breaker remembers of origins.
@Suite struct CircuitsTests {
  private let clock = VirtualScheduler()
  private let circuits: Circuits

  init() { circuits = Circuits(failureLimit: 2, cooldown: .seconds(30), scheduler: clock) }

  private func ticket(_ origin: String) -> Circuits.Ticket? {
    guard let origin = Origin(origin), case .admitted(let ticket) = circuits.admit(to: origin) else { return nil }
    return ticket
  }

  private func note(_ verdict: Circuits.Verdict, _ origin: String) throws {
    circuits.note(verdict, try #require(ticket(origin)))
  }

  @Test(arguments: [true, false]) func anOriginWhoseCircuitIsClosedAgainIsForgotten(_ closesByHead: Bool) throws {
    for number in 0..<100 {
      for _ in 0..<2 { try note(.fault, "http://h\(number)") }
      #expect(ticket("http://h\(number)") == nil)
    }
    #expect(circuits.count == 100)
    clock.advance(by: .seconds(30))
    for number in 0..<100 {
      let probe = try #require(ticket("http://h\(number)"))
      #expect(probe.isProbe)
      circuits.note(.success, closesByHead ? circuits.close(probe) : probe)
    }
    #expect(circuits.count == 0)
  }

  @Test func anOriginWithoutFaultsIsNotRemembered() throws {
    try note(.success, "http://a")
    #expect(circuits.count == 0)
    try note(.fault, "http://a")
    #expect(circuits.count == 1)
    try note(.success, "http://a")
    #expect(circuits.count == 0)
  }

  @Test func whatBeganBeforeACircuitWasForgottenCountsNoMore() throws {
    let old = try #require(ticket("http://a"))
    let other = try #require(ticket("http://a"))
    for _ in 0..<2 { try note(.fault, "http://a") }
    clock.advance(by: .seconds(30))
    try note(.success, "http://a")
    circuits.note(.fault, old)
    circuits.note(.fault, other)
    #expect(circuits.count == 0)
    try note(.fault, "http://a")
    #expect(ticket("http://a") != nil)
    try note(.fault, "http://a")
    #expect(ticket("http://a") == nil)
  }
}
