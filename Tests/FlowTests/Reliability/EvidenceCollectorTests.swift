import Foundation
import HeliographTesting
import TestSupport
import Testing

@testable import Heliograph

struct EvidenceCollectorTests {
  private let clock = VirtualScheduler()
  private let collector: EvidenceCollector

  init() { collector = EvidenceCollector(.unwatched, clock) }

  private func otherHosts(_ address: String) throws -> Evidence.OtherHosts? {
    let request = HTTPRequest(url: try require(URL(string: address)))
    let error = NetworkError(.connectionLost, request: request)
    return collector.attributing(error, since: .unknown).attribution.evidence?.otherHosts
  }

  @Test("P6") func aResponseIsEvidenceForThirtySeconds() throws {
    collector.recordResponse(from: try require(URL(string: "https://other.example/")))
    clock.advance(by: .seconds(30))
    expectEqual(try otherHosts("https://api.example.com/a"), .answered)
    clock.advance(by: .milliseconds(1))
    expectEqual(try otherHosts("https://api.example.com/a"), .unknown)
  }

  @Test(arguments: ["https://api.example.com/b?c", "https://api.example.com", "HTTPS://API.example.com:443/"])
  func anOriginIsTheSameHoweverItIsWritten(_ address: String) throws {
    collector.recordResponse(from: try require(URL(string: "https://api.example.com/a")))
    expectEqual(try otherHosts(address), .unknown)
  }

  @Test(
    arguments: [
      "https://api.example.com.test/a", "https://api.example.community/", "https://api.example.com:444/a",
      "http://api.example.com/a",
    ])
  func anOriginThatBeginsAlikeIsAnother(_ address: String) throws {
    collector.recordResponse(from: try require(URL(string: "https://api.example.com/a")))
    expectEqual(try otherHosts(address), .answered)
  }

  @Test func aURLWithoutAPathHasNoPrefix() throws {
    collector.recordResponse(from: try require(URL(string: "https://api.example.com")))
    expectEqual(try otherHosts("https://api.example.com/a"), .unknown)
    expectEqual(try otherHosts("https://other.example/"), .answered)
  }
}
