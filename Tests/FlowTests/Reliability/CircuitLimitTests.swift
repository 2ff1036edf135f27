import Foundation
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

@testable import Heliograph

/// The number of origins that a circuit breaker remembers.
struct CircuitLimitTests {
  private let clock = VirtualScheduler()
  private let circuits: Circuits

  init() { circuits = Circuits(failureLimit: 2, cooldown: .seconds(30), scheduler: clock) }

  private func fault(_ host: String) {
    if case .admitted(let ticket) = circuits.admit(to: Origin(host: host)) { circuits.record(.fault, ticket) }
  }

  private func isOpen(_ host: String) -> Bool {
    if case .refused = circuits.admit(to: Origin(host: host)) { true } else { false }
  }

  @Test func faultsOfTooManyOriginsAreForgottenAndOpenCircuitsAreNot() {
    for _ in 0..<2 { fault("open") }
    clock.advance(by: .milliseconds(29_999))
    var maximum = 0
    for number in 0..<(Circuits.limit + 10) {
      fault("h\(number)")
      maximum = max(maximum, circuits.count)
    }
    expect(maximum <= Circuits.limit)
    expect(isOpen("open"))
    // The first fault of this origin was forgotten, that of the last one was not.
    fault("h0")
    expect(!isOpen("h0"))
    fault("h\(Circuits.limit + 9)")
    expect(isOpen("h\(Circuits.limit + 9)"))
  }
}
