import Foundation
import Heliograph
import TestSupport
import Testing

/// A code is the whole identity of an error: its domain is a part of it.
struct ErrorCodeTests {
  private typealias Code = NetworkError.Code

  private func action(for code: Code) -> String {
    switch code {
    case .status(401), .api(1001): "sign in"
    case .api("E17"): "wait"
    case .timedOut, .unreachable: "retry"
    case .rejected: "say so"
    default: "\(code.domain) \(code)"
    }
  }

  @Test func theDomainIsAPartOfIt() {
    expect(Code.status(404) != .api(404))
    expect(Code.network(-999) != .cancelled)
    expect(Code.invalidResponse != .rejected)
    expectEqual(Code.network(-1001), .timedOut)
    expectEqual(Code.rejected.domain, .api)
    expect(Code.rejected != .api(-1011))
    expectEqual(Code.rejected.number, -1011)
    let codes: Set<Code> = [.status(404), .api(404), .api("404"), .network(404), Code(.server, 404), .api("E17")]
    expectEqual(codes.count, 4)
    expect(codes.contains(.api("E17")))
    expect(!codes.contains(.api("e17")))
  }

  @Test func aTextThatIsANumberIsTheNumber() {
    expectEqual(Code.api("1004"), .api(1004))
    expectEqual(Code.api("1004").number, 1004)
    expectEqual(Code.api("-1"), .api(-1))
    for text in ["007", "+7", "7.0", " 7", "", "99999999999999999999"] {
      let code = Code.api(text)
      expect(code != .api(7))
      expect(code != .rejected)
      expectEqual(code.description, text)
      expectEqual(code.domain, .api)
    }
  }

  @Test func itIsMatchedInASwitch() {
    let codes: [Code] = [
      .status(401), .api("1001"), .api(401), .api("E17"), .api("E18"), .timedOut, .unreachable, .rejected,
      .invalidResponse,
    ]
    expectEqual(
      codes.map(action),
      [
        "sign in", "sign in", "api 401", "wait", "api E18", "retry", "retry", "say so", "network -1011",
      ])
  }

  @Test func anErrorHasTheDomainOfItsCode() {
    for domain in NetworkError.Domain.allCases {
      let error = NetworkError(Code(domain, 7))
      expectEqual(error.domain, domain)
      expectEqual(error.code.number, 7)
    }
    expectEqual(NetworkError(.api("E17"), reason: "r").description, "api error E17: r")
    expectEqual(NetworkError(.status(503), reason: "r").description, "server error 503: r")
  }

  /// A server may send any text as its code.
  @Test("S2-21 P12") func aCodeIsOneShortLineInALog() {
    let error = NetworkError(.api("E\nx" + String(repeating: "a", count: 5_000)), reason: "r")
    for text in ["\(error.code)", "\(error)", error.explanation.components(separatedBy: "\n\n")[0]] {
      expect(text.contains(#"E\nxaaa"#))
      expect(!text.contains("\n"))
      expect(text.utf8.count < 2_000)
    }
  }

  @Test func whatIsNoNumberIsBridgedAsABadResponse() {
    let domains = [
      (Code.rejected, NSURLErrorDomain), (.api("E17"), "HeliographAPIErrorDomain"),
      (.api("007"), "HeliographAPIErrorDomain"),
    ]
    for (code, domain) in domains {
      for bridged in [NetworkError(code) as NSError, NetworkError(code).nsError] {
        expectEqual(bridged.domain, domain)
        expectEqual(bridged.code, NSURLErrorBadServerResponse)
      }
    }
    let number = NetworkError(.api("1004")).nsError
    expectEqual(number.domain, "HeliographAPIErrorDomain")
    expectEqual(number.code, 1004)
  }

  @Test func anAppsMessageIsForOneCode() {
    var messages: [NetworkError.Code: String] = [:]
    messages[.api("E17")] = "Please wait."
    messages[.status(404)] = "Sold out."
    expectEqual(messages[.api("E17")], "Please wait.")
    expectNil(messages[.rejected])
    expectNil(messages[.api("E18")])
    expectNil(messages[.api(404)])
  }
}
