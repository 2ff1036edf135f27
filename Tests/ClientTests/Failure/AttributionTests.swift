import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

/// By whose fault, from what was observed.
struct AttributionTests {
  private typealias Code = NetworkError.Code

  private func party(_ code: NetworkError.Code, _ evidence: Evidence) -> Attribution.Party {
    Attribution(code, evidence).party
  }

  @Test("S1-10", arguments: [NetworkError.Code.timedOut, .cannotConnect, .connectionLost, .cannotFindHost])
  func withoutANetworkItIsTheClient(_ code: NetworkError.Code) {
    expectEqual(party(code, Evidence(reachabilityBefore: .unreachable)), .client)
    expectEqual(party(code, Evidence(reachabilityAfter: .unreachable, otherHosts: .answered)), .client)
  }

  @Test("S1-10") func whatIsRefusedWhileAnotherAnswersIsTheServer() {
    expectEqual(party(.cannotConnect, Evidence(phase: .connecting, otherHosts: .answered)), .server)
    expectEqual(party(.cannotConnect, Evidence(phase: .connecting)), .undetermined)
    expectEqual(party(.cannotConnect, Evidence(phase: .connecting, otherHosts: .failed)), .path)
    expectEqual(party(.cannotFindHost, Evidence(phase: .resolving, otherHosts: .answered)), .server)
    expectEqual(party(.secureConnectionFailed, Evidence(phase: .tlsHandshake)), .undetermined)
  }

  @Test("S1-10") func aBrokenConnectionIsTheServerOnlyIfAnotherAnswers() {
    for phase in [Evidence.Phase.sending, .awaitingResponse, .receiving] {
      expectEqual(party(.connectionLost, Evidence(phase: phase)), .undetermined)
      expectEqual(party(.connectionLost, Evidence(phase: phase, otherHosts: .answered)), .server)
      expectEqual(party(.connectionLost, Evidence(phase: phase, otherHosts: .failed)), .path)
    }
    expectEqual(party(.connectionLost, Evidence()), .undetermined)
  }

  @Test func whatIsNotKnownIsNobodys() {
    for code in [Code.unknown, .network(-999)] {
      for hosts in [Evidence.OtherHosts.unknown, .answered, .failed] {
        expectEqual(party(code, Evidence(phase: .receiving, otherHosts: hosts)), .undetermined)
      }
    }
  }

  @Test("S1-10 P6") func aTimeOutDependsOnHowFarItCame() {
    expectEqual(party(.timedOut, Evidence(phase: .waiting)), .client)
    expectEqual(party(.timedOut, Evidence(phase: .resolving)), .undetermined)
    expectEqual(party(.timedOut, Evidence(phase: .connecting, otherHosts: .answered)), .undetermined)
    expectEqual(party(.timedOut, Evidence(phase: .sending)), .undetermined)
    expectEqual(party(.timedOut, Evidence(phase: .sending, otherHosts: .answered)), .server)
    for phase in [Evidence.Phase.connecting, .sending] {
      expectEqual(party(.timedOut, Evidence(phase: phase, otherHosts: .failed)), .path)
    }
    // A third host may have failed for reasons of its own.
    for phase in [Evidence.Phase.awaitingResponse, .receiving] {
      for hosts in [Evidence.OtherHosts.unknown, .answered, .failed] {
        expectEqual(party(.timedOut, Evidence(phase: phase, otherHosts: hosts)), .server)
      }
    }
  }

  @Test func aWrongAnswerIsTheServerWhateverElse() {
    for code in [Code.invalidResponse, .undecodableBody] {
      expectEqual(party(code, Evidence(otherHosts: .failed)), .server)
    }
    expectEqual(party(.responseTooLarge, Evidence(phase: .receiving, otherHosts: .answered)), .client)
    expectEqual(party(.rejectedClientCertificate, Evidence()), .client)
    expectEqual(party(.network(-1009), Evidence()), .client)
  }

  @Test("S1-9") func otherDomainsFollowFromTheirCodes() {
    expectEqual(NetworkError(.invalidURL).attribution.party, .client)
    for code in [Code.invalidRedirect, .insecureRedirect, .pageLoop] {
      expectEqual(NetworkError(code).attribution.party, .server)
    }
    expectEqual(NetworkError(.circuitOpen).attribution.party, .server)
    expectEqual(NetworkError(.status(404)).attribution.party, .client)
    expectEqual(NetworkError(.status(407)).attribution.party, .path)
    expectEqual(NetworkError(.status(503)).attribution.party, .server)
    expectEqual(NetworkError(.status(301)).attribution.party, .server)
    expectEqual(NetworkError(.api(1)).attribution.party, .undetermined)
    expectEqual(NetworkError(.malformedBody).attribution.party, .server)
    expectEqual(NetworkError(.transformFailed).attribution.party, .client)
  }

  @Test("S1-10 P6", arguments: UserLanguage.allCases) func eachPartyHasItsOwnWords(_ language: UserLanguage) {
    var error = NetworkError(.timedOut)
    let words = Attribution.Party.allCases.map { party in
      error.attribution = Attribution(party)
      return error.message(in: language)
    }
    expectEqual(Set(words).count, words.count)
    expect(!words.contains(""))
  }
}
