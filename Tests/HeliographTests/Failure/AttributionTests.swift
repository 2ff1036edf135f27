import Foundation
import Heliograph
import Testing

/// By whose fault, from what was observed.
@Suite struct AttributionTests {
  private typealias Code = NetworkError.Code

  private func party(_ code: NetworkError.Code, _ evidence: Evidence) -> Attribution.Party {
    Attribution(.network, code, evidence).party
  }

  @Test("S1-10", arguments: [NetworkError.Code.timedOut, .cannotConnect, .connectionLost, .cannotFindHost])
  func withoutANetworkItIsTheClient(_ code: NetworkError.Code) {
    #expect(party(code, Evidence(reachabilityBefore: .unreachable)) == .client)
    #expect(party(code, Evidence(reachabilityAfter: .unreachable, otherHosts: .answered)) == .client)
  }

  @Test("S1-10") func whatIsRefusedWhileAnotherAnswersIsTheServer() {
    #expect(party(.cannotConnect, Evidence(phase: .connecting, otherHosts: .answered)) == .server)
    #expect(party(.cannotConnect, Evidence(phase: .connecting)) == .undetermined)
    #expect(party(.cannotConnect, Evidence(phase: .connecting, otherHosts: .failed)) == .path)
    #expect(party(.cannotFindHost, Evidence(phase: .resolving, otherHosts: .answered)) == .server)
    #expect(party(.secureConnectionFailed, Evidence(phase: .tlsHandshake)) == .undetermined)
  }

  @Test("S1-10") func aBrokenConnectionIsTheServerOnlyIfAnotherAnswers() {
    for phase in [Evidence.Phase.sending, .awaitingResponse, .receiving] {
      #expect(party(.connectionLost, Evidence(phase: phase)) == .undetermined)
      #expect(party(.connectionLost, Evidence(phase: phase, otherHosts: .answered)) == .server)
      #expect(party(.connectionLost, Evidence(phase: phase, otherHosts: .failed)) == .path)
    }
    #expect(party(.connectionLost, Evidence()) == .undetermined)
  }

  @Test func whatIsNotKnownIsNobodys() {
    for code in [Code.unknown, -999] {
      for hosts in [Evidence.OtherHosts.unknown, .answered, .failed] {
        #expect(party(code, Evidence(phase: .receiving, otherHosts: hosts)) == .undetermined)
      }
    }
  }

  @Test("S1-10") func aTimeOutDependsOnHowFarItCame() {
    #expect(party(.timedOut, Evidence(phase: .waiting)) == .client)
    #expect(party(.timedOut, Evidence(phase: .resolving)) == .undetermined)
    #expect(party(.timedOut, Evidence(phase: .connecting, otherHosts: .answered)) == .undetermined)
    #expect(party(.timedOut, Evidence(phase: .sending)) == .undetermined)
    #expect(party(.timedOut, Evidence(phase: .sending, otherHosts: .answered)) == .server)
    #expect(party(.timedOut, Evidence(phase: .awaitingResponse)) == .server)
    #expect(party(.timedOut, Evidence(phase: .receiving)) == .server)
    #expect(party(.timedOut, Evidence(phase: .receiving, otherHosts: .failed)) == .path)
  }

  @Test func aWrongAnswerIsTheServerWhateverElse() {
    for code in [Code.invalidResponse, .undecodableBody] {
      #expect(party(code, Evidence(otherHosts: .failed)) == .server)
    }
    #expect(party(.responseTooLarge, Evidence(phase: .receiving, otherHosts: .answered)) == .client)
    #expect(party(.rejectedClientCertificate, Evidence()) == .client)
    #expect(party(-1009, Evidence()) == .client)
  }

  @Test("S1-9") func otherDomainsFollowFromTheirCodes() {
    #expect(NetworkError(.client, .invalidURL).attribution.party == .client)
    #expect(NetworkError(.client, .circuitOpen).attribution.party == .server)
    #expect(NetworkError(.server, 404).attribution.party == .client)
    #expect(NetworkError(.server, 407).attribution.party == .path)
    #expect(NetworkError(.server, 503).attribution.party == .server)
    #expect(NetworkError(.server, 301).attribution.party == .server)
    #expect(NetworkError(.api, 1).attribution.party == .undetermined)
    #expect(NetworkError(.processing, .malformedBody).attribution.party == .server)
    #expect(NetworkError(.processing, .transformFailed).attribution.party == .client)
  }

  @Test("S1-10 P6", arguments: UserLanguage.allCases) func eachPartyHasItsOwnWords(_ language: UserLanguage) {
    var error = NetworkError(.network, .timedOut)
    let words = Attribution.Party.allCases.map { party in
      error.attribution = Attribution(party)
      return error.message(in: language)
    }
    #expect(Set(words).count == words.count)
    #expect(!words.contains(""))
  }
}
