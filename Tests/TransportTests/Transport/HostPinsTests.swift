import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

struct HostPinsTests {
  private static func key(_ byte: UInt8) -> String { Data(repeating: byte, count: 32).base64EncodedString() }

  private func keys(_ bytes: UInt8...) -> [String] { bytes.map(Self.key) }

  private func pins(_ keys: [String: [UInt8]], of address: String) throws -> [String]? {
    try HostPins(keys.mapValues { $0.map(Self.key) })[try require(URL(string: address))]
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
      try expectEqual(pins(pinned, of: "https://\(host)/a"), expected, "\(host)")
    }
  }

  @Test("S1-36") func aDotAtTheEndOfAHostIsNoWayAround() throws {
    try expectEqual(pins(["api.example.com": [1]], of: "https://api.example.com./"), keys(1))
    try expectEqual(pins(["api.example.com.": [1]], of: "https://api.example.com/"), keys(1))
  }

  /// libcurl connects to all of them alike.
  @Test(arguments: [
    "127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f.0.0.1", "0X7F.1", "0177.0.0.1", "127.0.0.01", "017700000001",
    "0x7f000001", "127.0.0.1.", "127.1.", "0x7F.0x0.0x0.0x1", "127.00.0.1",
  ])
  func everySpellingOfAnAddressMeetsItsPin(_ host: String) throws {
    for pinned in ["127.0.0.1", "127.1", host] {
      try expectEqual(pins([pinned: [7], "*": [1]], of: "https://\(host):8443/a"), keys(7), "\(pinned)")
    }
    expectEqual(Origin(host: host).host.hasPrefix("127.0.0.1"), true)
    expect(
      Origin(host: "127.0.0.1").matches(try require(URL(string: "https://\(host.hasSuffix(".") ? "127.1" : host)/"))))
  }

  @Test(arguments: [
    "256.0.0.1", "1.2.3.4.5", "127.0.0.08", "127..1", "0x", "1.2.3.256", "4294967296", "127.0.0.1a", "a.1", "beef",
    "1.65536.1", "face.cafe",
  ])
  func whatIsNoAddressIsAName(_ host: String) { expectEqual(Origin(host: host).host, host) }

  @Test func otherHostsMayHaveAnyKey() throws {
    try expectNil(pins(["example.com": [1]], of: "https://www.example.com/"))
    try expectNil(pins([:], of: "https://www.example.com/"))
  }

  @Test(arguments: [
    "", "https://example.com", "example.com:443", "exa mple", "*.", "a.*.b", "**", "*example.com", "a/b",
  ])
  func whatIsNoHostIsRefused(_ host: String) {
    let error = #expect(throws: NetworkError.self) { try HostPins([host: [Self.key(1)]]) }
    expectEqual(error?.code, .invalidTransport)
  }

  @Test func aHostIsPinnedOnce() {
    #expect(throws: NetworkError.self) { try HostPins(["a.example": [Self.key(1)], "A.example.": [Self.key(2)]]) }
  }
}
