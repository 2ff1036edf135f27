import Foundation
import Testing

@testable import Heliograph

@Suite struct HostPinsTests {
  private static func key(_ byte: UInt8) -> String { Data(repeating: byte, count: 32).base64EncodedString() }

  private func keys(_ bytes: UInt8...) -> [String] { bytes.map(Self.key) }

  private func pins(_ keys: [String: [UInt8]], of address: String) throws -> [String]? {
    try HostPins(keys.mapValues { $0.map(Self.key) })[try #require(URL(string: address))]
  }

  @Test("S1-36") func theLongestHostThatFitsCountsAlone() throws {
    let pinned: [String: [UInt8]] = [
      "*": [1], "*.example.com": [2], "*.api.example.com": [3, 4], "API.example.com": [5], "free.example.com": [],
      "[::1]": [6], "127.0.0.1": [7],
    ]
    for (host, expected) in [
      ("example.com", keys(1)), ("www.example.com", keys(2)), ("a.b.example.com", keys(2)),
      ("eu.api.example.com", keys(3, 4)), ("api.example.com", keys(5)), ("API.example.com:8443", keys(5)),
      ("free.example.com", nil), ("[0:0::1]", keys(6)), ("127.0.0.1", keys(7)), ("notexample.com", keys(1)),
    ] {
      #expect(try pins(pinned, of: "https://\(host)/a") == expected, "\(host)")
    }
  }

  @Test("S1-36") func aDotAtTheEndOfAHostIsNoWayAround() throws {
    #expect(try pins(["api.example.com": [1]], of: "https://api.example.com./") == keys(1))
    #expect(try pins(["api.example.com.": [1]], of: "https://api.example.com/") == keys(1))
  }

  @Test func otherHostsMayHaveAnyKey() throws {
    #expect(try pins(["example.com": [1]], of: "https://www.example.com/") == nil)
    #expect(try pins([:], of: "https://www.example.com/") == nil)
  }

  @Test(arguments: [
    "", "https://example.com", "example.com:443", "exa mple", "*.", "a.*.b", "**", "*example.com", "a/b",
  ])
  func whatIsNoHostIsRefused(_ host: String) {
    let error = #expect(throws: NetworkError.self) { try HostPins([host: [Self.key(1)]]) }
    #expect(error?.domain == .client)
    #expect(error?.code == .invalidTransport)
  }

  @Test func aHostIsPinnedOnce() {
    #expect(throws: NetworkError.self) { try HostPins(["a.example": [Self.key(1)], "A.example.": [Self.key(2)]]) }
  }
}
