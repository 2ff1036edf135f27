import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

struct OriginTests {
  @Test(arguments: [
    ("https://a.example", "https://a.example"), ("HTTPS://A.Example:443/x?y#z", "https://a.example"),
    ("http://a.example:80?x", "http://a.example"), ("http://a.example:8080", "http://a.example:8080"),
    ("https://a.example:80/", "https://a.example:80"), ("http://a.example:/", "http://a.example"),
    ("http://127.0.0.1:00080#", "http://127.0.0.1"), ("http://[::1]:9/x", "http://[::1]:9"),
    ("http://[0:0:0:0:0:0:0:1]:9", "http://[::1]:9"), ("https://[2001:DB8::A]", "https://[2001:db8::a]"),
    ("https://[fe80::1%25eth0]/", "https://[fe80::1%25eth0]"), ("http://a_b-c.1", "http://a_b-c.1"),
  ])
  func isWhatComesBeforeThePath(_ address: String, _ expected: String) throws {
    let origin = try require(Origin(address))
    expectEqual(origin.description, expected)
    expectEqual(Origin(expected), origin)
    expectEqual(Origin(scheme: origin.scheme.uppercased(), host: origin.host, port: origin.port), origin)
    let url = try require(URL(string: address))
    expectEqual(Origin(url), origin)
    expect(origin.matches(url))
  }

  @Test(arguments: [
    "", "/a", "a.example", "//a.example/", "a?b=http://a.example", "ftp://a.example", "file:///a", "http:/a.example",
    "http://", "http:///a", "https://?a", "http://a.example:x", "http://a.example:65536", "http://a.example:0",
    "http://a.example:99999999999999999999", "https://ada@a.example", "https://ada:pw@a.example", "https://@a.example",
    "https://a.example\\@b.example", "https://a.example%2Fb", "https://b\u{FC}cher.example", "https://a.example:443:1",
    "http://[::1", "http://[::1]x", "http://[::g]", "http://[a.example]", "http://[::1%eth0]", "httpss://a.example",
    "https:\\\\a.example", " https://a.example", "https://a example",
  ])
  func isNoneOfWhatRequestsCannotHave(_ address: String) {
    expectNil(Origin(address))
  }

  @Test(arguments: [
    ("https://a.example", "http://a.example"), ("https://a.example", "https://a.example:444"),
    ("https://a.example", "https://a.example."), ("https://a.example", "https://a.example.evil.example"),
    ("https://a.example", "https://evil.a.example"), ("https://a.example", "https://a.exampl"),
    ("http://[::1]", "http://[::2]"), ("http://127.0.0.1", "http://localhost"), ("https://a.example", "/a.example"),
  ])
  func differsWithSchemeHostAndPort(_ one: String, _ other: String) throws {
    let origin = try require(Origin(one))
    expect(Origin(other) != origin)
    try expect(!origin.matches(require(URL(string: other))))
  }

  @Test func defaultsToHTTPSAndThePortOfTheScheme() {
    expectEqual(Origin(host: "A.example"), Origin("https://a.example:443"))
    expectEqual(Origin(scheme: "HTTP", host: "a.example"), Origin("http://a.example"))
    expectEqual(Origin(host: "[0::1]", port: 1), Origin("https://[::1]:1"))
    expectEqual(Origin(host: "0::1", port: 1).description, "https://[::1]:1")
  }
}
